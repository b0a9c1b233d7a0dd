import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const SUITE = path.join(import.meta.dirname, '_suite.mjs');
const IMPORT = "import { after, before, beforeEach, test } from 'node:test';\n";

test('files that share a process are counted apart, and hooks of a file run for its tests only', (t) => {
  const { result } = runTogether(t, {
    'a.mjs':
      "let seen = 0; beforeEach(() => (seen += 1)); test('a1', () => {}); test('a2', () => {}); globalThis.seenByA = () => seen; after(() => { delete globalThis.seenByA; });",
    'b.mjs':
      "test('b1', () => { if (globalThis.seenByA) throw new Error('seen'); }); test('b2', { skip: 'no part' }, () => {});",
  });
  const { passed, failed, reasons } = result;
  assert.deepEqual({ passed, failed, reasons }, { passed: 3, failed: 0, reasons: [['no part', 1]] });
});

test('a failure names its file and its test, with what was printed', (t) => {
  const { result, printed } = runTogether(t, {
    'a.mjs': "test('a1', () => {});",
    'b.mjs':
      "console.log('of this file'); test('b1', () => {}); test('b2', () => { throw new Error('wrong'); });",
    'c.mjs': "test('c1', () => {});",
  });
  assert.deepEqual([result.passed, result.failures], [3, ['b.mjs › b2']]);
  assert.deepEqual(result.failedFiles, ['b.mjs']);
  assert.match(printed, /wrong/);
  assert.match(printed, /of this file/);
});

test('a file fails if it cannot be loaded, has no test, or a hook of it fails, and the next ones run', (t) => {
  const { result } = runTogether(t, {
    'a.mjs': "import './nothing.mjs';",
    'b.mjs': '',
    'c.mjs': "before(() => { throw new Error('no'); }); test('c1', () => {});",
    'd.mjs': "test('d1', () => {});",
  });
  assert.equal(result.passed, 1);
  assert.deepEqual(result.failedFiles, ['a.mjs', 'b.mjs', 'c.mjs']);
});

test('a file fails that leaves the environment or a global changed, and the next one does not see it', (t) => {
  const { result, printed } = runTogether(t, {
    'a.mjs': "process.env.LEFT_BY_A = '1'; test('a1', () => {});",
    'b.mjs': "test('b1', () => { if (process.env.LEFT_BY_A) throw new Error('seen'); });",
  });
  assert.deepEqual([result.passed, result.failures], [2, ['a.mjs']]);
  assert.match(printed, /environment variable LEFT_BY_A/);
});

test('a file that ends or blocks its process fails by name, and the next ones run', (t) => {
  const { result } = runTogether(t, {
    'a.mjs': "test('a1', () => process.exit(0));",
    'b.mjs': "test('b1', () => { for (;;); });",
    'c.mjs': "test('c1', () => new Promise(() => setInterval(() => {}, 1000)));",
    'd.mjs': "test('d1', () => {});",
  });
  assert.equal(result.passed, 1);
  assert.deepEqual(result.failures, ['a.mjs', 'b.mjs', 'c.mjs › c1', 'c.mjs']);
});

/** Runs files as one group, in a process of its own: node:test cannot run files inside a test. */
function runTogether(t, files) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-suite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const paths = Object.entries(files).map(([name, source]) => {
    writeFileSync(path.join(folder, name), IMPORT + source);
    return path.join(folder, name);
  });
  writeFileSync(
    path.join(folder, 'run.mjs'),
    `const { Suite } = await import(${JSON.stringify(pathToFileURL(SUITE))});
     const times = { timeout: 2000, killAfter: 1000, endWithin: 1000 };
     const suite = new Suite({ name: 'sample', ...times }, (text) => console.log(text));
     await suite.run(${JSON.stringify(paths)});
     const { reasons, ...result } = suite.result();
     console.log('RESULT' + JSON.stringify({ ...result, reasons: [...reasons] }));
     process.exit();`,
  );
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'run.mjs')], {
    env,
    encoding: 'utf8',
  });
  const [printed, json] = stdout.split('RESULT');
  assert.ok(json, stderr);
  const result = JSON.parse(json.replaceAll(/"[^"]*[\\/]([a-d]\.mjs)/g, '"$1'));
  return { result, printed };
}
