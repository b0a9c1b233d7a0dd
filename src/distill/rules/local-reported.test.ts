import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG, SRC, distill, only } from '../../../test/support/local-drafts.ts';
import { bash, edit, sampleTurn } from '../../../test/support/sample-turn.ts';

const TESTED = [edit(`${SRC}/reserve.ts`), { ...bash('npm test'), output: 'Tests  31 passed (31)' }];
const ANSWER =
  'Fixed. Slots are now claimed in a single statement with `SKIP LOCKED`. The double booking came from two separate statements.';

describe('a fix that the turn shows', () => {
  it('is a bugfix with its cause, never an open issue', async () => {
    const draft = await only({
      prompt: 'prod bug: two couriers got the same slot, this is wrong',
      answer: ANSWER,
      tools: TESTED,
    });
    assert.deepEqual(
      [draft.kind, draft.title, draft.reason, draft.evidence, draft.state],
      [
        'bugfix',
        'Slots are now claimed in a single statement with `SKIP LOCKED`',
        'The double booking came from two separate statements.',
        'shown',
        undefined,
      ],
    );
    assert.deepEqual(draft.files, ['src/reserve.ts']);
  });

  it('knows its commit', async () => {
    const commit = {
      ...bash('git commit -am "fix: claim slots in one statement"'),
      output: '[main 4be91d2] fix: claim slots in one statement\n 1 file changed',
    };
    const draft = await only({
      prompt: 'uploads crash in prod',
      answer: ANSWER,
      tools: [edit(`${SRC}/a.ts`), commit],
    });
    assert.deepEqual(draft.facts, ['Commit 4be91d2: fix: claim slots in one statement']);
  });

  it('after a short go-ahead belongs to the fault of the turn before', async () => {
    const previous = sampleTurn({ id: 'turn-0', prompt: 'the nightly job crashes', answer: LONG });
    const draft = await only({ prompt: 'ok do that', answer: ANSWER, tools: TESTED }, previous);
    assert.equal(draft.kind, 'bugfix');
  });

  for (const [what, tools] of [
    ['edits without a check', [edit(`${SRC}/a.ts`)]],
    ['a check that fails', [edit(`${SRC}/a.ts`), { ...bash('npm test', 'error'), output: '1 failed' }]],
    ['a check before the edit', [TESTED[1], edit(`${SRC}/a.ts`)].filter((tool) => tool !== undefined)],
    ['no edit', [bash('npm test')]],
  ] as const) {
    it(`is not: ${what}`, async () => {
      assert.deepEqual(await distill({ prompt: 'uploads crash in prod', answer: ANSWER, tools }), []);
    });
  }

  it('without a fault is a feature, stated as what is so now', async () => {
    const draft = await only({
      prompt: 'mask phone numbers',
      answer: 'Phone numbers are now replaced by `[hidden]` before a line is written. All tests pass.',
      tools: TESTED,
    });
    assert.deepEqual(
      [draft.kind, draft.title, draft.body],
      ['feature', 'Phone numbers are now replaced by `[hidden]` before a line is written', ''],
    );
  });

  it('is not the agent’s next step, an offer or the tests', async () => {
    for (const answer of [
      'Let me look at the callers now and change them one after the other.',
      'The new test now opens four separate pools against the same database.',
      'I added a test that runs both of them against each other 200 times.',
      'You could now switch the queue to pg-boss if you want to.',
      'Should I now change the other callers of this function as well?',
    ])
      assert.deepEqual(await distill({ prompt: 'go on', answer, tools: TESTED }), [], answer);
  });
});

describe('other explicit statements of the agent', () => {
  it('items under a heading of open ends are open issues, claimed by the agent', async () => {
    const drafts = await distill({
      prompt: "what's left?",
      answer: `${LONG}\n\nStill open:\n- The \`stations\` DAG is not ported to Dagster\n- Backfill for 2024 has not been run\n\nHave a nice evening with the family!`,
    });
    assert.deepEqual(
      drafts.map(({ kind, state, title, evidence }) => [kind, state, title, evidence]),
      [
        ['issue', 'open', 'The `stations` DAG is not ported to Dagster', 'claimed'],
        ['issue', 'open', 'Backfill for 2024 has not been run', 'claimed'],
      ],
    );
  });

  it('next steps and offers are not open issues', async () => {
    for (const closing of [
      '## Next steps\n- Review the new folder layout\n- Run the seed script',
      'Still open: nothing.',
      'Let me know if you want the reminder mails moved as well!',
    ])
      assert.deepEqual(await distill({ prompt: 'build it', answer: `${LONG}\n\n${closing}` }), [], closing);
  });

  it('an approach that was tried and failed is a dead end', async () => {
    const draft = await only({
      prompt: 'is it faster?',
      answer: `${LONG}\n\nI tried a materialized view refreshed after each booking, but every refresh takes an exclusive lock.`,
    });
    assert.deepEqual(
      [draft.kind, draft.evidence, draft.title, draft.reason],
      [
        'dead_end',
        'claimed',
        'Tried a materialized view refreshed after each booking',
        'every refresh takes an exclusive lock',
      ],
    );
  });

  it('a decision with its reason, and work that is not done, are claimed by the agent', async () => {
    const drafts = await distill({
      prompt: 'how do we prevent overlaps?',
      answer:
        'We decided to refuse overlapping stays with a constraint, because two requests can both pass a check.\n\nOffers that run out are not yet handled.',
    });
    assert.deepEqual(
      drafts.map(({ kind, title, reason, evidence }) => [kind, title, reason, evidence]),
      [
        [
          'decision',
          'Refuse overlapping stays with a constraint',
          'two requests can both pass a check',
          'claimed',
        ],
        ['issue', 'Offers that run out are not yet handled', undefined, 'claimed'],
      ],
    );
  });

  it('a proposal, a finding without a fix and a plan are nothing', async () => {
    for (const said of [
      "I'd take pg-boss because it runs inside the API process.",
      'The root cause is the lock in `a.ts`: it is never released.',
      'We could use SQLite instead of PostgreSQL.',
    ])
      assert.deepEqual(await distill({ prompt: 'hm', answer: `${LONG}\n\n${said}` }), [], said);
  });
});
