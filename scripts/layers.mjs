/**
 * Holds the shape of the repository: imports run one way and only through a folder's index.ts, AGENTS.md is a true
 * map, versions agree, no registry is named. Reads only; prints what it finds.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root as ownRoot } from './_setup.mjs';

/** Later may import earlier, never the reverse. Names in one row do not import each other. */
const LAYERS = [
  ['core'],
  ['files'],
  ['privacy'],
  ['config'],
  ['agents'],
  ['storage'],
  ['database'],
  ['models'],
  ['memory'],
  ['distill'],
  ['recall'],
  ['capture'],
  ['exchange'],
  ['daemon'],
  ['install'],
  ['http'],
  ['server'],
  ['hook', 'cli', 'mcp', 'hub'],
];
/** The hook client stays tiny and free of dependencies: the agent waits for it. */
const HOOK_MAY_IMPORT = ['core', 'files', 'privacy', 'config'];
/** The part of another folder that the hook client may import: wires are pure. */
const HOOK_MAY_ALSO_IMPORT = 'src/agents/wire/index.ts';
/** The one file that starts git, and what starting it looks like: a call of node:child_process, or a shell command. */
const STARTS_GIT = 'src/capture/git/git-process.ts';
const GIT_PROCESS =
  /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|runInGroup|run)\(\s*['"`](?:\/usr\/bin\/)?git(?:\.exe)?(?:['"`]|\s)/;
const CODE = /\.(?:ts|tsx|mts|mjs|js)$/;
const TEST = /\.test\.\w+$/;
export const IMPORT = /(?:^|[^.\w])(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g;
/** The host of any registry: the lockfile and the docs name packages, not hosts. */
const REGISTRY = /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i;

/** Played input, made to look like the real thing. */
const PLANTED = /^test\/(?:corpus|fixtures)\/|\.test\.\w+$/;

/**
 * @param {string} root
 * @param {{files?: string[]}} [options] files: what is tracked
 * @returns {string[]} one line per finding
 */
export function findProblems(root, options = {}) {
  const files = options.files ?? trackedFiles(root);
  const code = files.filter((file) => CODE.test(file) && !file.startsWith('test/fixtures/'));
  return [
    ...code.flatMap((file) => importProblems(root, file)),
    ...mapProblems(root, files),
    ...['ARCHITECTURE.md', 'docs/invariants.md', 'docs/threat-model.md'].flatMap((file) =>
      untruePaths(root, file),
    ),
    ...versionProblems(root),
    ...files.flatMap((file) => hostProblems(root, file)),
  ];
}

function importProblems(root, file) {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  const own = folderOf(file);
  const problems =
    own && rankOf(own) < 0 ? [`${file}: src/${own} is not a folder of the design; add it to LAYERS`] : [];
  if (own && !TEST.test(file) && /\bimport\.meta\b/.test(text)) {
    problems.push(`${file}: uses import.meta, which is empty in the bundles`);
  }
  if (own && !TEST.test(file) && file !== STARTS_GIT && GIT_PROCESS.test(text)) {
    problems.push(
      `${file}: starts git; only ${STARTS_GIT} may, because it keeps a repository from running programs`,
    );
  }
  for (const [, specifier] of text.matchAll(IMPORT)) {
    const problem = specifier.startsWith('.')
      ? relativeProblem(file, own, specifier)
      : packageProblem(file, own, specifier);
    if (problem) problems.push(`${file}: ${problem}`);
  }
  return problems;
}

function relativeProblem(file, own, specifier) {
  const target = path.posix.join(path.posix.dirname(file), specifier);
  const other = folderOf(target);
  if (
    path.posix.basename(target).startsWith('_') &&
    path.posix.dirname(target) !== path.posix.dirname(file)
  ) {
    return `imports ${specifier}, which is private to its folder`;
  }
  if (!other) {
    if (own && !TEST.test(file)) return `imports ${specifier} from outside src`;
    return undefined;
  }
  if (other === own) return undefined;
  // Helpers of the tests may use any module, as the tests beside the code do.
  if (file.startsWith('test/support/')) return undefined;
  if (!target.endsWith('/index.ts'))
    return `imports ${specifier}; other folders are reached through their index.ts`;
  // A test may use any folder: it often needs the whole program.
  if (!own || TEST.test(file)) return undefined;
  if (own === 'hook' && !HOOK_MAY_IMPORT.includes(other) && target !== HOOK_MAY_ALSO_IMPORT) {
    return `the hook client imports ${other}; it may use only ${HOOK_MAY_IMPORT.join(', ')}`;
  }
  return rankOf(other) < rankOf(own)
    ? undefined
    : `imports ${other}, which is not above ${own} in the list of layers`;
}

function packageProblem(file, own, specifier) {
  if (own !== 'hook' || TEST.test(file) || specifier.startsWith('node:')) return undefined;
  return `the hook client imports the package ${specifier}`;
}

/** AGENTS.md names every folder of src, and no folder or file that is not there. */
function mapProblems(root, files) {
  const map = readOr(path.join(root, 'AGENTS.md'), undefined);
  if (map === undefined) return ['AGENTS.md: missing'];
  const named = new Set(
    [...map.matchAll(/\b(?:src|scripts|test|bench|web|plugin|bin|docs)\/[\w./-]*\w/g)].map(([name]) => name),
  );
  const folders = new Set(files.map(folderOf).filter(Boolean));
  const unnamed = [...folders].filter((folder) => !named.has(`src/${folder}`));
  const built = 'plugin/dist';
  const untrue = [...named].filter((name) => name !== built && !fs.existsSync(path.join(root, name)));
  return [
    ...unnamed.map((folder) => `AGENTS.md: does not mention src/${folder}`),
    ...untrue.map((name) => `AGENTS.md: names ${name}, which does not exist`),
  ];
}

/** Every source file and test that a page for maintainers names exists. */
function untruePaths(root, file) {
  const text = readOr(path.join(root, file), '');
  const named = new Set(text.match(/\b(?:src|scripts|test|bench|web)\/[\w./-]+\.(?:ts|tsx|mjs)\b/g));
  return [...named]
    .filter((name) => !fs.existsSync(path.join(root, name)))
    .map((name) => `${file}: names ${name}, which does not exist`);
}

function versionProblems(root) {
  const at = (file, pattern) => pattern.exec(readOr(path.join(root, file), ''))?.[1];
  const expected = at('package.json', /"version":\s*"([^"]+)"/);
  const found = {
    'package-lock.json': at('package-lock.json', /"version":\s*"([^"]+)"/),
    'plugin/.claude-plugin/plugin.json': at('plugin/.claude-plugin/plugin.json', /"version":\s*"([^"]+)"/),
    '.claude-plugin/marketplace.json': at('.claude-plugin/marketplace.json', /"version":\s*"([^"]+)"/),
    'plugin/hooks/hook.sh': at('plugin/hooks/hook.sh', /\bversion=['"]?(\d[\w.-]*)/i),
  };
  return Object.entries(found)
    .filter(([, version]) => version !== expected)
    .map(([file, version]) => `${file}: says version ${version ?? 'nothing'}, package.json says ${expected}`);
}

function hostProblems(root, file) {
  const full = path.join(root, file);
  if (!fs.existsSync(full) || !fs.statSync(full).isFile()) return [];
  const text = fs.readFileSync(full, 'latin1');
  const problems = [];
  if (REGISTRY.test(text) && !PLANTED.test(file)) problems.push(`${file}: names a registry host`);
  if (path.posix.basename(file) === 'package-lock.json' && text.includes('"resolved": "http')) {
    problems.push(`${file}: holds download addresses; npm's omit-lockfile-registry-resolved leaves them out`);
  }
  return problems;
}

function folderOf(file) {
  return /^src\/([^/]+)\//.exec(file)?.[1];
}

function rankOf(folder) {
  return LAYERS.findIndex((row) => row.includes(folder));
}

function readOr(file, otherwise) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

/** Tracked, and new files not ignored: what the next commit could hold. */
function trackedFiles(root) {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  return [...new Set(list.toString().split('\0'))].filter(
    (file) => file && fs.existsSync(path.join(root, file)),
  );
}

if (isMain(import.meta.url)) {
  const problems = findProblems(ownRoot);
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
