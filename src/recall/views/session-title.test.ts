import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryIndex } from '../../database/index.ts';
import { titleOfSession } from './session-title.ts';

const AT = '2026-11-12T09:00:00.000Z';

function indexWith(prompts: readonly string[]): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  index.upsertTurns(
    prompts.map((prompt, i) => ({
      id: `t${i}`,
      session: 's1',
      project: 'p',
      at: `2026-11-12T09:0${i}:00.000Z`,
      endedAt: AT,
      origin: 'person',
      outcome: 'answered',
      prompt,
      answer: '',
      tools: 0,
      hash: `h${i}`,
    })),
  );
  return index;
}

test('a session is named by its title, else by its first prompt, cut after a sentence', () => {
  const index = indexWith(['', `Why is\nthe build slow? ${'Look at the cache. '.repeat(9)}`, 'later']);
  assert.equal(titleOfSession(index, { id: 's1', title: 'Faster builds' }), 'Faster builds');
  const title = titleOfSession(index, { id: 's1' });
  assert.match(title ?? '', /^Why is the build slow\? Look at the cache\. .*Look at the cache\.$/);
  index.close();
});

test('a session without a prompt has no title', () => {
  const index = indexWith([]);
  assert.equal(titleOfSession(index, { id: 's1' }), undefined);
  index.close();
});
