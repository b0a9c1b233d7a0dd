import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Evidence, Memory } from '../memory.ts';
import { evidenceWords, shortOrigin, sourceWords } from './index.ts';

const told = (by: string, evidence?: Evidence, author?: string): Parameters<typeof shortOrigin>[0] => ({
  provenance: { agent: 'claude-code', session: 's', turn: 't', messages: [], by },
  ...(evidence ? { evidence } : {}),
  ...(author ? { author } : {}),
});

test('evidence and source have the same words everywhere', () => {
  const cases: readonly (readonly [Pick<Memory, 'provenance'>, string, string, string])[] = [
    [told('person'), 'said by you', 'you', 'user'],
    [told('model', 'said'), 'said by you', 'a language model', 'user'],
    [told('model', 'shown'), 'shown by a test or commit', 'a language model', 'shown'],
    [told('agent', 'claimed'), 'claimed by the agent', 'the agent', 'agent'],
    [told('agent', 'said'), 'said by you', 'the agent', 'user via agent'],
    [told('small', 'said'), 'said by you', 'the small model on this machine', 'user via small model'],
    [told('local', 'quoted'), 'quoted', 'rules', 'quoted via rules'],
    [told('claude-mem', 'claimed'), 'claimed by the agent', 'imported', 'agent via import'],
    [told('model', 'said', 'Ada'), 'said by Ada', 'a language model', 'Ada'],
    [told('model', 'claimed', 'Ada'), 'claimed by the agent', 'a language model', 'agent of Ada'],
  ];
  for (const [memory, evidence, source, short] of cases)
    assert.deepEqual(
      [evidenceWords(memory), sourceWords(memory), shortOrigin(memory)],
      [evidence, source, short],
    );
});

test('the agent reads "the user", not "you"', () => {
  assert.equal(evidenceWords(told('model', 'said'), 'agent'), 'said by the user');
  assert.equal(sourceWords(told('person'), 'agent'), 'the user');
});
