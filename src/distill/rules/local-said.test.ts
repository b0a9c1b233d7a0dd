import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG, SRC, distill, only } from '../../../test/support/local-drafts.ts';
import { edit } from '../../../test/support/sample-turn.ts';

describe('decisions', () => {
  for (const [said, title, reason] of [
    ['We decided to use SQLite because it needs no server.', 'Use SQLite', 'it needs no server'],
    ['We agreed that refresh tokens rotate on every use.', 'Refresh tokens rotate on every use', undefined],
    ['I chose Hono over Express since it starts faster.', 'Chose Hono over Express', 'it starts faster'],
    [
      "I'll use an import alias instead of renaming the variable, because callers depend on it.",
      'Use an import alias instead of renaming the variable',
      'callers depend on it',
    ],
    [
      'I deliberately did not add logging to the store because the callers already log.',
      'Deliberately did not add logging to the store',
      'the callers already log',
    ],
    ['We settled on one index for all projects.', 'Use one index for all projects', undefined],
  ] as const) {
    it(`by the agent: ${said}`, async () => {
      const draft = await only({ prompt: 'what about it?', answer: `${LONG}\n\n${said}` });
      assert.deepEqual([draft.kind, draft.title, draft.reason], ['decision', title, reason]);
    });
  }

  for (const [said, title] of [
    ["ok, let's go with sessions.db", 'Use sessions.db'],
    ["let's use pnpm", 'Use pnpm'],
    ["Let's not keep the index warm yet.", 'Decided not to keep the index warm yet'],
    ["We don't want a debug.go file. Put it beside the others.", 'Not wanted: a debug.go file'],
    ['thinking goes to agent text, that is decided.', 'Thinking goes to agent text'],
    ["We'll keep the old endpoint for one release", 'Keep the old endpoint for one release'],
  ] as const) {
    it(`by the person: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: LONG });
      assert.deepEqual([draft.kind, draft.title], ['decision', title]);
    });
  }

  it('under a heading become one memory each', async () => {
    const drafts = await distill({
      prompt: 'write down what we have',
      answer: `${LONG}\n\n## Decisions\n- Sessions live in PostgreSQL\n- Tokens expire after one hour because clients cannot revoke them\n`,
    });
    assert.deepEqual(
      drafts.map((draft) => [draft.kind, draft.title]),
      [
        ['decision', 'Sessions live in PostgreSQL'],
        ['decision', 'Tokens expire after one hour'],
      ],
    );
  });

  for (const said of [
    'Should we use SQLite because it needs no server?',
    'If we decided to use SQLite, we would need no server.',
    "I'll use the Read tool now.",
    "Let's go with option 2.",
    'You could use SQLite instead of PostgreSQL.',
    'Let me know whether we decided to use SQLite.',
  ]) {
    it(`are not made of: ${said}`, async () => {
      assert.deepEqual(await distill({ prompt: 'hm', answer: `${LONG}\n\n${said}` }), []);
    });
  }
});

describe('preferences', () => {
  for (const [said, title] of [
    ['always use pnpm, never npm', 'Always use pnpm, never npm'],
    ['Never commit directly to main.', 'Never commit directly to main'],
    ['I prefer small functions over comments', 'Prefer small functions over comments'],
    ['from now on, run the linter before you say done', 'Run the linter before you say done'],
    ['Please remember that the staging server is read-only', 'The staging server is read-only'],
    ['In this repo we use tabs for indentation', 'Use tabs for indentation'],
  ] as const) {
    it(`are taken from: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: 'Understood.' });
      assert.deepEqual([draft.kind, draft.title], ['preference', title]);
    });
  }

  it('are only the person’s own words, not the agent’s, not a quotation, not pasted text', async () => {
    const order = 'Always use npm for this.';
    assert.deepEqual(await distill({ prompt: 'how do I install it?', answer: `${LONG} ${order}` }), []);
    assert.deepEqual(await distill({ prompt: `the README says "${order}" and I wonder`, answer: LONG }), []);
    assert.deepEqual(await distill({ prompt: `what is this?\n\`\`\`\n${order}\n\`\`\``, answer: LONG }), []);
    assert.deepEqual(await distill({ prompt: `what is this?\n> ${order}`, answer: LONG }), []);
    const pasted = `Implement the following plan:\n\n# Plan\n${order}\n${'More of the plan. '.repeat(120)}`;
    assert.deepEqual(await distill({ prompt: pasted, answer: LONG }), []);
  });

  it('are not taken from a prompt no person wrote', async () => {
    for (const origin of ['task', 'subagent'] as const) {
      assert.deepEqual(
        await distill({ origin, prompt: 'Always use pnpm for everything.', answer: LONG }),
        [],
      );
    }
  });

  for (const said of [
    'it always fails on the second run',
    'never mind, I found it',
    'we always get this error in CI',
  ]) {
    it(`are not: ${said}`, async () => assert.deepEqual(await distill({ prompt: said, answer: LONG }), []));
  }
});

