import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG, distill, only } from '../../../test/support/local-drafts.ts';

describe('a fault that was reported and not settled', () => {
  it('is an open issue in the person’s words', async () => {
    const draft = await only({
      prompt:
        'So... I think there could be a race condition when two uploads end at once. Just research, no changes.',
      answer: 'Let me trace the upload path first.',
    });
    assert.deepEqual([draft.kind, draft.title], ['issue', 'Race condition when two uploads end at once']);
  });
});

describe('open ends and discoveries', () => {
  it('next steps become one open issue, with the rest as facts', async () => {
    const draft = await only({
      prompt: 'where do we stand?',
      answer: `${LONG}\n\n**Next steps:**\n1. Wire the hub to the local API\n2. Measure the hooks again\n`,
    });
    assert.deepEqual(
      [draft.kind, draft.state, draft.title],
      ['issue', 'open', 'Wire the hub to the local API'],
    );
    assert.deepEqual(draft.facts, ['Measure the hooks again']);
  });

  it('what still fails at the end is an open issue', async () => {
    const draft = await only({ prompt: 'and?', answer: `${LONG}\n\nThe e2e suite still fails on Node 20.` });
    assert.deepEqual([draft.kind, draft.title], ['issue', 'The e2e suite still fails on Node 20']);
  });

  it('what failed in the middle was overtaken', async () => {
    const after = Array.from(
      { length: 12 },
      (_, i) => `Step ${i} went as planned, and I went on with the one after it.`,
    ).join('\n\n');
    assert.deepEqual(
      await distill({ prompt: 'and?', answer: `The e2e suite still fails on Node 20.\n\n${after}` }),
      [],
    );
  });

  it('what the agent found out is a discovery', async () => {
    const draft = await only({
      prompt: 'why is it slow?',
      answer: `${LONG}\n\nIt turns out that \`EvalSymlinks\` does not normalise case. On this file system both names lead to one folder.`,
    });
    assert.deepEqual([draft.kind, draft.title], ['discovery', '`EvalSymlinks` does not normalise case']);
    assert.match(draft.body, /both names lead to one folder/);
  });

  it('a root cause under its label is a discovery', async () => {
    const draft = await only({
      prompt: 'why?',
      answer: `${LONG}\n\n**Root cause:** the padding of agent names is eight columns wide.`,
    });
    assert.deepEqual(
      [draft.kind, draft.title],
      ['discovery', 'The padding of agent names is eight columns wide'],
    );
  });
});

describe('an open issue', () => {
  const closing = (...lines: string[]) => `${LONG}\n\n## Next Steps\n\n${lines.join('\n')}`;

  for (const said of [
    'The importer is now up and running!',
    'The dashboard is complete and ready for review.',
    "As soon as you've picked a colour, we can go on with the mailer.",
    '- Review the new folder layout\n- Run the seed script and look at the result',
    '- Put your API key into the vault\n- Restart your shell',
    "For what comes after the importer itself I'd suggest one of these two:\n- the queue of the mailer\n- the cron job",
    'Please tell me which of the two layouts you like.',
    'This layout is far simpler and makes the team faster.',
    'Now that the importer and the exporter both know the new format, we can start with:\n- the mailer',
    'The remaining warnings are cosmetic and expected.',
  ]) {
    it(`is not: ${said.replaceAll('\n', ' ')}`, async () => {
      const drafts = await distill({ prompt: 'build the importer', answer: closing(said) });
      assert.deepEqual(drafts, []);
    });
  }

  it('is what suggestions say of themselves to be open', async () => {
    const draft = await only({
      prompt: 'build the importer',
      answer: closing(
        '- Try it with your own files',
        '- The `Ledger` table does not exist yet in staging',
        '- Add more fixtures',
      ),
    });
    assert.deepEqual(
      [draft.kind, draft.title],
      ['issue', 'The `Ledger` table does not exist yet in staging'],
    );
  });

  it('is what the closing words name as left over, without the words that point at it', async () => {
    const draft = await only({
      prompt: 'build the importer',
      answer: closing(
        'The importer itself is complete!',
        'The only remaining task is to move the OAuth callback to the new host.',
      ),
    });
    assert.equal(draft.title, 'Move the OAuth callback to the new host');
  });

  it('is any item under a heading of open ends, but no praise there', async () => {
    const draft = await only({
      prompt: 'build the importer',
      answer: `${LONG}\n\n### Remaining work\n- Replace the polling in \`feed.ts\` by a watcher\n- Delete the old cron job\n\nThe importer runs flawlessly now!`,
    });
    assert.equal(draft.title, 'Replace the polling in `feed.ts` by a watcher');
    assert.deepEqual(draft.facts, ['Delete the old cron job']);
  });

  it('is not made of what was improved, nor of a guess', async () => {
    for (const list of [
      '## Key Improvements\n\n- **Faster answers** - Every request is cached.\n- **No more duplicates** - Rows are merged.',
      '## Potential Issues\n\n1. **The proxy might drop it** - Nobody looked.\n2. **It could be the cache** - Clear it.',
    ])
      assert.deepEqual(await distill({ prompt: 'speed it up', answer: `${LONG}\n\n${list}` }), []);
  });

  it('of a review with a short heading includes its explanation', async () => {
    const draft = await only({
      prompt: 'review it',
      answer: `${LONG}\n\n## Issues Found\n\n1. **Blurry icons** - They are drawn at half the size of the screen.\n2. **Missing call of \`close\`** - It leaks.`,
    });
    assert.equal(draft.title, 'Blurry icons: They are drawn at half the size of the screen');
  });

  it('is not a report of what was done, nor code that fails on purpose', async () => {
    for (const said of [
      'Renamed the badge from "soon" to "not yet supported" in the Export dialog.',
      'The Export dialog still fails loudly without a Printer.',
      'As soon as a tile is visible, we still need to decode its pixels for the Map view.',
    ])
      assert.deepEqual(await distill({ prompt: 'and?', answer: `${LONG}\n\n${said}` }), [], said);
  });

  it('is not a line of a log, a question or a condition in a prompt', async () => {
    for (const prompt of [
      '--- FAIL: TestLedger/empty (0.01s) ledger_test.go:65: the total should not be zero here',
      '[printer] warning: it failed because no tray was found within ten seconds',
      "shouldn't we stop the exporter when the printer hangs for that long",
      'when the exporter hangs for a minute ask them to start it again',
      'Explain each crash of the importer that is in the list',
      'Overview of the known failures by module and by week',
      "The chart looks fine, but it's still broken when the window is small",
    ])
      assert.deepEqual(await distill({ prompt, answer: 'Let me look at the importer first.' }), [], prompt);
  });
});
