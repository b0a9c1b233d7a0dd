import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './_setup.mjs';
import { withTable } from './config-doc.mjs';

test('docs/config.md lists every setting as it is; run: node scripts/config-doc.mjs', () => {
  const text = readFileSync(join(root, 'docs', 'config.md'), 'utf8');
  assert.equal(text, withTable(text));
});
