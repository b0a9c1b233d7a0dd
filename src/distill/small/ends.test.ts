import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edit, sampleTurn } from '../../../test/support/sample-turn.ts';
import { operations, SRC } from '../../../test/support/small-distilling.ts';
import type { Memory } from '../../core/index.ts';

function memory(parts: Partial<Memory>): Memory {
  return {
    id: 'm1',
    kind: 'issue',
    title: 'Uploads above 50 MB fail with 413 at the proxy',
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: 'engine-abc123',
    at: '2026-02-01T10:00:00Z',
    state: 'open',
    provenance: { agent: 'claude-code', session: 'session-1', turn: 'turn-0', messages: [], by: 'small' },
    ...parts,
  };
}

describe('memories before the turn', () => {
  const fix = {
    prompt: 'the 413 again, please look at the proxy',
    answer: 'Uploads above 50 MB pass the proxy now, the limit is 200 MB.',
    tools: [edit(`${SRC}/proxy.conf`)],
  };

  it('are ended by a new memory that resolves them', async () => {
    const found = await operations({ 'pass the proxy': 'bugfix' }, fix, {
      related: [memory({})],
      relate: { 'pass the proxy': 'resolves' },
    });
    assert.deepEqual(
      found.map((one) => (one.op === 'add' ? one.ends : one)),
      [['m1']],
    );
  });

  it('are ended by a sentence that becomes no memory', async () => {
    const found = await operations({}, fix, {
      related: [memory({})],
      relate: { 'pass the proxy': 'resolves' },
    });
    assert.deepEqual(found, [{ op: 'end', id: 'm1' }]);
  });

  it('are ended by the work that follows their diagnosis', async () => {
    const previous = sampleTurn({
      id: 'turn-0',
      prompt: 'uploads fail, why?',
      answer: 'The proxy limits them.',
    });
    const turn = {
      prompt: 'fix it',
      answer: 'Bodies of 200 MB are allowed now in nginx.',
      tools: [edit(`${SRC}/a`)],
    };
    const found = await operations({ 'Bodies of': 'bugfix' }, turn, { previous, related: [memory({})] });
    assert.deepEqual(
      found.map((one) => one.op === 'add' && one.ends),
      [['m1']],
    );
  });

  it('stay open if the next turn calls no tool', async () => {
    const previous = sampleTurn({ id: 'turn-0', prompt: 'uploads fail', answer: 'The proxy limits them.' });
    const turn = { prompt: 'let me ask the admins', answer: 'Okay, the proxy waits for that.', tools: [] };
    const found = await operations({ 'the proxy waits': 'bugfix' }, turn, {
      previous,
      related: [memory({})],
    });
    assert.deepEqual(
      found.filter((one) => one.op !== 'add' || one.ends.length > 0),
      [],
    );
  });

  it('stay open if the next prompt is about something else', async () => {
    const previous = sampleTurn({ id: 'turn-0', prompt: 'uploads fail', answer: 'The proxy limits them.' });
    const turn = {
      prompt: 'never use red on the dispatch board, only for trapped persons',
      answer: 'Overdue tickets are orange now on the board.',
      tools: [edit(`${SRC}/a`)],
    };
    const found = await operations({ 'Overdue tickets': 'bugfix' }, turn, {
      previous,
      related: [memory({})],
    });
    assert.deepEqual(
      found.map((one) => one.op === 'add' && one.ends),
      [[], []],
    );
  });

  it('stay open if the user put them off', async () => {
    const prompt = 'presets lose their tint. not now tho';
    const previous = sampleTurn({ id: 'turn-0', prompt, answer: 'Noted for later.' });
    const turn = { prompt: 'placeholders first', answer: 'Four hats are in.', tools: [edit(`${SRC}/a`)] };
    const found = await operations({ 'Four hats': 'feature' }, turn, { previous, related: [memory({})] });
    assert.ok(found.every((one) => one.op === 'add' && one.ends.length === 0));
  });

  it('are compared with a fix in the same session that shares no word with them', async () => {
    const turn = {
      prompt: 'is it better if you raise the limit in nginx',
      answer: 'Bodies of 200 megabytes are allowed in nginx.',
      tools: [edit(`${SRC}/a`)],
    };
    const relate = { 'Bodies of': 'resolves' } as const;
    const near = memory({ provenance: { ...memory({}).provenance, session: sampleTurn({}).session } });
    const found = await operations({ 'Bodies of': 'bugfix' }, turn, { related: [near], relate });
    assert.deepEqual(
      found.map((one) => one.op === 'add' && one.ends),
      [['m1']],
    );
  });

  it('are ended by the user who says that it works', async () => {
    const previous = sampleTurn({ id: 'turn-0', prompt: 'uploads fail', answer: 'It is their outage.' });
    const answer = 'Good. The outage lasted forty minutes, according to their status page.';
    const related = [memory({})];
    assert.deepEqual(await operations({}, { prompt: 'works again.', answer }, { previous, related }), [
      { op: 'end', id: 'm1' },
    ]);
    const prompt = 'works on my machine, fails in CI';
    assert.deepEqual(await operations({}, { prompt, answer }, { previous, related }), []);
  });

  it('are ended if the user rejects the work of the turn before', async () => {
    const previous = sampleTurn({ id: 'turn-0', prompt: 'items are counted twice', answer: 'Fixed.' });
    const work = memory({ kind: 'bugfix', state: 'current', title: 'A mutex around reserve stops doubles' });
    const found = await operations(
      {},
      { prompt: 'no, we run four replicas', answer: "You're right, that was wrong: I take the mutex out." },
      { previous, related: [work] },
    );
    assert.deepEqual(found, [{ op: 'end', id: 'm1' }]);
  });

  it('are not repeated', async () => {
    const rule = memory({
      kind: 'preference',
      state: 'current',
      title: 'Always use pnpm in this repo',
      evidence: 'said',
    });
    const turn = { prompt: 'always use pnpm in this repo, as I said', answer: 'Sorry, pnpm it is.' };
    const keep = { 'always use pnpm': 'preference' } as const;
    const relate = { 'always use pnpm': 'same' } as const;
    assert.deepEqual(await operations(keep, turn, { related: [rule], relate }), []);
  });

  it('stay if they are rules of the user and only the agent says something else', async () => {
    const rule = memory({
      kind: 'preference',
      state: 'current',
      title: 'Always use pnpm in this repo',
      evidence: 'said',
    });
    const turn = {
      prompt: 'set up the build',
      answer: 'The build uses npm instead of pnpm in this repo now.',
      tools: [edit(`${SRC}/a`)],
    };
    const relate = { 'uses npm': 'supersedes' } as const;
    const found = await operations({ 'uses npm': 'feature' }, turn, { related: [rule], relate });
    assert.deepEqual(
      found.map((one) => (one.op === 'add' ? one.ends : one)),
      [[]],
    );
  });

  it('stay if they are rules of the user and a dead end supports them', async () => {
    const rule = memory({
      kind: 'preference',
      state: 'current',
      title: 'Always use jitter for retries',
      evidence: 'said',
    });
    const said = 'backoff for retries without jitter failed';
    for (const turn of [
      { prompt: 'why did it fail?', answer: `We tried that: ${said} in the load test.` },
      { prompt: `remember: ${said} in the load test`, answer: 'Noted.' },
    ]) {
      const found = await operations({ [said]: 'dead_end' }, turn, {
        related: [rule],
        relate: { [said]: 'supersedes' },
      });
      assert.deepEqual(
        found.flatMap((one) => (one.op === 'add' ? one.ends : [one.id])),
        [],
      );
    }
  });

  it('stay if the agent only agrees with what the user thinks', async () => {
    const previous = sampleTurn({ id: 'turn-0', prompt: 'where is the index?', answer: 'In restore.db.' });
    const work = memory({ kind: 'feature', state: 'current', title: 'The footer counts the sessions found' });
    const found = await operations(
      {},
      { prompt: 'hmm maybe sessions.db makes more sense', answer: "You're right, sessions.db says more." },
      { previous, related: [work] },
    );
    assert.deepEqual(found, []);
  });
});

describe('among many memories', () => {
  const said = 'The session list now shows the newest session first.';
  const turn = { prompt: 'sort the list', answer: said, tools: [edit(`${SRC}/list.ts`)] };
  const others = Array.from({ length: 23 }, (_, n) =>
    memory({
      id: `other-${n}`,
      kind: 'decision',
      state: 'current',
      title: `The session index has part ${n}`,
    }),
  );
  const endedBy = async (title: string, relateSure: number, more: readonly Memory[]): Promise<unknown> => {
    const related = [memory({ kind: 'decision', state: 'current', title }), ...more];
    const relate = { 'newest session': 'supersedes' } as const;
    const found = await operations({ 'newest session': 'feature' }, turn, { related, relate, relateSure });
    return found.flatMap((one) => (one.op === 'add' ? one.ends : [one.id])).includes('m1');
  };

  it('a statement that shares a word with an earlier one does not end it', async () => {
    assert.equal(await endedBy('The session token lives in the keychain', 0.9, []), true);
    assert.equal(await endedBy('The session token lives in the keychain', 0.9, others), false);
  });

  it('a sure one ends the memory that it names best', async () => {
    assert.equal(await endedBy('The session list shows the oldest first', 0.999, others), true);
  });
});
