import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findOverruns, measure } from './budgets.mjs';

async function measured(t, files) {
  const root = mkdtempSync(path.join(tmpdir(), 'budgets-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return measure(root, Object.keys(files));
}

test('lines count by row, and tests apart', async (t) => {
  const figures = await measured(t, {
    'src/core/a.ts': 'export const a = 1;\n\n',
    'src/files/b.ts': 'export const b = 1;\n',
    'src/core/a.test.ts': '1;\n',
    'test/hook/c.test.ts': '1;\n2;\n',
    'docs/page.md': 'three plain words\n',
  });
  assert.equal(figures['lines of core, files, config'].now, 3);
  assert.equal(figures['files of src'].now, 2);
  assert.equal(figures['lines of tests'].now, 3);
  assert.equal(figures['words of documents'].now, 3);
});

test('files that import each other are one cycle, types included', async (t) => {
  const figures = await measured(t, {
    'src/core/a.ts': `import { b } from './b.ts';\nexport type A = typeof b;\n`,
    'src/core/b.ts': `import type { A } from './a.ts';\nexport const b: A | 1 = 1;\n`,
    'src/core/c.ts': `import { b } from './b.ts';\nexport const c = b;\n`,
  });
  assert.equal(figures['file cycles'].now, 1);
});

test('regular expressions count as literals and as calls, not in text', async (t) => {
  const figures = await measured(t, {
    'src/core/a.ts': "export const a = [/x/u, new RegExp('y'), '/z/', 4 / 2 / 1]; // /no/\n",
  });
  assert.equal(figures['regular expressions'].now, 2);
});

const held = (now) => ({ lines: { now, budget: 10, isHeld: true } });

test('a figure above its budget may stay, but not grow', () => {
  assert.deepEqual(findOverruns(held(12), held(12)), []);
  assert.deepEqual(findOverruns(held(13), held(12)), [
    'lines: 13; the budget is 10, 12 at the last commit. Delete as much as you add.',
  ]);
});

test('a figure below its budget may grow up to it', () => {
  assert.deepEqual(findOverruns(held(10), held(4)), []);
  assert.equal(findOverruns(held(11), held(4)).length, 1);
});

test('a figure that is only shown may grow', () => {
  assert.deepEqual(findOverruns({ lines: { now: 13, budget: 10, isHeld: false } }, held(12)), []);
});
