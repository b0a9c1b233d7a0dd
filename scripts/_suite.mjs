/**
 * Runs the files of one suite with node:test, each in a process of its own, and counts the innermost tests only: a test
 * whose parts were all skipped never counts as passed. Prints failures in full as they come.
 */
import path from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { root } from './_setup.mjs';

/** Characters of a failing file's output that are printed with the failure. */
const OUTPUT_TAIL = 6000;
/** A file that takes longer is listed: the whole run has ten minutes on two cores. */
const SLOW_MS = 10_000;

/** The results of one suite. `run` may be called for several files at once. */
export class Suite {
  #name;
  #pattern;
  #timeout;
  #argv;
  #tally;
  #ms = 0;
  #files = 0;

  /**
   * @param {{name: string, timeout: number, pattern?: string, argv?: string[]}} suite `argv`: for its files
   * @param {(text: string) => void} print
   */
  constructor({ name, timeout, pattern, argv = [] }, print) {
    this.#name = name;
    this.#timeout = timeout;
    this.#argv = argv;
    this.#pattern = pattern;
    this.#tally = new Tally(name, print);
  }

  /** Runs one file to its end. */
  async run(file) {
    const started = Date.now();
    const events = run({
      files: [file],
      concurrency: 1,
      timeout: this.#timeout,
      argv: this.#argv,
      ...(this.#pattern ? { testNamePatterns: [this.#pattern] } : {}),
      execArgv: ['--disable-warning=ExperimentalWarning'], // every process that uses node:sqlite prints one
    });
    for await (const event of events) this.#tally.take(event);
    const ms = Date.now() - started;
    this.#files += 1;
    this.#ms += ms;
    this.#tally.took(file, ms);
  }

  /** `ms` is the sum over the files, whether or not they ran at the same time. */
  result() {
    if (!this.#pattern) this.#tally.close();
    return { ...this.#tally.result(), name: this.#name, files: this.#files, ms: this.#ms };
  }
}

class Tally {
  #name;
  #print;
  #passed = 0;
  #failed = [];
  #failedFiles = new Set();
  #skipped = new Map();
  /** file → depths at which a test has ended since its parent began. A test with an entry one level deeper is a parent. */
  #open = new Map();
  #output = new Map();
  #slow = [];

  constructor(name, print) {
    this.#name = name;
    this.#print = print;
  }

  take({ type, data }) {
    if (type === 'test:stdout' || type === 'test:stderr') this.#keep(data.file, data.message);
    if (type === 'test:pass' || type === 'test:fail') this.#count(type, data);
  }

  took(file, ms) {
    if (ms > SLOW_MS) this.#slow.push({ file: path.relative(root, file), ms });
  }

  /** A suite in which no test ran has failed. */
  close() {
    const { passed, failed, skipped } = this.result();
    if (passed + failed + skipped === 0) this.#fail({ name: 'the suite' }, 'no test ran');
  }

  result() {
    const skipped = [...this.#skipped.values()].reduce((sum, count) => sum + count, 0);
    return {
      passed: this.#passed,
      failed: this.#failed.length,
      skipped,
      failures: this.#failed,
      failedFiles: [...this.#failedFiles],
      reasons: this.#skipped,
      slow: this.#slow.toSorted((a, b) => b.ms - a.ms),
    };
  }

  #count(type, data) {
    const hasParts = this.#closeLevel(data.file ?? data.name, data.nesting);
    const reason = data.skip ?? data.todo;
    if (reason !== undefined) return this.#skip(reason);
    if (type === 'test:pass' && (hasParts || data.details.type === 'suite')) return;
    if (type === 'test:pass' && data.name === data.file) return this.#fail(data, 'the file has no test');
    if (type === 'test:pass') return void (this.#passed += 1);
    const error = data.details.error;
    if (error?.failureType === 'subtestsFailed') return;
    const cause = error?.cause ?? error;
    this.#fail(data, describe(cause));
  }

  #skip(reason) {
    const text = typeof reason === 'string' && reason !== '' ? reason : 'no reason given';
    this.#skipped.set(text, (this.#skipped.get(text) ?? 0) + 1);
  }

  #fail(data, why) {
    const file = data.file ? path.relative(root, data.file) : '';
    const test = data.name === data.file ? file : `${file} › ${data.name}`;
    this.#failed.push(test);
    this.#failedFiles.add(data.file);
    const printed = this.#output.get(data.file)?.trim();
    this.#print(
      `\nFAILED ${this.#name}: ${test}\n${indent(why)}${printed ? `\n  it printed:\n${indent(printed)}` : ''}\n`,
    );
    this.#output.delete(data.file);
  }

  #closeLevel(file, nesting) {
    const open = this.#open.get(file) ?? new Set();
    const hasParts = open.delete(nesting + 1);
    this.#open.set(file, open.add(nesting));
    return hasParts;
  }

  #keep(file, message) {
    this.#output.set(file, ((this.#output.get(file) ?? '') + message).slice(-OUTPUT_TAIL));
  }
}

/** Prints the stack, which has message and difference, and leaves out the compared values: they would hide both. */
function describe(error) {
  if (typeof error?.stack !== 'string') return inspect(error);
  return error.cause === undefined ? error.stack : `${error.stack}\ncaused by: ${describe(error.cause)}`;
}

function indent(text) {
  return text.replaceAll(/^/gm, '  ');
}
