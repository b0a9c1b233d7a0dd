/**
 * Set-up without a step before it: installs what the lockfile names, then runs the script again on the Node that
 * came with it. Plain JavaScript for Node 18 and nothing installed; it never writes outside the clone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './_lock.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const OLDEST_TO_SET_UP = [18, 0];
const OLDEST_TO_RUN = [22, 13]; // engines in package.json: node:sqlite without a flag
const NPM_LINES = 12;
const modules = path.join(root, 'node_modules');
const bin = path.join(modules, '.bin');
/** The real file rather than .bin/node, which is a shim on Windows. */
const ownNode = path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
/** CI names another Node here, to test on it. */
const wantedNode = process.env.TIDEMARK_TEST_NODE || ownNode;
const marker = path.join(modules, '.tidemark-installed');

/** Returns in a process that runs on our Node (or TIDEMARK_TEST_NODE) with everything installed; the first process only waits for that one. */
export async function setUp() {
  if (!isAtLeast(process.versions.node, OLDEST_TO_SET_UP)) {
    fail(
      `Node ${process.versions.node} is too old to set Tidemark up.`,
      'Install Node 22 or newer and run the command again.',
    );
  }
  const installed = await ensureInstalled();
  const folders = wantedNode === ownNode ? [bin] : [path.dirname(wantedNode), bin];
  process.env.PATH = [...folders, process.env.PATH].filter(Boolean).join(path.delimiter);
  if (!installed && isSameFile(process.execPath, wantedNode)) return;
  if (fs.existsSync(wantedNode)) process.exit(await runAgain());
  if (isAtLeast(process.versions.node, OLDEST_TO_RUN)) return;
  fail(
    `Node ${process.versions.node} is too old to run Tidemark, and the npm package "node" brought no newer one here.`,
    'Install Node 22.13 or newer and run the command again.',
  );
}

/** Whether the module was started as the program, rather than imported. */
export function isMain(url) {
  return Boolean(process.argv[1]) && isSameFile(process.argv[1], fileURLToPath(url));
}

/** A line for the person at the terminal; stdout stays free for data. */
export function say(text) {
  process.stderr.write(`tidemark: ${text}\n`);
}

/** Runs a command to its end with its output kept; `output` has no host names in it. */
export async function runQuietly(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code ?? 1));
    child.on('close', (exit) => resolve(exit ?? 1));
  });
  return { code, output: output.replace(/\b(https?:\/\/)[^\s/"')]+/g, '$1…') };
}

/** npm as the user has it, never the Node inside node_modules: `npm ci` deletes that while it runs. */
export function npmEnvironment() {
  const outside = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes(`node_modules${path.sep}.bin`));
  return { ...process.env, PATH: outside.join(path.delimiter), NODE_ENV: '' };
}

/** @returns {Promise<boolean>} whether anything was installed just now */
async function ensureInstalled() {
  const wanted = wantedHash();
  if (isMarked(wanted)) return false;
  const waiting = (pid) => say(`another set-up is at work (process ${pid}), waiting for it…`);
  return withLock(path.join(root, '.tmp', 'setup.lock'), () => install(wanted), waiting);
}

async function install(wanted) {
  if (isMarked(wanted)) return true;
  if (!agreesWithLockfile()) {
    say('installing what package-lock.json names (once, about 10 seconds)…');
    const flags = [
      'ci',
      '--include=dev',
      '--ignore-scripts=false',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    const started = Date.now();
    const { code, output } = await runQuietly('npm', flags, {
      cwd: root,
      env: npmEnvironment(),
      shell: process.platform === 'win32', // npm is a .cmd file there
    });
    if (code === 'ENOENT') {
      fail('npm was not found on the PATH.', 'Install Node with npm and run the command again.');
    }
    if (code !== 0) {
      const hint = 'See above; without a network nothing can be installed.';
      fail(`npm ci failed (exit ${code}):\n${firstLines(output)}`, hint);
    }
    say(`installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
  fs.writeFileSync(marker, wanted);
  return true;
}

/** Whether the installed packages match the lockfile. Such an install is kept: another process may be using its tools. */
function agreesWithLockfile() {
  try {
    const wanted = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(fs.readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages;
    const agrees = Object.entries(wanted).every(
      ([name, entry]) =>
        name === '' || (entry.optional && !present[name]) || present[name]?.version === entry.version,
    );
    return agrees && spawnSync(ownNode, ['--version']).status === 0;
  } catch {
    return false;
  }
}

/** npm puts the reason first and a page of usage behind it. */
function firstLines(output) {
  return output.trim().split('\n').slice(0, NPM_LINES).join('\n');
}

function wantedHash() {
  const hash = createHash('sha256').update(fs.readFileSync(path.join(root, 'package-lock.json')));
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

function isMarked(wanted) {
  try {
    return fs.readFileSync(marker, 'utf8') === wanted && fs.existsSync(ownNode);
  } catch {
    return false;
  }
}

/**
 * Runs this script again on the wanted Node. A signal sent to this process alone is passed on, but only once: Ctrl-C
 * reaches the whole group, npm repeats it, and a repeated one would kill a child that is already exiting.
 */
async function runAgain() {
  const child = spawn(wantedNode, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  let isPassedOn = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!isPassedOn) child.kill(signal);
      isPassedOn = true;
    });
  }
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (...end) => resolve(end));
  });
  if (!signal) return code;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  return 1;
}

function isAtLeast(version, [major, minor]) {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function isSameFile(a, b) {
  try {
    return fs.realpathSync(a) === fs.realpathSync(b);
  } catch {
    return false;
  }
}

/** @returns {never} */
function fail(what, hint) {
  say(what);
  say(hint);
  process.exit(1);
}
