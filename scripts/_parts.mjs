/**
 * Finds the programs that tests need beside Node, and installs missing ones by package name where it can. For a part
 * that is still missing it records the reason, and the tests that need it are skipped. Claude Code and the other agents
 * go into a cache outside the clone, never into the user's own installation.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withLock } from './_lock.mjs';
import { postgresqlWithPgvector } from './_pgvector.mjs';
import { npmEnvironment, runQuietly } from './_setup.mjs';

/** The versions that a plain install gives on Node 22 and newer, and on Node 20. The older one is for the long run. */
const CLAUDE_CODE = { newer: 'claude-code-2.1.325', older: 'claude-code-2.1.197' };
/** Other agents, with their script for Node. */
const OTHER_AGENTS = {
  'copilot-1.0.102': { spec: '@github/copilot@1.0.102', file: '@github/copilot/npm-loader.js' },
  'codex-0.166.0': { spec: '@openai/codex@0.166.0', file: '@openai/codex/bin/codex.js' },
  'gemini-0.61.0': { spec: '@google/gemini-cli@0.61.0', file: '@google/gemini-cli/bundle/gemini.js' },
  'pi-0.87.1': {
    spec: '@earendil-works/pi-coding-agent@0.87.1',
    file: '@earendil-works/pi-coding-agent/dist/cli.js',
  },
  'qwen-code-0.24.4': { spec: '@qwen-code/qwen-code@0.24.4', file: '@qwen-code/qwen-code/cli-entry.js' },
};
/** A native program, in the optional package that npm chose for the platform. */
const OPENCODE = { name: 'opencode-1.18.33', spec: 'opencode-ai@1.18.33' };
/** The official client of the protocol, to test our MCP server with code that is not ours. */
const MCP_CLIENT = '@modelcontextprotocol/client@2.4.0';
/** The parts that each folder of test/ needs. */
const NEEDED_BY = {
  agents: [CLAUDE_CODE.newer, ...Object.keys(OTHER_AGENTS), OPENCODE.name, 'tmux'],
  e2e: [CLAUDE_CODE.newer, 'tmux'],
  hub: ['chromium'],
  mcp: ['mcp-client'],
  server: ['postgresql', 'pgvector', 'openssl', 'chromium', 'pgbouncer'],
  pgvector: ['postgresql', 'pgvector', 'openssl', 'chromium', 'pgbouncer'],
  sync: ['postgresql'],
  // Not a suite: npm run bench:server.
  bench: ['postgresql', 'pgvector', 'pgbouncer'],
};
const NEEDED_IN_LONG_RUN = { e2e: [CLAUDE_CODE.older] };

/**
 * Prepares the parts that the suites need and passes them to the tests in TIDEMARK_TEST_PARTS.
 * @param {string[]} suites
 * @param {(text: string) => void} say
 * @param {{long?: boolean}} [options] long: also the parts that only the long run needs
 */
export async function prepareParts(suites, say, { long = true } = {}) {
  const names = new Set(
    suites.flatMap((suite) => [
      ...(NEEDED_BY[suite] ?? []),
      ...(long ? (NEEDED_IN_LONG_RUN[suite] ?? []) : []),
    ]),
  );
  const parts = {};
  const full = long || suites.some((suite) => suite === 'pgvector' || suite === 'bench');
  for (const name of names) parts[name] = await prepare(name, say, name === 'pgvector' ? full : long);
  process.env.TIDEMARK_TEST_PARTS = JSON.stringify(parts);
}

/** @returns {Promise<{path: string} | {missing: string}>} */
async function prepare(name, say, long) {
  const version = /^claude-code-(.+)$/.exec(name)?.[1];
  if (version) return claudeCode(version, say);
  if (OTHER_AGENTS[name]) return otherAgent(name, say);
  if (name === OPENCODE.name) return openCode(say);
  switch (name) {
    case 'mcp-client':
      return packagePart(name, MCP_CLIENT, 'dist/index.mjs', say);
    case 'chromium':
      return debianPart('chromium', () => onPath('chromium', 'chromium-browser', 'google-chrome'), say);
    case 'pgbouncer':
      return debianPart('pgbouncer', () => onPath('pgbouncer', '/usr/sbin/pgbouncer'), say);
    case 'postgresql':
      return debianPart('postgresql', postgresqlFolder, say);
    case 'pgvector':
      return pgvector(say, long);
    default:
      return debianPart(name, () => onPath(name), say);
  }
}

async function claudeCode(version, say) {
  const works = (folder) => {
    const binary = claudeBinary(folder);
    const env = { HOME: folder, PATH: process.env.PATH };
    return binary && spawnSync(binary, ['--version'], { env }).status === 0;
  };
  // Its install script only links the native program into bin/; the program itself needs neither script nor Node.
  const flags = ['--engine-strict=false'];
  const part = { name: `claude-code-${version}`, spec: `@anthropic-ai/claude-code@${version}`, flags, works };
  const { folder, missing } = await cached(part, (at) => claudeBinary(at) !== undefined, say);
  return folder ? { path: claudeBinary(folder) } : { missing };
}

