import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findProblems } from './layers.mjs';

const SOUND = {
  'package.json': '{ "version": "1.2.3" }',
  'package-lock.json': '{ "version": "1.2.3" }',
  'plugin/.claude-plugin/plugin.json': '{ "version": "1.2.3" }',
  '.claude-plugin/marketplace.json': '{ "plugins": [{ "version": "1.2.3" }] }',
  'plugin/hooks/hook.sh': 'version=1.2.3\n',
  'AGENTS.md': 'src/core, src/storage and src/hook',
  'src/core/index.ts': `export { id } from './id.ts';`,
  'src/core/id.ts': `import { createHash } from 'node:crypto';`,
  'src/storage/index.ts': `import { id } from '../core/index.ts';\nimport { line } from './_line.ts';`,
  'src/storage/_line.ts': 'export const line = 1;',
  'src/hook/main.ts': `import { id } from '../core/index.ts';`,
};

/** Not spelled out below: this file is checked too. */
function importing(specifier) {
  return `import { x } from '${specifier}';`;
}

function problemsOf(t, changes) {
  const root = mkdtempSync(path.join(tmpdir(), 'layers-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const files = { ...SOUND, ...changes };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return findProblems(root, { files: Object.keys(files) });
}

test('a sound tree has no findings', (t) => {
  assert.deepEqual(problemsOf(t, {}), []);
});

const FINDINGS = {
  'a back edge': [
    { 'src/core/id.ts': importing('../storage/index.ts') },
    'src/core/id.ts: imports storage, which is not above core in the list of layers',
  ],
  'a back edge by dynamic import': [
    { 'src/core/id.ts': `const later = () => import(${JSON.stringify('../storage/index.ts')});` },
    'src/core/id.ts: imports storage, which is not above core in the list of layers',
  ],
  'an import past the index of a folder': [
    { 'src/storage/index.ts': importing('../core/id.ts') },
    'src/storage/index.ts: imports ../core/id.ts; other folders are reached through their index.ts',
  ],
  'a second place that starts git': [
    { 'src/core/id.ts': `execFileSync('git', ['status']);` },
    'src/core/id.ts: starts git; only src/capture/git/git-process.ts may, because it keeps a repository from running programs',
  ],
  'an import of a private file': [
    { 'test/e2e/x.test.ts': importing('../../src/storage/_line.ts') },
    'test/e2e/x.test.ts: imports ../../src/storage/_line.ts, which is private to its folder',
  ],
  'a hook client with a dependency': [
    { 'src/hook/main.ts': importing('valibot') },
    'src/hook/main.ts: the hook client imports the package valibot',
  ],
  'a hook client that reaches for the journal': [
    { 'src/hook/main.ts': importing('../storage/index.ts') },
    'src/hook/main.ts: the hook client imports storage; it may use only core, files, privacy, config',
  ],
  'source that imports from outside src': [
    { 'src/core/id.ts': importing('../../test/support/mock-api.ts') },
    'src/core/id.ts: imports ../../test/support/mock-api.ts from outside src',
  ],
  'what no CommonJS bundle knows': [
    { 'src/core/id.ts': `export const here = import${'.'}meta.url;` },
    'src/core/id.ts: uses import.meta, which is empty in the bundles',
  ],
  'a folder the design does not know': [
    { 'src/helpers/index.ts': '', 'AGENTS.md': `${SOUND['AGENTS.md']} src/helpers` },
    'src/helpers/index.ts: src/helpers is not a folder of the design; add it to LAYERS',
  ],
  'a folder AGENTS.md leaves out': [
    { 'AGENTS.md': 'src/core and src/hook' },
    'AGENTS.md: does not mention src/storage',
  ],
  'a place AGENTS.md invents': [
    { 'AGENTS.md': `${SOUND['AGENTS.md']} and src/magic` },
    'AGENTS.md: names src/magic, which does not exist',
  ],
  'a test that a page for maintainers invents': [
    { 'docs/invariants.md': 'held by `test/none.test.ts`' },
    'docs/invariants.md: names test/none.test.ts, which does not exist',
  ],
  'versions that differ': [
    { 'plugin/hooks/hook.sh': 'version=1.2.2\n' },
    'plugin/hooks/hook.sh: says version 1.2.2, package.json says 1.2.3',
  ],
  'a registry host': [
    { 'docs/x.md': `from https://registry${'.'}example.org/tidemark` },
    'docs/x.md: names a registry host',
  ],
};

for (const [what, [changes, finding]] of Object.entries(FINDINGS)) {
  test(`${what} is found`, (t) => assert.deepEqual(problemsOf(t, changes), [finding]));
}
