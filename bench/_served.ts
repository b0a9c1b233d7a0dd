/** Daemons to measure against: the real one, a server that only answers, one that hangs, and none. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { placesIn, type Places } from '../src/core/index.ts';

const UP_LIMIT_MS = 10_000;

/** Answers every request with a small brief. With `hang` it never answers hooks, but still answers other requests. */
const SERVER = `
const [, socket, hang] = process.argv;
const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'x'.repeat(4000) } });
require('node:http').createServer((request, response) => {
  request.resume().on('end', () => { if (!hang || !request.url.startsWith('/v1/hook/')) response.end(answer); });
}).listen(socket);`;

export class Served {
  readonly #children: ChildProcess[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates a data folder without a daemon. */
  home(name: string): Places {
    const places = placesIn(join(this.#folder, name));
    mkdirSync(places.run, { recursive: true, mode: 0o700 });
    writeFileSync(places.node, `${process.execPath}\n`);
    return places;
  }

  async played(name: string, hang: boolean): Promise<Places> {
    const places = this.home(name);
    this.#children.push(
      spawn(process.execPath, ['-e', SERVER, places.socket, ...(hang ? ['hang'] : [])], { stdio: 'ignore' }),
    );
    await up(() => existsSync(places.socket));
    writeFileSync(places.socketPointer, `${places.socket}\n`);
    return places;
  }

  async real(name: string, program: string, more: Readonly<Record<string, string>> = {}): Promise<Places> {
    const places = this.home(name);
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.#folder, TIDEMARK_HOME: places.home, ...more };
    this.#children.push(spawn(process.execPath, [program], { stdio: 'ignore', env }));
    await up(() => existsSync(places.socketPointer) && existsSync(places.daemon));
    return places;
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGTERM');
  }
}

/** Stops the daemon that a hook started and removes the files that would make the next run cheaper. */
export async function takeDown(places: Places): Promise<void> {
  const pid = pidOf(places);
  if (pid) {
    process.kill(pid, 'SIGKILL');
    await up(() => !existsSync(`/proc/${pid}`));
  }
  for (const file of [places.socketPointer, places.socket, places.daemon, join(places.run, 'starting')]) {
    rmSync(file, { force: true });
  }
}

function pidOf(places: Places): number | undefined {
  try {
    return (JSON.parse(readFileSync(places.daemon, 'utf8')) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}

async function up(condition: () => boolean): Promise<void> {
  const stopAt = performance.now() + UP_LIMIT_MS;
  while (!condition()) {
    if (performance.now() > stopAt) throw new Error('the daemon did not start');
    await delay(10);
  }
}
