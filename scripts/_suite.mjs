/**
 * Runs one suite of test files with node:test and counts what happened: the innermost tests only, so that a test
 * whose parts were all skipped never counts as passed. Prints failures in full as they come.
 */
import path from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { root } from './_setup.mjs';

/** Enough of what a failing file printed to see why. */
const OUTPUT_TAIL = 6000;
/** A file that takes longer is named: the whole run has fifteen minutes on two cores. */
const SLOW_MS = 10_000;

/**
 * @param {{name: string, files: string[], concurrency: number, timeout: number, pattern?: string}} suite
 * @param {(text: string) => void} print
 */
export async function runSuite({ name, files, concurrency, timeout, pattern }, print) {
  const started = Date.now();
  const tally = new Tally(name, print);
  const events = run({
    files,
    concurrency,
    timeout,
    ...(pattern ? { testNamePatterns: [pattern] } : {}),
    execArgv: ['--disable-warning=ExperimentalWarning'], // node:sqlite says so in every process
  });
  for await (const event of events) tally.take(event);
  if (!pattern) tally.close();
  return { ...tally.result(), name, files: files.length, ms: Date.now() - started };
}

class Tally {
  #name;
  #print;
  #passed = 0;
  #failed = [];
  #failedFiles = new Set();
  #skipped = new Map();
  /** file → depths at which a test has ended since its parent began: how a parent is told from a test. */
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
    if (type === 'test:summary' && data.file)
      this.#slow.push({ file: path.relative(root, data.file), ms: data.duration_ms });
  }

  /** Files that were given and of which nothing was heard are no success. */
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
      slow: this.#slow.filter(({ ms }) => ms > SLOW_MS).sort((a, b) => b.ms - a.ms),
    };
  }

  #count(type, data) {
    const hasParts = this.#closeLevel(data.file ?? data.name, data.nesting);
    const reason = data.skip ?? data.todo;
    if (reason !== undefined) return this.#skip(reason);
    if (type === 'test:pass' && (hasParts || data.details.type === 'suite')) return;
    if (type === 'test:pass' && data.name === data.file) return this.#fail(data, 'the file holds no test');
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

/** The stack holds message and difference; the compared values themselves, whole, would bury them. */
function describe(error) {
  if (typeof error?.stack !== 'string') return inspect(error);
  return error.cause === undefined ? error.stack : `${error.stack}\ncaused by: ${describe(error.cause)}`;
}

function indent(text) {
  return text.replaceAll(/^/gm, '  ');
}
