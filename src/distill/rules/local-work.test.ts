import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG, SRC, distill, only } from '../../../test/support/local-drafts.ts';
import { bash, edit } from '../../../test/support/sample-turn.ts';

describe('work', () => {
  it('is a feature, titled by what the agent says it did, with the project’s files', async () => {
    const draft = await only({
      prompt: 'please add a retry',
      answer:
        "Let me look at the client first.\n\nDone. I've added a retry with backoff to the upload client. It gives up after three tries.\n\nWant me to make it configurable?",
      tools: [edit(`${SRC}/upload.ts`), edit('/home/ada/.claude/plans/x.md')],
    });
    assert.deepEqual(draft, {
      kind: 'feature',
      title: 'Added a retry with backoff to the upload client',
      body: "I've added a retry with backoff to the upload client. It gives up after three tries.",
      facts: [],
      concepts: ['retry', 'backoff', 'upload', 'client'],
      files: ['src/upload.ts'],
    });
  });

  it('is a bugfix when a check failed and passed after an edit', async () => {
    const draft = await only({
      prompt: 'tests are red',
      answer: 'All green now, nothing else was needed for that to pass again on this machine.',
      tools: [
        bash('cd /home/ada/engine && npm test 2>&1 | tail -20', 'error', [
          '    at x',
          "TypeError: Cannot read properties of undefined (reading 'id')",
        ]),
        edit(`${SRC}/a.ts`),
        bash('npm test'),
      ],
    });
    assert.equal(draft.kind, 'bugfix');
    assert.equal(draft.title, 'Made `npm test` pass again by changing src/a.ts');
    assert.deepEqual(draft.facts, [
      "`npm test` failed, then passed (TypeError: Cannot read properties of undefined (reading 'id'))",
    ]);
  });

  it('is no bugfix when nothing was edited between, or a search found nothing', async () => {
    const answer = 'It works now, so I leave the rest as it was before we began with this.';
    assert.deepEqual(
      await distill({ prompt: 'x', answer, tools: [bash('npm test', 'error'), bash('npm test')] }),
      [],
    );
    const search = [bash('grep -r foo src', 'error'), edit(`${SRC}/a.ts`), bash('grep -r foo src')];
    assert.deepEqual(await distill({ prompt: 'x', answer, tools: search }), []);
  });

  it('takes its title from the commit, whichever way the message was given', async () => {
    for (const command of [
      'git add -A && git commit -m "fix(auth): refuse expired refresh tokens"',
      "git commit -am 'fix(auth): refuse expired refresh tokens'",
      'git -C /x commit -m "$(cat <<\'EOF\'\nfix(auth): refuse expired refresh tokens\n\nCo-Authored-By: Someone <x@example.org>\nEOF\n)"',
    ]) {
      const draft = await only({ prompt: 'commit!', answer: 'Committed.', tools: [bash(command)] });
      assert.deepEqual([draft.kind, draft.title], ['bugfix', 'Refuse expired refresh tokens']);
      assert.deepEqual(draft.facts, ['Commit: fix(auth): refuse expired refresh tokens']);
    }
  });

  it('is not a routine commit, nor one that failed', async () => {
    const tools = [
      bash('git commit -m "chore: bump version"'),
      bash('git commit -m "feat: add a hub"', 'error'),
    ];
    assert.deepEqual(await distill({ prompt: 'commit!', answer: 'Committed.', tools }), []);
  });

  it('is a refactor when nothing new was made', async () => {
    const draft = await only({
      prompt: 'too much in main.go',
      answer:
        'Moved the list command out of `main.go` into a package of its own:\n- `list.go` holds the command\n- `list_test.go` holds its tests',
      tools: [edit(`${SRC}/list.go`)],
    });
    assert.deepEqual(
      [draft.kind, draft.title],
      ['refactor', 'Moved the list command out of `main.go` into a package of its own'],
    );
    assert.deepEqual(draft.facts, ['`list.go` holds the command', '`list_test.go` holds its tests']);
  });

  it('without an edit or a commit is only talk', async () => {
    assert.deepEqual(
      await distill({
        prompt: 'x',
        answer: 'I added a retry with backoff to the upload client. It is in the branch you merged.',
      }),
      [],
    );
  });

  it('that names nothing is left out', async () => {
    for (const answer of [
      'Done. Fixed in all three places.',
      'Updated it as you asked.',
      'Created the plan.',
      'Done!',
    ]) {
      assert.deepEqual(await distill({ prompt: 'go on then', answer, tools: [edit(`${SRC}/a.ts`)] }), []);
    }
  });

  it('with only a finding in the answer is that discovery, with the files', async () => {
    const draft = await only({
      prompt: 'check where the label of each row comes from and show it',
      answer:
        "The printer doesn't report `jam` codes to the queue, so a page that was lost stays in the list, stale.",
      tools: [edit(`${SRC}/row.ts`)],
    });
    assert.deepEqual([draft.kind, draft.files], ['discovery', ['src/row.ts']]);
  });

  it('outside the project is not the project’s', async () => {
    const answer = 'I added a retry with backoff to the upload client.';
    assert.deepEqual(await distill({ prompt: 'x', answer, tools: [edit('/etc/hosts')] }), []);
  });

  it('names files from the root, also after the agent went into a folder', async () => {
    const turn = {
      prompt: 'x',
      cwd: '/home/ada/engine/src',
      answer: 'I added a retry with backoff to the upload client.',
      tools: [edit('/home/ada/engine/docs/a.md')],
    };
    assert.deepEqual((await distill(turn, '/home/ada/engine'))[0]?.files, ['docs/a.md']);
  });
});

