/**
 * Runs the files of one suite with node:test, one or several in a process, and counts the innermost tests only: a test
 * whose parts were all skipped never counts as passed. Prints failures in full as they come.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { root } from './_setup.mjs';

const RUNNER = path.join(root, 'scripts', '_test-files.mjs');
/** Characters of a process's output that are printed with a failure. */
const OUTPUT_TAIL = 6000;
/** A file that takes longer is listed. */
const SLOW_MS = 10_000;

/** The results of one suite. `run` may be called several times at once. */
export class Suite {
  #pattern;
  #timeout;
  #killAfter;
  #endWithin;
  #argv;
  #tally;
  #ms = 0;
  #files = 0;

  /**
   * @param {{name: string, timeout: number, killAfter?: number, endWithin?: number, pattern?: string, argv?: string[]}} suite
   *   In milliseconds: `timeout` of a test; a file that takes longer than that and `killAfter` is killed; a process must
   *   end `endWithin` after its last test. `argv`: for the files
   * @param {(text: string) => void} print
   */
  constructor({ name, timeout, killAfter = 30_000, endWithin = 30_000, pattern, argv = [] }, print) {
    this.#timeout = timeout;
    this.#killAfter = killAfter;
    this.#endWithin = endWithin;
    this.#argv = argv;
    this.#pattern = pattern;
    this.#tally = new Tally(name, print);
  }

  /** Runs files in one process. If it ends before they did, its file has failed and the others run in the next process. */
  async run(files) {
    const started = Date.now();
    for (let left = files; left.length > 0;) {
      const group = new Group(left, this.#tally);
      const { ended, open } = await this.#runGroup(left, group);
      if (open !== undefined) group.fail(left[open], 'handles are open after its last test');
      else if (ended < left.length) group.fail(left[ended], 'its process ended before its last test');
      left = left.slice(ended + 1);
    }
    this.#files += files.length;
    this.#ms += Date.now() - started;
  }

  /** Returns the number of the file in which the process ended, or of files, and the number of one that left handles open. */
  async #runGroup(files, group) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tm-run-'));
    const progress = path.join(folder, 'progress');
    const watch = setInterval(() => killIfBlocked(progress, this.#timeout + this.#killAfter), 1000);
    try {
      const events = run({
        files: [RUNNER],
        concurrency: 1,
        timeout: this.#timeout,
        argv: [progress, String(this.#endWithin), ...this.#argv, '--', ...files],
        ...(this.#pattern ? { testNamePatterns: [this.#pattern] } : {}),
        execArgv: ['--disable-warning=ExperimentalWarning'], // every process that uses node:sqlite prints one
      });
      for await (const event of events) group.take(event);
      return readProgress(progress);
    } finally {
      clearInterval(watch);
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }

  /** `ms` is the sum over the processes, whether or not they ran at the same time. */
  result() {
    if (!this.#pattern) this.#tally.close();
    return { ...this.#tally.result(), files: this.#files, ms: this.#ms };
  }
}

/** Reads the events of one process: a test at depth 0 is a file, named by its number. */
class Group {
  #files;
  #tally;
  #file;
  #printed = '';
  /** Depths at which a test has ended since its parent began. A test with an entry one level deeper is a parent. */
  #ended = new Set();

  constructor(files, tally) {
    this.#files = files;
    this.#tally = tally;
    this.#file = files[0];
  }

  take({ type, data }) {
    if (type === 'test:stdout' || type === 'test:stderr') this.#keep(data.message);
    if (data.nesting === 0 && !(Number(data.name) in this.#files)) return; // the process; see readProgress
    if (type === 'test:start' && data.nesting === 0) this.#file = this.#files[Number(data.name)];
    if (type === 'test:pass' || type === 'test:fail') this.#count(type, data);
  }

  #count(type, data) {
    const hasParts = this.#ended.delete(data.nesting + 1);
    this.#ended.add(data.nesting);
    const isFile = data.nesting === 0;
    if (isFile) this.#tally.took(this.#file, data.details.duration_ms);
    const reason = data.skip ?? data.todo;
    if (reason !== undefined) return this.#tally.skip(reason);
    if (type === 'test:pass' && isFile && !hasParts) return this.fail(this.#file, 'the file has no test');
    if (type === 'test:pass' && (hasParts || data.details.type === 'suite')) return;
    if (type === 'test:pass') return this.#tally.pass();
    const error = data.details.error;
    if (error?.failureType === 'subtestsFailed') return;
    this.fail(this.#file, describe(error?.cause ?? error), isFile ? undefined : data.name);
  }

  /** Without the name of a test the file itself has failed. Prints the end of what the process printed since the last failure. */
  fail(file, why, name) {
    const printed = this.#printed.trim();
    this.#printed = '';
    this.#tally.fail(file, printed === '' ? why : `${why}\nits process printed:\n${indent(printed)}`, name);
  }

  #keep(message) {
    this.#printed = (this.#printed + message).slice(-OUTPUT_TAIL);
  }
}

class Tally {
  #name;
  #print;
  #passed = 0;
  #failed = [];
  #failedFiles = new Set();
  #skipped = new Map();
  #slow = [];

  constructor(name, print) {
    this.#name = name;
    this.#print = print;
  }

  pass() {
    this.#passed += 1;
  }

  skip(reason) {
    const text = typeof reason === 'string' && reason !== '' ? reason : 'no reason given';
    this.#skipped.set(text, (this.#skipped.get(text) ?? 0) + 1);
  }

  fail(file, why, name) {
    const place = path.relative(root, file);
    const test = name === undefined ? place : `${place} › ${name}`;
    this.#failed.push(test);
    this.#failedFiles.add(file);
    this.#print(`\nFAILED ${this.#name}: ${test}\n${indent(why)}\n`);
  }

  took(file, ms) {
    if (ms > SLOW_MS) this.#slow.push({ file: path.relative(root, file), ms });
  }

  /** A suite in which no test ran has failed. */
  close() {
    const { passed, failed, skipped } = this.result();
    if (passed + failed + skipped > 0) return;
    this.#failed.push('the suite');
    this.#print(`\nFAILED ${this.#name}: no test ran\n`);
  }

  result() {
    const skipped = [...this.#skipped.values()].reduce((sum, count) => sum + count, 0);
    return {
      name: this.#name,
      passed: this.#passed,
      failed: this.#failed.length,
      skipped,
      failures: this.#failed,
      failedFiles: [...this.#failedFiles],
      reasons: this.#skipped,
      slow: this.#slow.toSorted((a, b) => b.ms - a.ms),
    };
  }
}

function readProgress(progress) {
  const [ended = 0, open] = numbersIn(progress).slice(1);
  return { ended, open };
}

/** Numbers: the process, its file, and a file that left handles open. None before the process has begun. */
function numbersIn(progress) {
  try {
    return fs.readFileSync(progress, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

function killIfBlocked(progress, ms) {
  const [pid] = numbersIn(progress);
  if (pid === undefined || Date.now() - fs.statSync(progress).mtimeMs < ms) return;
  process.kill(pid, 'SIGKILL');
}

/** Prints the stack, which has message and difference, and leaves out the compared values: they would hide both. */
function describe(error) {
  if (typeof error?.stack !== 'string') return inspect(error);
  return error.cause === undefined ? error.stack : `${error.stack}\ncaused by: ${describe(error.cause)}`;
}

function indent(text) {
  return text.replaceAll(/^/gm, '  ');
}
