/**
 * `npm test`: set up, check, build, then every suite; the last line is `N passed, N failed`, with `, N skipped` when
 * something was. Each run has a HOME and a temp folder of its own and leaves neither files nor processes behind. What fails
 * once and passes alone is named as unstable, never passed over in silence.
 *
 *   npm test -- [--only check|unit|<folder of test/>,…] [--long] [--name <pattern>] [part of a file's path …]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, say, setUp } from './_setup.mjs';

await setUp();
const { build } = await import('./build.mjs');
const { check } = await import('./check.mjs');
const { runSuite } = await import('./_suite.mjs');
const { endAll, processesWith } = await import('../test/support/left-behind.ts');
const { writeLongReport } = await import('./_long-report.mjs');
const { prepareParts } = await import('./_parts.mjs');

/** Files at a time. Hooks have budgets, browsers and whole sessions of the client are heavy: one, alone on the two cores. */
const CONCURRENCY = { unit: 2, cli: 2, daemon: 2, distill: 2, import: 2, server: 2 };
/** No file takes longer unless it hangs. */
const FILE_TIMEOUT_MS = { short: 8 * 60_000, long: 3 * 60 * 60_000 };
/** Files of a suite with real processes that may be tried once more, alone. More than that is no accident. */
const SECOND_TRIES = 2;
/** How long a process that was told to leave may take. */
const GRACE_MS = 3000;
/** Not suites. */
const BESIDE_SUITES = new Set(['support', 'fixtures']);

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
const isBuilt = await checkAndBuild();
await prepareParts(
  suites.map(({ name }) => name),
  say,
);
isolate();
for (const suite of suites) report(await runOrSkip(suite));
if (suites.length > 0) report(await leftBehind());
finish();

async function checkAndBuild() {
  const began = Date.now();
  const outcomes = isWanted('check') && filters.length === 0 ? await check() : [];
  const outcome =
    suites.every(({ name }) => name === 'unit') && only.length > 0 ? undefined : await tryBuild();
  if (outcome) outcomes.push(outcome);
  if (outcomes.length > 0) report(suiteOf('check', outcomes, Date.now() - began));
  return outcome?.ok ?? true;
}

async function tryBuild() {
  try {
    await build();
    return { name: 'build', ok: true, output: '' };
  } catch (error) {
    return { name: 'build', ok: false, output: error.message };
  }
}

async function runOrSkip(suite) {
  if (!isBuilt && suite.name !== 'unit') {
    const reasons = new Map([['the build failed', suite.files.length]]);
    return {
      name: suite.name,
      files: suite.files.length,
      passed: 0,
      failed: 0,
      skipped: suite.files.length,
      failures: [],
      reasons,
      ms: 0,
    };
  }
  const timeout = FILE_TIMEOUT_MS[options.long ? 'long' : 'short'];
  const concurrency = CONCURRENCY[suite.name] ?? 1;
  const result = await runSuite({ ...suite, concurrency, timeout, pattern: options.name }, print);
  return mayTryAgain(result) ? tryAgain(result, timeout) : result;
}

/** The long run and the tests without a process of their own have no excuse. */
function mayTryAgain({ name, failedFiles }) {
  return !options.long && name !== 'unit' && failedFiles.length > 0 && failedFiles.length <= SECOND_TRIES;
}

async function tryAgain(result, timeout) {
  const files = result.failedFiles;
  print(`again, alone: ${files.map((file) => path.relative(root, file)).join(', ')}`);
  const again = await runSuite(
    { name: result.name, files, concurrency: 1, timeout, pattern: options.name },
    print,
  );
  const ms = result.ms + again.ms;
  if (again.failed > 0) return { ...result, ms };
  const passed = result.passed + result.failed;
  return { ...result, passed, failed: 0, failures: [], unstable: result.failures, ms };
}

/** No test may reach the developer's own home, memory or settings, even by mistake. */
function isolate() {
  for (const name of Object.keys(process.env)) {
    if (/^(TIDEMARK_(?!TEST_PARTS)|CLAUDE|ANTHROPIC_)/.test(name)) delete process.env[name];
  }
  const home = path.join(run, 'home');
  const temp = path.join(run, 't');
  for (const folder of [home, temp]) fs.mkdirSync(folder, { mode: 0o700 });
  Object.assign(process.env, {
    HOME: home,
    TMPDIR: temp,
    TIDEMARK_HOME: path.join(home, '.tidemark'),
    TIDEMARK_TEST_RUN: run,
  });
  for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'])
    delete process.env[name];
  if (options.long) process.env.TIDEMARK_TEST_LONG = '1';
}

function ownProcesses() {
  return processesWith('TIDEMARK_TEST_RUN', run);
}

/** What a suite started must be gone when it ends, or very soon after. */
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
    print(`\nUnstable: failed, then passed alone. Each is a bug to be found:\n${unstable.join('\n')}`);
  if (options.long && only.length === 0 && filters.length === 0)
    writeLongReport(root, results, Date.now() - started, counts(total));
  if (total.passed + total.failed + total.skipped === 0) print('nothing was run');
  print(counts(total));
  // Nothing a test left open may keep the run alive after its last line.
  process.exit(total.failed > 0 || total.passed + total.skipped === 0 ? 1 : 0);
}

function counts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** unit: beside the code. The others: one folder of test/ each, the real client last because it is slowest. */
function findSuites() {
  const folders = fs.readdirSync(path.join(root, 'test'), { withFileTypes: true });
  const names = folders
    .filter((entry) => entry.isDirectory() && !BESIDE_SUITES.has(entry.name))
    .map(({ name }) => name);
  const order = ['hook', ...names.filter((name) => name !== 'hook' && name !== 'e2e').sort(), 'e2e'];
  return [
    { name: 'unit', files: testsIn('src', 'scripts', 'web', 'bench', 'test/support') },
    ...order.filter((name) => names.includes(name)).map((name) => ({ name, files: testsIn(`test/${name}`) })),
  ];
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
