import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nastyHead, nastyMemory, seeded } from '../../../../test/support/nasty-memories.ts';
import { renderEntry } from './entry.ts';
import { dateOf } from './heading.ts';
import { tidyHead, tidyMemory } from './normalise.ts';
import { parseDay } from './parse.ts';
import { renderHead } from './session.ts';

const ROUNDS = process.env['TIDEMARK_TEST_LONG'] ? 50_000 : 3_000;
const context = { project: 'acme-api', date: '2026-11-15', file: 'acme-api/2026-11-15.md' };

test('every memory is read back from its entry, whatever its text contains', () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = seeded(seed);
    const memory = tidyMemory(nastyMemory(random, 'session-1'));
    const other = tidyMemory(nastyMemory(random, 'session-1'));
    assert.deepEqual(tidyMemory(memory), memory, `tidying twice changes nothing (seed ${seed})`);
    const text = `# 2026-11-15 · acme-api\n\n${renderEntry(memory)}\n${renderEntry(other)}`;
    const { entries, problems } = parseDay(text, context);
    assert.deepEqual(
      entries.map((entry) => entry.memory),
      [memory, other],
      `seed ${seed}\n${text}`,
    );
    assert.deepEqual(problems, [], `seed ${seed}\n${text}`);
    const dos = parseDay(`\ufeff${text.replace(/\n/g, '\r\n')}`, context);
    assert.deepEqual(
      dos.entries.map((entry) => entry.memory),
      [memory, other],
      `CRLF, seed ${seed}`,
    );
  }
});

test('every session head is read back with its entries', () => {
  for (let seed = 1; seed <= ROUNDS / 4; seed++) {
    const random = seeded(seed);
    const at = '2026-11-15T14:30:12.345Z';
    const head = tidyHead(nastyHead(random, `s ${seed} -->`, at));
    const memory = tidyMemory(nastyMemory(random, head.id));
    const text = `${renderHead(head, dateOf(at))}\n${renderEntry(memory)}`;
    const parsed = parseDay(text, context);
    assert.deepEqual(parsed.sessions, [{ ...head, project: 'acme-api' }], `seed ${seed}\n${text}`);
    assert.deepEqual(
      parsed.entries.map((entry) => entry.memory),
      [memory],
      `seed ${seed}\n${text}`,
    );
    assert.deepEqual(parsed.problems, [], `seed ${seed}\n${text}`);
  }
});

test('a file name of 40,000 backticks is read back', () => {
  const random = seeded(1);
  const memory = tidyMemory({
    ...nastyMemory(random, 's'),
    files: ['`'.repeat(40_000), 'a.ts', '`b` '.repeat(9)],
  });
  const [entry] = parseDay(renderEntry(memory), context).entries;
  assert.deepEqual(entry?.memory.files, memory.files);
});
