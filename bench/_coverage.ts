/** Counts the source files and functions that the threads of a daemon run, by the comments with which esbuild names each module. */
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from '../test/support/wait-for.ts';

/** Names of functions with their source file → calls. */
export type Calls = ReadonlyMap<string, number>;

interface Ran {
  readonly url: string;
  readonly name: string;
  readonly start: number;
  readonly count: number;
}

export class Coverage {
  readonly #folder: string;
  readonly #dist: string;
  readonly #modules = new Map<string, readonly Module[]>();

  constructor(folder: string, dist: string) {
    this.#folder = folder;
    this.#dist = dist;
    mkdirSync(folder, { recursive: true });
  }

  /** The environment of a daemon that `take` asks. */
  get env(): Readonly<Record<string, string>> {
    const preload = join(import.meta.dirname, '_coverage-thread.ts');
    return { NODE_OPTIONS: `--require ${preload}`, BENCH_COVERAGE: this.#folder };
  }

  /** Returns the calls since the last time. */
  async take(pid: number): Promise<Calls> {
    const named = (start: string): readonly string[] =>
      readdirSync(this.#folder).filter((name) => name.startsWith(start) && !name.endsWith('.new'));
    process.kill(pid, 'SIGUSR2');
    const isComplete = (): boolean => named('taken-').length === named('thread-').length;
    const explain = (): string => readdirSync(this.#folder).join(', ');
    await waitFor('the coverage of every thread', isComplete, { explain });
    const calls = new Map<string, number>();
    for (const name of named('taken-')) {
      const path = join(this.#folder, name);
      this.#count(JSON.parse(readFileSync(path, 'utf8')) as readonly Ran[], calls);
      rmSync(path);
    }
    return calls;
  }

  /** A function is known by its module, line and name: the same in every program that contains the module. */
  #count(functions: readonly Ran[], calls: Map<string, number>): void {
    const seen = new Map<string, number>();
    for (const { url, name, start, count } of functions) {
      const module = this.#modulesOf(basename(url)).findLast((one) => one.start <= start);
      if (module === undefined || !module.file.startsWith('src/')) continue;
      const line = module.lines.findLastIndex((at) => at <= start);
      const plain = `${module.file} ${line} ${name.replace(/\d+$/, '')}`; // esbuild numbers names that are taken
      const nth = (seen.get(`${url} ${plain}`) ?? 0) + 1;
      seen.set(`${url} ${plain}`, nth);
      calls.set(`${plain} ${nth}`, (calls.get(`${plain} ${nth}`) ?? 0) + count);
    }
  }

  #modulesOf(program: string): readonly Module[] {
    const known = this.#modules.get(program);
    if (known) return known;
    const modules: { file: string; start: number; lines: number[] }[] = [];
    let at = 0;
    for (const line of readFileSync(join(this.#dist, program), 'utf8').split('\n')) {
      const file = /^\/\/ ((?:src|node_modules)\/\S+)$/.exec(line)?.[1];
      if (file !== undefined) modules.push({ file, start: at, lines: [] });
      modules.at(-1)?.lines.push(at);
      at += line.length + 1;
    }
    this.#modules.set(program, modules);
    return modules;
  }
}

interface Module {
  readonly file: string;
  readonly start: number;
  /** Where each line starts. */
  readonly lines: readonly number[];
}

/** Returns the files and functions that `all` called more often than `idle`. */
export interface Size {
  readonly files: number;
  readonly functions: number;
}

export function size(all: Calls, idle: Calls): Size {
  const own = [...all].filter(([name, count]) => count > (idle.get(name) ?? 0)).map(([name]) => name);
  return { files: new Set(own.map((name) => name.split(' ')[0])).size, functions: own.length };
}
