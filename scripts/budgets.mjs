/**
 * Holds the size of the repository: a figure may stay above its budget only while it does not grow. The limit of each is
 * the larger of the budget and the figure of the last commit, so a budget is reached step by step and never lost again.
 * Part of `npm run check`. Compares the working tree with HEAD; a clean tree with the commit before it. Figures beside
 * `src` (tests, benchmarks, documents) are shown and not held: a test may be added without deleting another.
 *
 *   node scripts/budgets.mjs [--json] [--base <revision>]
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { IMPORT } from './layers.mjs';
import { isMain, root as ownRoot } from './_setup.mjs';

/** Lines of source, tests excluded, per row of the design. A row counts the folders of today and those they become. */
const ROWS = [
  { name: 'core, files, config', folders: ['core', 'files', 'config'], budget: 2600 },
  { name: 'privacy', folders: ['privacy'], budget: 4000 },
  { name: 'agents', folders: ['agents'], budget: 8800 },
  { name: 'store', folders: ['store', 'storage', 'database'], budget: 4600 },
  { name: 'models', folders: ['models'], budget: 1200 },
  { name: 'memory', folders: ['memory'], budget: 1400 },
  { name: 'notes', folders: ['notes', 'distill'], budget: 2500 },
  { name: 'recall', folders: ['recall'], budget: 4200 },
  { name: 'capture', folders: ['capture'], budget: 2800 },
  { name: 'exchange', folders: ['exchange'], budget: 4300 },
  { name: 'daemon', folders: ['daemon'], budget: 2600 },
  { name: 'install, http', folders: ['install', 'http'], budget: 1300 },
  { name: 'server', folders: ['server'], budget: 6900 },
  { name: 'hook, cli, mcp, hub', folders: ['hook', 'cli', 'mcp', 'hub'], budget: 6800 },
];
const FILES = 330;
const FILES_PER_FOLDER = 25;
const TEST_LINES = 45_000;
const BESIDE = { bench: 7000, web: 7000, scripts: 3000 };
const WORDS_OF_DOCUMENTS = 25_000;
const FILES_OF_TRAINING_DATA = 10;

const CODE = /\.(?:ts|tsx|mjs)$/;
const TEST = /\.test\.\w+$/;
/** Data and texts that others wrote. */
const NOT_OURS = /^(?:test\/(?:fixtures|corpus)|plugin\/sample|train\/data)\//;

/**
 * Measures a folder that holds the repository's files.
 * @param {string} root
 * @param {string[]} files paths below root
 * @returns {Promise<Record<string, {now: number, budget: number, isHeld: boolean}>>}
 */
export async function measure(root, files) {
  const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');
  const linesOf = (list) => list.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
  const code = files.filter((file) => CODE.test(file) && !NOT_OURS.test(file));
  const source = code.filter((file) => file.startsWith('src/') && file.endsWith('.ts') && !TEST.test(file));
  const documents = files.filter((file) => file.endsWith('.md') && !NOT_OURS.test(file));
  const figures = {};
  const set = (name, now, budget) => (figures[name] = { now, budget, isHeld: true });
  const show = (name, now, budget) => (figures[name] = { now, budget, isHeld: false });
  for (const { name, folders, budget } of ROWS)
    set(`lines of ${name}`, linesOf(source.filter((file) => folders.includes(file.split('/')[1]))), budget);
  set('lines of src', linesOf(source), 54_000);
  set('files of src', source.length, FILES);
  show(
    'lines of tests',
    linesOf(code.filter((file) => TEST.test(file) || file.startsWith('test/'))),
    TEST_LINES,
  );
  for (const [folder, budget] of Object.entries(BESIDE))
    show(
      `lines of ${folder}`,
      linesOf(code.filter((file) => file.startsWith(`${folder}/`) && !TEST.test(file))),
      budget,
    );
  show(
    'words of documents',
    documents.reduce((sum, file) => sum + (read(file).match(/\S+/g)?.length ?? 0), 0),
    WORDS_OF_DOCUMENTS,
  );
  show(
    'files of training data',
    files.filter((file) => file.startsWith('train/data/')).length,
    FILES_OF_TRAINING_DATA,
  );
  for (const [folder, { length }] of Map.groupBy(source, (file) => path.posix.dirname(file)))
    if (length > FILES_PER_FOLDER) set(`files in ${folder}`, length, FILES_PER_FOLDER);
  set('file cycles', countCycles(source, read), 0);
  set('regular expressions', await countRegularExpressions(root, source), 0);
  return figures;
}