describe('a fix', () => {
  const tools = [
    bash('pytest -q', 'error', ["TypeError: can't compare"]),
    edit(`${SRC}/due.py`),
    bash('pytest -q'),
  ];

  it('has the work as title, and its body begins with the cause', async () => {
    const draft = await only({
      prompt: 'test_due fails since this morning',
      answer:
        'Let me run it.\n\nThe failure comes from `due_at`: it is naive while the database returns aware values.\n\nI changed `due_at` to `timezone.now()` and the test now passes.',
      tools,
    });
    assert.deepEqual([draft.kind, draft.title], ['bugfix', 'Changed `due_at` to `timezone.now()`']);
    assert.match(draft.body, /^The failure comes from `due_at`/);
    assert.deepEqual(draft.facts, ["`pytest` failed, then passed (TypeError: can't compare)"]);
  });

  it('that names nothing has its cause as title', async () => {
    const draft = await only({
      prompt: 'it crashes on refresh',
      answer:
        'The crash comes from `Feed.item`: the list is emptied while rows are still asked for. I now swap the array in one step.',
      tools: [edit(`${SRC}/feed.swift`)],
    });
    assert.deepEqual(
      [draft.kind, draft.title],
      ['bugfix', 'The crash comes from `Feed.item`: the list is emptied while rows are still asked for'],
    );
  });

  it('knows its commit and its pull request', async () => {
    const draft = await only({
      prompt: 'commit and open a PR',
      answer: 'Done.',
      tools: [
        {
          ...bash('git commit -m "fix: refuse old tokens"'),
          output: '[main 4be91d2] fix: refuse old tokens\n 2 files changed',
        },
        { ...bash('gh pr create --fill'), output: 'https://example.org/acme/shop/pull/482' },
      ],
    });
    assert.deepEqual(draft.facts, ['Commit 4be91d2: fix: refuse old tokens', 'Pull request #482']);
  });
});

describe('work in a recording without tool calls', () => {
  const report =
    'Let me look at the call sites first.\n\nAll tests pass, 0 linter issues. Here is what changed:\n\n- **`session.go`** — Added an `Options` struct with six named fields and updated `ProcessSession` to take it\n- Renamed `opts` to `options` in the watcher\n- Updated the three call sites\n\nThe context and the session stay direct parameters, since they are no flags but data that the function works on in every case.';

  it('is believed when the agent reports it as finished', async () => {
    const draft = await only({
      prompt:
        'ProcessSession has nine arguments, some of them bool, which is hard to read. Add an options struct.',
      answer: report,
    });
    assert.equal(
      draft.title,
      'Added an `Options` struct with six named fields and updated `ProcessSession` to take it',
    );
  });

  it('is titled by the plan it carried out', async () => {
    const drafts = await distill({
      prompt: `Implement the following plan:\n\n# Plan: Support project names in the watcher\n\n## Context\n${'Words of the plan. '.repeat(20)}`,
      answer: report,
    });
    assert.equal(drafts[0]?.title, 'Support project names in the watcher');
  });
});

describe('reviews', () => {
  it('become one open issue: the first item, the others as facts', async () => {
    const draft = await only({
      prompt: 'review the open pull request',
      answer: `${LONG}\n\n## Top 3 Improvements\n\n1. **DRY: Extract the session lookup** - It is written twice.\n2. **Missing call of \`validate\`** - Every other path has it.\n3. **Flags that cancel each other** - Make it a warning.`,
    });
    assert.deepEqual([draft.kind, draft.state, draft.title], ['issue', 'open', 'Extract the session lookup']);
    assert.deepEqual(draft.facts, ['Missing call of `validate`', 'Flags that cancel each other']);
  });
});
