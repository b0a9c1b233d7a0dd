/**
 * `npm test`: set up, check, build, then the files of every suite, four processes at a time. The last line is
 * `N passed, N failed`, with `, N skipped` when tests were skipped. Each run has a HOME and a temp folder of its own and
 * leaves neither files nor processes behind. A test that fails and then passes alone is listed as unstable; in CI (`CI` is
 * set) it fails the run.
 *
 *   npm test -- [--only check|unit|pgvector|<folder of test/>,…] [--long] [--name <pattern>] [part of a file's path …]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, say, setUp } from './_setup.mjs';

await setUp();
const { build } = await import('./build.mjs');
const { check } = await import('./check.mjs');
const { runQueue } = await import('../test/support/queue.ts');
const { Suite } = await import('./_suite.mjs');
const { endAll, processesWith } = await import('../test/support/left-behind.ts');
const { writeLongReport } = await import('./_long-report.mjs');
const { prepareParts } = await import('./_parts.mjs');

/**
 * Processes with test files at a time. Most files wait more than they compute (the hook's: 13 seconds of CPU in 36), so four
 * keep two cores busy. More starve tests that wait for a real client or a browser.
 */
const SLOTS = 4;
/**
 * The order of the suites: first the ones that say most about a broken change, then those with the longest files, last
 * those with short ones, so that no slot idles at the end while another runs a long file. Others come before the last.
 */
const FIRST = ['hook', 'unit', 'e2e', 'agents', 'sync', 'daemon', 'server', 'hub'];
const LAST = ['cli', 'import', 'mcp'];
/** A test that takes longer hangs. */
const TEST_TIMEOUT_MS = { short: 8 * 60_000, long: 3 * 60 * 60_000 };
/** At most so many failed files of a suite with real processes are run once more, alone. */
const SECOND_TRIES = 2;
/** Time for a process that was asked to stop. */
const GRACE_MS = 3000;
/**
 * Suites of the long run, and of a run that names them: other clients than Claude Code, and the server's tests on pgvector.
 * `npm test` plays their hooks and reads their transcripts from fixtures.
 */
const LONG_SUITES = new Set(['agents', 'pgvector']);
/** The files of the server that the suite `pgvector` runs a second time, on a PostgreSQL with pgvector. */
const ON_PGVECTOR =
  /^test\/server\/(?:access|api|backup|cluster|crash|evermem|hub|isolation|private-projects|privileges|recall|store|upgrade|vector-search)\.test\.ts$/;
/** Folders of test/ that are no suites. */
const NO_SUITES = new Set(['support', 'fixtures']);

const { values: options, positionals: filters } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    long: { type: 'boolean', default: false },
    name: { type: 'string' },
  },
  allowPositionals: true,
});
const only = (options.only ?? []).flatMap((names) => names.split(','));
const isWanted = (name) => only.length === 0 || only.includes(name);
const print = (text) => console.log(text);

const started = Date.now();
const run = fs.mkdtempSync(path.join(os.tmpdir(), 'tm-'));
const results = [];
process.on('exit', () => fs.rmSync(run, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    endAll(ownProcesses());
    process.exit(1);
  });
}

const suites = findSuites().filter(({ name, files }) => isWanted(name) && files.length > 0);
const unknown = only.filter((name) => name !== 'check' && !findSuites().some((suite) => suite.name === name));
if (unknown.length > 0) say(`no such suite: ${unknown.join(', ')}`);
const names = suites.map(({ name }) => name);
const [isBuilt] = await Promise.all([checkAndBuild(), prepareParts(names, say, { long: options.long })]);
isolate();
await runSuites();
if (suites.length > 0) report(await leftBehind());
finish();

async function checkAndBuild() {
  const began = Date.now();
  const needsBuild = only.length === 0 || names.some((name) => name !== 'unit');
  const [outcomes, built] = await Promise.all([
    isWanted('check') && filters.length === 0 ? check() : [],
    needsBuild ? tryBuild() : undefined,
  ]);
  const all = built ? [...outcomes, built] : outcomes;
  if (all.length > 0) report(suiteOf('check', all, Date.now() - began));
  return built?.ok ?? true;
}

