/**
 * `npm run build`: one CommonJS file per program into plugin/dist, which is what ships. Does nothing when no input
 * changed; a file in use is replaced whole, never rewritten under its reader.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root, say, setUp } from './_setup.mjs';

const dist = path.join(root, 'plugin', 'dist');
const stamp = path.join(dist, '.built');

/** The hook client runs on any Node from 18 on; it is minified, because it is the only one that a user waits for. */
const PROGRAMS = [
  { entry: 'src/hook/main.ts', out: 'hook.cjs', target: 'node18', minify: true },
  { entry: 'src/hub/main.ts', out: 'daemon.cjs', target: 'node22.13', minify: false },
  { entry: 'src/daemon/workers/reader-thread.ts', out: 'reader.cjs', target: 'node22.13', minify: false },
  { entry: 'src/daemon/workers/writer-thread.ts', out: 'writer.cjs', target: 'node22.13', minify: false },
  { entry: 'src/exchange/sync/index.ts', out: 'sync.cjs', target: 'node22.13', minify: false },
  { entry: 'src/cli/main.ts', out: 'cli.cjs', target: 'node22.13', minify: false },
  { entry: 'src/models/main.ts', out: 'embedder.cjs', target: 'node22.13', minify: false },
  { entry: 'src/mcp/main.ts', out: 'mcp.cjs', target: 'node22.13', minify: false },
  // Loaded by other programs, which must never exit because of us.
  { entry: 'src/mcp/in-process.ts', out: 'tools.cjs', target: 'node22.13', minify: false, isLoaded: true },
  {
    entry: 'src/agents/pi/extension/main.ts',
    out: 'pi.cjs',
    target: 'node22.13',
    minify: false,
    isLoaded: true,
  },
  {
    entry: 'src/agents/opencode/plugin/main.ts',
    out: 'opencode.cjs',
    target: 'node22.13',
    minify: false,
    isLoaded: true,
  },
  { entry: 'src/server/main.ts', out: 'server.cjs', target: 'node22.13', minify: false },
];
/** Ahead of everything a program loads, in words any Node understands: node:sqlite would end an older one in a trace. */
const NODE_GUARD = `"use strict";
(function () {
  var version = process.versions.node.split('.');
  if (+version[0] > 22 || (+version[0] === 22 && +version[1] >= 13)) return;
  console.error('tidemark: Node ' + process.versions.node + ' is too old; Tidemark needs 22.13 or newer.\\n  Install a newer Node and try again.');
  process.exit(1);
})();`;
/** Files that the embedder loads at run time, copied unchanged: [package, file]. */
const COPIES = [
  ['onnxruntime-web', 'ort.wasm.bundle.min.mjs'],
  ['onnxruntime-web', 'ort-wasm-simd-threaded.wasm'],
];
/** For packages that name their licence and do not bring its text. */
const NOTICES = {
  'onnxruntime-web': fs
    .readFileSync(path.join(root, 'LICENSE'), 'utf8')
    .replace(/^Copyright.*$/m, 'Copyright (c) Microsoft Corporation'),
};
const INPUTS = ['src', 'web', 'package.json', 'package-lock.json', 'scripts/build.mjs'];

/**
 * Builds every program it can before it complains of the others.
 * @returns {Promise<boolean>} whether anything was built
 */
export async function build() {
  const wanted = hashOfInputs();
  if (isUpToDate(wanted)) return false;
  const started = Date.now();
  const programs = PROGRAMS.filter(({ entry }) => fs.existsSync(path.join(root, entry)));
  const outcomes = await withEsbuild((esbuild) =>
    Promise.allSettled([...programs.map((program) => bundle(esbuild, program)), bundleHub(esbuild)]),
  );
  const broken = outcomes.filter(({ status }) => status === 'rejected');
  if (broken.length > 0) throw new Error(broken.map(({ reason }) => reason.message).join('\n'));
  for (const [name, file] of COPIES) {
    replace(path.join('embed', file), fs.readFileSync(path.join(root, 'node_modules', name, 'dist', file)));
  }
  replace('LICENSES.txt', licensesOf(outcomes.flatMap(({ value }) => value)));
  replace('.built', JSON.stringify({ inputs: wanted, outputs: programs.map(({ out }) => out) }));
  say(`built ${programs.map(({ out }) => out).join(', ')} in ${Date.now() - started} ms`);
  return true;
}

