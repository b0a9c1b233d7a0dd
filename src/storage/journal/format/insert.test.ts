import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  nastyHead,
  nastyMemory,
  nastyText,
  seeded,
  shuffled,
} from '../../../../test/support/nasty-memories.ts';
import type { Memory } from '../../../core/index.ts';
import type { SessionHead } from '../types.ts';
import { openDoc, renderDoc } from './document.ts';
import { dateOf } from './heading.ts';
import { putInto, type PutWork } from './insert.ts';
import { tidyHead, tidyMemory } from './normalise.ts';
import { parseDay } from './parse.ts';

const ROUNDS = process.env['TIDEMARK_TEST_LONG'] ? 1_000 : 60;
const context = { project: 'acme-api', date: '2026-11-15', file: 'acme-api/2026-11-15.md' };

function put(text: string | null, memories: readonly Memory[], heads: readonly SessionHead[] = []): string {
  const work: PutWork = { memories: memories.map((memory) => ({ memory, known: false })), heads };
  return putInto(text, work, context).text ?? '';
}

const memory: Memory = {
  id: '1nfkj80zqv09ef',
  project: 'acme-api',
  at: '2026-11-15T14:32:05.000Z',
  kind: 'decision',
  title: 'Refresh tokens rotate on every use',
  body: 'The store keeps only the newest.',
  reason: 'stolen tokens die at first reuse',
  facts: ['a fact', 'another'],
  concepts: ['auth'],
  files: ['src/auth/refresh.ts'],
  state: 'current',
  provenance: { agent: 'claude-code', session: 's1', turn: 't1', messages: ['m1', 'm2'], by: 'local' },
};
const head: SessionHead = {
  id: 's1',
  agent: 'claude-code',
  startedAt: '2026-11-15T14:30:00.000Z',
  title: 'Rotating refresh tokens',
};

test('a day file reads like a logbook', () => {
  const summary = {
    request: 'Rotate tokens',
    investigated: '',
    learned: '',
    completed: 'Done',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  };
  assert.equal(
    put(null, [memory], [{ ...head, status: 'completed', summary }]),
    `# 2026-11-15 · acme-api

## Session 14:30 · Rotating refresh tokens
<!-- tidemark session s1 agent=claude-code started=2026-11-15T14:30:00.000Z status=completed sum=8saah8cmgd -->
- Request: Rotate tokens
- Completed: Done

### 14:32 decision · Refresh tokens rotate on every use
<!-- tidemark 1nfkj80zqv09ef at=2026-11-15T14:32:05.000Z agent=claude-code session=s1 turn=t1 messages=m1,m2 by=local state=current sum=dmma6ywjpm -->
The store keeps only the newest.

Reason: stolen tokens die at first reuse

- a fact
- another

Files: \`src/auth/refresh.ts\`

Concepts: auth
`,
  );
});

test('any order of arrival gives the same file, and repeating it changes nothing', () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = seeded(seed);
    const heads = ['a', 'b', 'c', 'd'].map((id, n) =>
      tidyHead(
        nastyHead(random, id, `2026-11-${n === 0 ? 14 : 15}T0${Math.floor(random() * 10)}:00:00.000Z`),
      ),
    );
    const memories = Array.from({ length: 12 }, (_, n) =>
      tidyMemory({
        ...nastyMemory(random, ['', 'a', 'b', 'c', 'no head'][n % 5] ?? ''),
        project: context.project,
      }),
    );
    const steps = [
      ...memories.map((one) => ({
        memories: [one],
        heads: heads.filter(({ id }) => id === one.provenance.session),
      })),
      { memories: [], heads: heads.filter(({ startedAt }) => dateOf(startedAt) === context.date) },
    ];
    const inOrder =
      steps.reduce<string | null>((text, step) => put(text, step.memories, step.heads), null) ?? '';
    const mixed = shuffled(random, steps).reduce<string | null>(
      (text, step) => put(text, step.memories, step.heads),
      null,
    );
    assert.equal(mixed, inOrder, `seed ${seed}`);
    assert.equal(
      put(null, shuffled(random, memories), shuffled(random, heads)),
      inOrder,
      `seed ${seed}, at once`,
    );
    assert.equal(put(inOrder, memories, heads), inOrder);
    const found = parseDay(inOrder, context).entries.map((entry) => entry.memory);
    assert.deepEqual(found.sort(byId), memories.toSorted(byId));
  }
});

test('an entry is inserted into any file, and every line stays', () => {
  for (let seed = 1; seed <= ROUNDS * 10; seed++) {
    const random = seeded(seed);
    const lines = Array.from({ length: 4 }, () => nastyText(random, 12)).join('\n');
    const before = lines.replace(/^<{7}(?= |\r?$)/gm, '<'); // code in a later entry could complete half a conflict
    assert.equal(renderDoc(openDoc(before, context)), before, `seed ${seed}`);
    const wanted = tidyMemory({ ...nastyMemory(random, 's1'), at: memory.at });
    const after = put(before, [wanted], [head]);
    const found = parseDay(after, context).entries.find((entry) => entry.memory.id === wanted.id);
    assert.deepEqual(found?.memory, wanted, `seed ${seed}`);
    assert.equal(put(after, [wanted], [head]), after, `seed ${seed}`);
    const left = after.split(/\r?\n/).map((line) => line.trimEnd());
    let at = 0;
    for (const line of before.split(/\r?\n/)) {
      if (line.trim() === '' || line.startsWith('<!-- tidemark')) continue; // blank lines between parts and ids of copies may change
      at = left.indexOf(line.trimEnd(), at) + 1;
      assert.ok(at > 0, `seed ${seed} lost ${line}`);
    }
  }
});

function byId(a: Memory, b: Memory): number {
  return a.id < b.id ? -1 : 1;
}

test('a tidied entry contains no control characters, also not those above 127', () => {
  const odd = { title: 'Use\u0000 the\u009b1m red\u0085 bucket', body: 'a\u001b[31mb\u0090c' };
  const text = put(null, [tidyMemory({ ...memory, ...odd })]);
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  assert.equal(parseDay(text, context).problems.length, 0);
});