async function tryBuild() {
  try {
    await build();
    return { name: 'build', ok: true, output: '' };
  } catch (error) {
    return { name: 'build', ok: false, output: error.message };
  }
}

/** Runs the files of all suites through one queue, then the failed ones again, each alone. */
async function runSuites() {
  const runnable = suites.filter(({ name }) => isBuilt || name === 'unit');
  for (const suite of suites) if (!runnable.includes(suite)) report(notRun(suite));
  const runs = new Map(
    runnable.map(({ name, files }) => [name, { suite: newSuite(name), left: files.length }]),
  );
  const jobs = runnable.flatMap(({ name, files }) => groups(name, files).map((group) => ({ name, group })));
  const toTryAgain = [];
  await runQueue(jobs, SLOTS, async ({ name, group }) => {
    const one = runs.get(name);
    await one.suite.run(group);
    one.left -= group.length;
    if (one.left > 0) return;
    const result = one.suite.result();
    if (mayTryAgain(result)) toTryAgain.push(result);
    else report(result);
  });
  for (const result of toTryAgain) report(await tryAgain(result));
}

/**
 * The files that share a process: the unit tests of a folder of src, or of another folder at the top. A file that starts
 * processes, a client or a browser has a process of its own, so that two of them run side by side.
 */
function groups(name, files) {
  if (name !== 'unit' || options.name) return files.map((file) => [file]);
  const folder = (file) => /^(?:src.)?[^/\\]+/.exec(path.relative(root, file))[0];
  return Object.values(Object.groupBy(files, folder));
}

function newSuite(name) {
  const timeout = TEST_TIMEOUT_MS[options.long ? 'long' : 'short'];
  const argv = name === 'pgvector' ? ['--pgvector'] : [];
  return new Suite({ name, timeout, pattern: options.name, argv }, print);
}

function notRun({ name, files: { length } }) {
  const reasons = new Map([['the build failed', length]]);
  return { ...suiteOf(name, [], 0), files: length, skipped: length, reasons };
}

/** The long run and the unit tests, which start no process, have no second try. */
function mayTryAgain({ name, failedFiles }) {
  return !options.long && name !== 'unit' && failedFiles.length > 0 && failedFiles.length <= SECOND_TRIES;
}

/** Runs the failed files once more. In CI the tests that pass now still count as failed. */
async function tryAgain(result) {
  print(`again, alone: ${result.failedFiles.map((file) => path.relative(root, file)).join(', ')}`);
  const suite = newSuite(result.name);
  for (const file of result.failedFiles) await suite.run([file]);
  const again = suite.result();
  const ms = result.ms + again.ms;
  if (again.failed > 0) return { ...result, ms };
  const unstable = result.failures;
  if (process.env.CI) return { ...result, unstable, ms };
  return { ...result, passed: result.passed + result.failed, failed: 0, failures: [], unstable, ms };
}

/** No test may reach the developer's own home, memory or settings, even by mistake. */
function isolate() {
  for (const name of Object.keys(process.env)) {
    if (/^(TIDEMARK_(?!TEST_(?:PARTS|NODE)$)|CLAUDE|ANTHROPIC_)/.test(name)) delete process.env[name];
  }
  const home = path.join(run, 'home');
  const temp = path.join(run, 't');
  for (const folder of [home, temp]) fs.mkdirSync(folder, { mode: 0o700 });
  Object.assign(process.env, {
    HOME: home,
    TMPDIR: temp,
    ...(process.platform === 'win32' ? { USERPROFILE: home, TEMP: temp, TMP: temp } : {}),
    TIDEMARK_HOME: path.join(home, '.tidemark'),
    TIDEMARK_TEST_RUN: run,
    // Compiled code of the test files and of what they import: hundreds of processes load the same modules.
    NODE_COMPILE_CACHE: path.join(root, '.tmp', 'compile-cache'),
  });
  for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'])
    delete process.env[name];
  if (!options.long) return;
  process.env.TIDEMARK_TEST_LONG = '1';
  process.env.TIDEMARK_TEST_COUNTS = path.join(run, 'counts.jsonl');
}

function ownProcesses() {
  return processesWith('TIDEMARK_TEST_RUN', run);
}