/**
 * @param {Record<string, {now: number, budget: number, isHeld: boolean}>} figures
 * @param {Record<string, {now: number}>} last
 * @returns {string[]} one line per figure above its limit
 */
export function findOverruns(figures, last) {
  return Object.entries(figures)
    .filter(([name, { now, budget, isHeld }]) => isHeld && now > Math.max(budget, last[name]?.now ?? 0))
    .map(([name, { now, budget }]) => {
      const before = last[name] ? `, ${last[name].now} at the last commit` : '';
      return `${name}: ${now}; the budget is ${budget}${before}. Delete as much as you add.`;
    });
}

/** Counts groups of files that import each other, types included. */
function countCycles(source, read) {
  const known = new Set(source);
  const imports = new Map(
    source.map((file) => {
      const named = [...read(file).matchAll(IMPORT)].map(([, specifier]) => specifier);
      const targets = named.map((specifier) => path.posix.join(path.posix.dirname(file), specifier));
      return [file, targets.filter((target) => known.has(target))];
    }),
  );
  // Tarjan: a group of more than one file that reach each other is a cycle.
  const [order, low, open, stack] = [new Map(), new Map(), new Set(), []];
  let cycles = 0;
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    open.add(file);
    stack.push(file);
    for (const next of imports.get(file)) {
      if (!order.has(next)) visit(next);
      if (open.has(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    for (const member of group) open.delete(member);
    if (group.length > 1) cycles += 1;
  };
  for (const file of source) if (!order.has(file)) visit(file);
  return cycles;
}

/** Counts literals and calls of RegExp in the syntax tree. */
async function countRegularExpressions(root, source) {
  if (source.length === 0) return 0;
  const [{ API }, { SyntaxKind }] = await Promise.all([
    import('typescript/unstable/sync'),
    import('typescript/unstable/ast'),
  ]);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tm-budgets-'));
  const config = path.join(folder, 'tsconfig.json');
  const compilerOptions = {
    noResolve: true,
    noLib: true,
    types: [],
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const names = source.map((file) => path.join(fs.realpathSync(root), file));
  fs.writeFileSync(config, JSON.stringify({ compilerOptions, files: names }));
  const api = new API({ cwd: folder });
  try {
    const { program } = api.updateSnapshot({ openProjects: [config] }).getProjects()[0];
    let count = 0;
    const visit = (node) => {
      const isCall = node.kind === SyntaxKind.NewExpression || node.kind === SyntaxKind.CallExpression;
      if (node.kind === SyntaxKind.RegularExpressionLiteral || (isCall && node.expression.text === 'RegExp'))
        count += 1;
      node.forEachChild(visit);
    };
    for (const name of names) visit(program.getSourceFile(name));
    return count;
  } finally {
    api.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the working tree. */
export function measureHere(root = ownRoot) {
  return measure(root, filesOf(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']));
}

/** Measures a commit from a copy of its files. Undefined where it is not known: outside of git, or in a shallow clone. */
async function measureCommit(root, revision) {
  if (!isKnown(root, revision)) return undefined;
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'tm-budgets-'));
  try {
    const archive = git(root, ['archive', revision], { maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', copy], { input: archive });
    return await measure(copy, filesOf(root, ['ls-tree', '-r', '-z', '--name-only', revision], copy));
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

function filesOf(root, args, at = root) {
  const names = git(root, args).toString().split('\0');
  return [...new Set(names)].filter((name) => name && fs.existsSync(path.join(at, name)));
}

function isKnown(root, revision) {
  try {
    git(root, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
    return true;
  } catch {
    return false;
  }
}

function git(root, args, options = {}) {
  return execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], ...options });
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, base: { type: 'string' } } });
  const isClean = git(ownRoot, ['status', '--porcelain']).length === 0;
  const figures = await measureHere();
  const last = await measureCommit(ownRoot, values.base ?? (isClean ? 'HEAD^' : 'HEAD'));
  const overruns = last ? findOverruns(figures, last) : [];
  if (values.json) console.log(JSON.stringify(figures, null, 1));
  else {
    for (const [name, { now, budget }] of Object.entries(figures))
      console.log(`${name.padEnd(32)} ${String(now).padStart(7)}  budget ${budget}`);
    if (!last) console.log('The last commit is not known here, so nothing was compared.');
  }
  for (const line of overruns) console.error(line);
  process.exitCode = overruns.length > 0 ? 1 : 0;
}
