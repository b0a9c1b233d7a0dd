import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bash, call, edit, sampleTurn } from '../../test/support/sample-turn.ts';
import { admit } from './admission.ts';

describe('admit', () => {
  it('refuses empty, trivial and failed turns', () => {
    assert.deepEqual(admit(sampleTurn({})), { admitted: false, reason: 'empty' });
    assert.deepEqual(admit(sampleTurn({ prompt: 'yes, go on', answer: 'Going on.' })), {
      admitted: false,
      reason: 'trivial',
    });
    const failed = sampleTurn({ prompt: 'do it', answer: 'API Error: 529', outcome: 'failed' });
    assert.deepEqual(admit(failed), { admitted: false, reason: 'failed' });
  });

  it('refuses turns with bookkeeping tools only', () => {
    const turn = sampleTurn({ prompt: 'ok', answer: 'Noted.', tools: [call({ name: 'TodoWrite' })] });
    assert.equal(admit(turn).admitted, false);
  });

  it('ignores the agent’s answer after low-value tools alone', () => {
    const turn = sampleTurn({
      prompt: 'make a plan for the migration, and always use pnpm for it',
      answer: 'I wrote the plan as a list of six steps, and I am ready to begin whenever you say so.',
      tools: [call({ name: 'TodoWrite' }), call({ name: 'ListMcpResourcesTool' })],
    });
    assert.deepEqual(admit(turn), { admitted: true, kinds: 'all', answer: false });
  });

  it('accepts short turns that changed or state something', () => {
    assert.equal(
      admit(sampleTurn({ prompt: 'yes', answer: 'Done.', tools: [edit('/x/a.ts')] })).admitted,
      true,
    );
    assert.equal(
      admit(sampleTurn({ prompt: 'commit!', answer: 'Ok.', tools: [bash('git commit -m "feat: x"')] }))
        .admitted,
      true,
    );
    assert.equal(admit(sampleTurn({ prompt: 'always use pnpm', answer: 'Ok.' })).admitted, true);
    assert.equal(admit(sampleTurn({ prompt: '以后总是使用中文', answer: '好。' })).admitted, true);
  });
});
