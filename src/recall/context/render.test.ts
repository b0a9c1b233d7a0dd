import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memory } from '../../core/index.ts';
import { bullet } from './render.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
const line = (title: string, body: string): string => {
  const memory: Memory = {
    id: '1nfkr4y6nwfa4v',
    kind: 'preference',
    state: 'current',
    title,
    body,
    facts: [],
    concepts: [],
    files: [],
    project: 'shop-a1b2',
    at: NOW.toISOString(),
    provenance: { agent: 'claude-code', session: 's', turn: 't', messages: [], by: 'model' },
    evidence: 'said',
  };
  return bullet(memory, NOW, 80);
};

test('a body that begins with the title replaces it', () => {
  assert.equal(
    line('Always use pnpm here', 'We always use pnpm here. The lock file is its own.'),
    '- We always use pnpm here. The lock file is its own. (user, now, 6nwfa4v)',
  );
});

test('any other body follows the title', () => {
  assert.match(line('Use pnpm', 'The lock file is its own.'), /^- Use pnpm\. The lock file is its own\. \(/);
  assert.match(
    line('Use pnpm', 'The lock file of the other one breaks in every merge; use pnpm.'),
    /^- Use pnpm\. The lock file of the other/,
  );
});