/** esbuild works in a process of its own, which would run as long as this one: with `npm start`, for hours. */
export async function withEsbuild(work) {
  const esbuild = await import('esbuild');
  try {
    return await work(esbuild);
  } finally {
    await esbuild.stop();
  }
}

/** For a command line: what is wrong with the source, without a stack trace of the builder. */
export async function buildOrLeave() {
  try {
    await build();
  } catch (error) {
    say(error.message);
    process.exit(1);
  }
}

async function bundle(esbuild, { entry, out, target, minify, isLoaded = false }) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: path.join(dist, out),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target,
    minify,
    define: { __TIDEMARK_VERSION__: JSON.stringify(version) },
    ...(target === 'node18' || isLoaded ? {} : { banner: { js: NODE_GUARD } }),
    legalComments: 'none', // LICENSES.txt carries them whole
    logLevel: 'silent', // the thrown error tells
    metafile: true,
    write: false,
  });
  for (const file of result.outputFiles) replace(path.relative(dist, file.path), inAscii(file.text));
  return result;
}

/**
 * V8 keeps the source of a program in every thread that runs it, with two bytes per character unless all are ASCII.
 * esbuild escapes strings but neither regular expressions nor String.raw, which here only ever becomes one.
 */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The hub's page: index.html and web/public as they are, main.ts(x) with its styles bundled for browsers. */
async function bundleHub(esbuild) {
  const web = path.join(root, 'web');
  if (!fs.existsSync(path.join(web, 'index.html'))) return [];
  replace('hub/index.html', fs.readFileSync(path.join(web, 'index.html')));
  for (const file of filesIn(path.join(web, 'public'))) {
    replace(path.join('hub', path.relative(path.join(web, 'public'), file)), fs.readFileSync(file));
  }
  const entry = ['main.tsx', 'main.ts']
    .map((name) => path.join(web, name))
    .find((file) => fs.existsSync(file));
  if (!entry) return [];
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: path.join(dist, 'hub'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent', // the thrown error tells
    metafile: true,
    write: false,
  });
  for (const file of result.outputFiles) replace(path.relative(dist, file.path), file.contents);
  return [result];
}

/** The licences of everything bundled: they ask to travel with the code. */
function licensesOf(results) {
  const inputs = results.flatMap((result) => Object.keys(result.metafile.inputs));
  const names = new Set([
    ...COPIES.map(([name]) => name),
    ...inputs.map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(Boolean),
  ]);
  const texts = [...names].sort().map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const { version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? fs.readFileSync(path.join(folder, file), 'utf8') : (NOTICES[name] ?? '');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return texts.join('\n----\n\n');
}

function hashOfInputs() {
  const hash = createHash('sha256').update(process.versions.node);
  for (const input of INPUTS) {
    for (const file of filesIn(path.join(root, input)).sort()) {
      if (/\.test\.\w+$/.test(file)) continue;
      hash.update(`\0${path.relative(root, file)}\0`).update(fs.readFileSync(file));
    }
  }
  return hash.digest('hex');
}

function isUpToDate(wanted) {
  try {
    const { inputs, outputs } = JSON.parse(fs.readFileSync(stamp, 'utf8'));
    return inputs === wanted && outputs.every((out) => fs.existsSync(path.join(dist, out)));
  } catch {
    return false;
  }
}

function filesIn(place) {
  if (!fs.existsSync(place)) return [];
  if (fs.statSync(place).isFile()) return [place];
  const entries = fs.readdirSync(place, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

function replace(name, contents) {
  const file = path.join(dist, name);
  const fresh = `${file}.${process.pid}.new`;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(fresh, contents);
  fs.renameSync(fresh, file);
}

if (isMain(import.meta.url)) {
  await setUp();
  await buildOrLeave();
}