async function otherAgent(name, say) {
  const { spec, file } = OTHER_AGENTS[name];
  const script = (folder) => path.join(folder, 'node_modules', file);
  const works = (folder) => {
    const env = { HOME: folder, PATH: process.env.PATH };
    return spawnSync(process.execPath, [script(folder), '--version'], { env }).status === 0;
  };
  const part = { name, spec, flags: ['--engine-strict=false'], works };
  const { folder, missing } = await cached(part, (at) => fs.existsSync(script(at)), say);
  return folder ? { path: script(folder) } : { missing };
}

async function openCode(say) {
  const works = (folder) => {
    const env = { HOME: folder, PATH: process.env.PATH };
    return openCodePrograms(folder).find((file) => spawnSync(file, ['--version'], { env }).status === 0);
  };
  const part = { ...OPENCODE, flags: ['--engine-strict=false'], works };
  const { folder, missing } = await cached(part, (at) => openCodePrograms(at).length > 0, say);
  return folder ? { path: works(folder) } : { missing };
}

/** npm may choose several packages, of which an old processor can run only one. */
function openCodePrograms(folder) {
  const modules = path.join(folder, 'node_modules');
  return (fs.existsSync(modules) ? fs.readdirSync(modules).sort() : [])
    .flatMap((name) => ['opencode', 'opencode.exe'].map((file) => path.join(modules, name, 'bin', file)))
    .filter((file) => !file.includes('opencode-ai') && fs.existsSync(file));
}

/** Installs a package for the tests to import. The part is the folder with its node_modules. */
async function packagePart(label, spec, file, say) {
  const at = spec.lastIndexOf('@');
  const [name, version] = [spec.slice(0, at), spec.slice(at + 1)];
  const isThere = (folder) => fs.existsSync(path.join(folder, 'node_modules', name, file));
  const part = { name: `${label}-${version}`, spec, flags: [], works: isThere };
  const { folder, missing } = await cached(part, isThere, say);
  return folder ? { path: folder } : { missing };
}

/** A copy of PostgreSQL with pgvector. Only the long run, or a run that names it, builds one. */
async function pgvector(say, mayBuild) {
  const { path: bin, missing } = await debianPart('postgresql', postgresqlFolder, say);
  if (!bin) return { missing };
  return postgresqlWithPgvector(bin, { cache: cacheFolder(), mayBuild, install: aptInstall, say });
}

/** Installs a package into a folder of the cache once per machine. The folder appears when it is complete. */
async function cached(part, isThere, say) {
  const folder = path.join(cacheFolder(), part.name);
  const waiting = () => say(`${part.spec} is being installed by another run, waiting…`);
  return withLock(
    `${folder}.lock`,
    () => (isThere(folder) ? { folder } : install(part, folder, say)),
    waiting,
  );
}

function cacheFolder() {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'tidemark');
}

async function install({ spec, flags, works }, folder, say) {
  say(`installing ${spec} for the tests (once per machine)…`);
  const fresh = `${folder}.${process.pid}.new`;
  fs.mkdirSync(fresh, { recursive: true });
  fs.writeFileSync(path.join(fresh, 'package.json'), '{ "private": true }\n');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runQuietly('npm', ['install', ...quiet, ...flags, spec], {
    cwd: fresh,
    env: npmEnvironment(),
  });
  if (code !== 0 || !works(fresh)) {
    fs.rmSync(fresh, { recursive: true, force: true });
    return { missing: `${spec} could not be installed (${lastLine(output) || `npm exit ${code}`})` };
  }
  fs.rmSync(folder, { recursive: true, force: true });
  fs.renameSync(fresh, folder);
  return { folder };
}

/** Returns the native program for this platform, from the optional package that npm chose. */
function claudeBinary(folder) {
  const scope = path.join(folder, 'node_modules', '@anthropic-ai');
  if (!fs.existsSync(scope)) return undefined;
  return fs
    .readdirSync(scope)
    .flatMap((name) => ['claude', 'claude.exe'].map((file) => path.join(scope, name, file)))
    .find((file) => fs.existsSync(file));
}

async function debianPart(name, find, say) {
  const found = find();
  if (found) return { path: found };
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    return { missing: `${name} is not on this machine, and installing it takes root and apt-get` };
  }
  say(`installing ${name} for the tests (once per machine)…`);
  const output = await aptInstall(name);
  const installed = find();
  return installed
    ? { path: installed }
    : { missing: `${name} could not be installed (${lastLine(output)})` };
}

/** Fetches the package lists only if a first install without them fails. */
async function aptInstall(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '-q', '--no-install-recommends', name];
  const first = await runQuietly('apt-get', install, { env });
  if (first.code === 0) return first.output;
  await runQuietly('apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'update', '-q'], { env });
  return (await runQuietly('apt-get', install, { env })).output;
}

/** Returns the folder of the newest PostgreSQL. On Debian its programs are not on the PATH. */
function postgresqlFolder() {
  const base = '/usr/lib/postgresql';
  const versions = fs.existsSync(base) ? fs.readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const folder = versions
    .map((version) => path.join(base, version, 'bin'))
    .find((bin) => fs.existsSync(path.join(bin, 'initdb')));
  const initdb = folder ? undefined : onPath('initdb');
  return folder ?? (initdb && path.dirname(fs.realpathSync(initdb)));
}

function onPath(...names) {
  for (const name of names) {
    try {
      return execFileSync('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name], { encoding: 'utf8' }).trim();
    } catch {
      // not found: try the next name
    }
  }
  return undefined;
}

function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}