/** Every process that a suite started must end with the suite, or very soon after. */
async function leftBehind() {
  const began = Date.now();
  let found = ownProcesses();
  while (found.length > 0 && Date.now() - began < GRACE_MS) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = ownProcesses();
  }
  endAll(found);
  const output = found.map(({ pid, command }) => `still running: ${command} (${pid})`).join('\n');
  const outcome = { name: 'no process is left behind', ok: found.length === 0, output };
  return suiteOf('left behind', [outcome], Date.now() - began);
}

function suiteOf(name, outcomes, ms) {
  const failures = outcomes.filter(({ ok }) => !ok);
  for (const failure of failures)
    print(`\nFAILED ${name}: ${failure.name}\n${failure.output.replaceAll(/^/gm, '  ')}\n`);
  return {
    name,
    files: 0,
    passed: outcomes.length - failures.length,
    failed: failures.length,
    skipped: 0,
    failures: failures.map((failure) => failure.name),
    reasons: new Map(),
    ms,
  };
}

function report(result) {
  results.push(result);
  const { name, ms, reasons } = result;
  print(
    `${result.failed > 0 ? 'FAILED' : 'ok    '} ${name.padEnd(12)} ${counts(result)} (${(ms / 1000).toFixed(1)} s)`,
  );
  for (const test of result.unstable ?? []) print(`       unstable: ${test}`);
  for (const { file, ms: taken } of result.slow ?? [])
    print(`       slow: ${file} (${(taken / 1000).toFixed(1)} s)`);
  for (const [reason, count] of reasons) print(`       skipped ${count}: ${reason}`);
}

function finish() {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const result of results) for (const key of Object.keys(total)) total[key] += result[key];
  const failures = results.flatMap(({ name, failures: names }) => names.map((test) => `  ${name}: ${test}`));
  if (failures.length > 0) print(`\nFailed:\n${failures.join('\n')}`);
  const unstable = results.flatMap(({ name, unstable: names = [] }) =>
    names.map((test) => `  ${name}: ${test}`),
  );
  if (unstable.length > 0)
    print(`\nUnstable: failed, then passed alone. Each is a bug to find:\n${unstable.join('\n')}`);
  const isWhole = only.length === 0 && filters.length === 0 && options.name === undefined;
  if (isWhole && !options.long) recordRun(total);
  if (isWhole && options.long)
    writeLongReport(root, results, Date.now() - started, counts(total), process.env.TIDEMARK_TEST_COUNTS);
  if (total.passed + total.failed + total.skipped === 0) print('nothing was run');
  print(counts(total));
  // A handle that a test left open must not keep the run alive after its last line.
  process.exit(total.failed > 0 || total.passed + total.skipped === 0 ? 1 : 0);
}

/** Keeps the seconds of the last whole run for `npm run score`. */
function recordRun(total) {
  const suites = results.map(({ name, ms }) => ({ name, seconds: Math.round(ms / 1000) }));
  const seconds = Math.round((Date.now() - started) / 1000);
  fs.mkdirSync(path.join(root, '.tmp'), { recursive: true });
  fs.writeFileSync(path.join(root, '.tmp', 'suite.json'), JSON.stringify({ seconds, ...total, suites }));
}

function counts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The tests beside the code, and one suite per folder of test/, in the order in which they run. */
function findSuites() {
  const folders = fs
    .readdirSync(path.join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_SUITES.has(entry.name))
    .map(({ name }) => name)
    .sort();
  const others = folders.filter((name) => !FIRST.includes(name) && !LAST.includes(name));
  const found = [...FIRST, ...others, ...LAST]
    .filter((name) => name === 'unit' || folders.includes(name))
    .map((name) => ({
      name,
      files:
        name === 'unit' ? testsIn('src', 'scripts', 'web', 'bench', 'test/support') : testsIn(`test/${name}`),
    }));
  const again = testsIn('test/server').filter((file) => ON_PGVECTOR.test(path.relative(root, file)));
  return [...found, { name: 'pgvector', files: again }].filter(
    ({ name }) => options.long || only.includes(name) || !LONG_SUITES.has(name),
  );
}

function testsIn(...folders) {
  return folders
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs.readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
    )
    .filter((file) => /\.test\.(?:ts|tsx|mjs)$/.test(file) && !file.includes('node_modules'))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort()
    .map((file) => path.join(root, file));
}