describe('preferences of the person', () => {
  for (const said of [
    'I prefer short answers',
    'Please always answer in German from now on.',
    'Call me Ishmael',
  ]) {
    it(`belong to them: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: 'Understood.' });
      assert.deepEqual([draft.kind, draft.personal], ['preference', true]);
    });
  }

  for (const said of ['always use pnpm, never npm', 'We prefer tabs in this repo', 'Never commit to main.']) {
    it(`belong to the project: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: 'Understood.' });
      assert.deepEqual([draft.kind, draft.personal], ['preference', undefined]);
    });
  }
});

describe('corrections', () => {
  for (const [said, kind, title] of [
    ['stop adding a docstring to every function', 'preference', 'Stop adding a docstring to every function'],
    ['why that? do not edit generated files by hand', 'preference', 'Do not edit generated files by hand'],
    [
      'controllers must not call the mailer themselves',
      'preference',
      'Controllers must not call the mailer themselves',
    ],
    [
      'the cache file was supposed to be in var/cache, not in tmp',
      'decision',
      'The cache file was supposed to be in var/cache, not in tmp',
    ],
    ['fyi the test server listens on port 8443', 'discovery', 'The test server listens on port 8443'],
    [
      'that is wrong: the job runs every hour, not every day',
      'discovery',
      'The job runs every hour, not every day',
    ],
    ['use the repository instead of raw SQL', 'decision', 'Use the repository instead of raw SQL'],
  ] as const) {
    it(`${said}`, async () => {
      const draft = await only({ prompt: said, answer: 'Understood, I will.' });
      assert.deepEqual([draft.kind, draft.title], [kind, title]);
    });
  }

  it('a small change that follows is not a second memory', async () => {
    const draft = await only({
      prompt: 'never put secrets into the fixtures',
      answer: 'Removed the two secrets from the login fixture.',
      tools: [edit(`${SRC}/fixture.ts`)],
    });
    assert.equal(draft.kind, 'preference');
  });

  it('what only points at a list or a moment is none', async () => {
    for (const prompt of ["let's use the second one for (3)", "don't commit yet", 'we should always show it'])
      assert.deepEqual(await distill({ prompt, answer: LONG }), [], prompt);
  });
});

describe('dead ends', () => {
  for (const [said, title] of [
    [
      'Reading the WAL file directly did not work because the client holds a lock on it.',
      'Reading the WAL file directly did not work',
    ],
    [
      'I first tried a recursive watcher, but it saw none of the events here.',
      'Tried a recursive watcher, but it saw none of the events here',
    ],
    ['Reverted the connection pool because it leaked handles under load.', 'Reverted the connection pool'],
  ] as const) {
    it(`told by the agent: ${said}`, async () => {
      const draft = await only({ prompt: 'how did it go?', answer: `${LONG}\n\n${said}` });
      assert.deepEqual([draft.kind, draft.title], ['dead_end', title]);
      assert.ok(draft.body.includes(said));
    });
  }

  for (const [said, title] of [
    ["No, don't mock the database, use a real one", "Don't mock the database, use a real one"],
    [
      'no, not that way: the helper in path_utils should do the join',
      'The helper in path_utils should do the join',
    ],
  ] as const) {
    it(`told by the person: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: LONG });
      assert.deepEqual([draft.kind, draft.title], ['dead_end', title]);
    });
  }

  for (const said of [
    'no',
    'No, just tell me the commit message',
    'no changes added to commit (use git add)',
    "That didn't work.",
  ]) {
    it(`are not made of: ${said}`, async () =>
      assert.deepEqual(await distill({ prompt: said, answer: LONG }), []));
  }
});
