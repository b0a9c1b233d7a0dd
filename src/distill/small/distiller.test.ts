import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bash, edit, sampleTurn } from '../../../test/support/sample-turn.ts';
import { drafts, SRC } from '../../../test/support/small-distilling.ts';

describe('grouping', () => {
  it('makes one bugfix of symptom, cause and fix', async () => {
    const found = await drafts(
      { 'uploads fail': 'issue', 'proxy limits': 'discovery', 'now allows': 'bugfix' },
      {
        prompt: 'uploads fail with 413 since monday',
        answer: 'The proxy limits bodies to 1 MB. The proxy now allows uploads of 50 MB. All 12 tests pass.',
        tools: [
          edit(`${SRC}/proxy.conf`),
          { ...bash('git commit -m x'), output: '[main 3f2a1bc] Allow uploads' },
        ],
      },
    );
    assert.equal(found.length, 1);
    const [draft] = found;
    assert.equal(draft?.kind, 'bugfix');
    assert.match(draft?.title ?? '', /now allows uploads of 50 MB/);
    assert.match(`${draft?.body} ${draft?.reason}`, /limits bodies to 1 MB/);
    assert.deepEqual(draft?.facts, ['Commit 3f2a1bc: Allow uploads']);
    assert.deepEqual(draft?.files, ['src/proxy.conf']);
    assert.notEqual(draft?.evidence, 'said');
  });

  it('writes whole sentences into the body', async () => {
    const [draft] = await drafts(
      { 'uploads fail': 'issue', 'limits bodies': 'discovery', 'now allows': 'bugfix' },
      {
        prompt: 'uploads fail with 413 since monday',
        answer: 'Fixed: the proxy now allows uploads of 50 MB.\n- root cause: nginx limits bodies to 1 MB',
        tools: [edit(`${SRC}/proxy.conf`)],
      },
    );
    const sentences = draft?.body.split(/(?<=[.]) /) ?? [];
    assert.ok(sentences.length > 0);
    for (const sentence of sentences) assert.match(sentence, /^[A-Z].*[.]$/);
  });

  it('makes one decision of a choice and the report that it is done', async () => {
    const found = await drafts(
      { 'go with pg-boss': 'decision', 'through pg-boss': 'feature' },
      {
        prompt: "yeah, let's go with pg-boss then",
        answer: 'Done. Mails are sent through pg-boss, with three attempts each.',
        tools: [edit(`${SRC}/mail.ts`)],
      },
      {
        previous: sampleTurn({
          id: 'turn-0',
          prompt: 'BullMQ or pg-boss for the mail queue?',
          answer: 'Both work.',
        }),
      },
    );
    assert.deepEqual(
      found.map(({ kind, evidence }) => [kind, evidence]),
      [['decision', 'said']],
    );
    assert.match(found[0]?.title ?? '', /pg-boss/);
    assert.match(found[0]?.title ?? '', /mail/i);
  });

  it('makes an open issue of what the agent did not do, beside its work', async () => {
    const found = await drafts(
      { 'idempotent now': 'bugfix', 'older doubles': 'bugfix' },
      {
        prompt: 'donations are booked twice, please fix the webhook',
        answer:
          'The webhook is idempotent now. The table has 14 older doubles of March donations. I did not remove these.',
        tools: [edit(`${SRC}/webhook.ts`)],
      },
    );
    assert.deepEqual(
      found.map(({ kind, state }) => [kind, state]),
      [
        ['bugfix', undefined],
        ['issue', 'open'],
      ],
    );
    assert.match(found[1]?.title ?? '', /14 older doubles/);
  });

  it('makes an open issue of what the agent found beside its work, if the model is sure of it', async () => {
    const turn = {
      prompt: 'images should be delivered as WebP',
      answer: 'Images are delivered as WebP now. Animated files keep their first frame only.',
      tools: [edit(`${SRC}/images.ts`)],
    };
    const found = await drafts({ 'delivered as WebP now': 'feature', 'first frame only': 'issue' }, turn);
    assert.deepEqual(
      found.map(({ kind, state }) => [kind, state]),
      [
        ['feature', undefined],
        ['issue', 'open'],
      ],
    );
  });

  it('makes an open issue of the matter of a turn in which the agent changed nothing', async () => {
    for (const left of ['I have not changed anything yet.', 'Ich habe nichts geändert.', '我没有动数据。']) {
      const found = await drafts(
        { 'lose the tint': 'issue', 'drops the field': 'bugfix' },
        {
          prompt: 'presets of 1.x lose the tint on import',
          answer: `The importer drops the field colour_tint of 1.x presets. ${left}`,
        },
        { sure: 0.2 },
      );
      assert.deepEqual(
        found.map(({ kind, state }) => [kind, state]),
        [['issue', 'open']],
        left,
      );
      assert.match(found[0]?.title ?? '', /tint/);
    }
  });

  it('makes an open issue of what the agent names and leaves, and of a weak remark about what is not done', async () => {
    for (const left of [
      'Texts of the old format are still read as Latin-1; I left that.',
      "The backfill of the older episodes isn't started.",
    ]) {
      const keep = {
        'old format': 'issue',
        'older episodes': 'issue',
        'draws waveforms': 'feature',
      } as const;
      const found = await drafts(
        keep,
        {
          prompt: 'draw waveforms',
          answer: `The worker draws waveforms now. ${left}`,
          tools: [edit(`${SRC}/a`)],
        },
        { sure: 0.2 },
      );
      assert.ok(
        found.some(({ kind, state }) => kind === 'issue' && state === 'open'),
        left,
      );
    }
  });

  it('keeps the kind of a fault if a weaker remark follows it', async () => {
    const found = await drafts(
      { 'E12 CAN timeout': 'issue', 'wants an answer': 'decision' },
      {
        prompt: 'the display shows E12 CAN timeout every few minutes. it wants an answer in 1 ms',
        answer: 'Then 2.2 ms is too much for the protocol of the display, which polls every second.',
      },
    );
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['issue'],
    );
  });

  it('makes an open issue of a point under a heading of open points unless the model rules it out', async () => {
    const turn = {
      prompt: 'write the driver of the new battery',
      answer: 'The driver is done.\n\n**Not yet tested:**\n- the CAN adapter on board with its other bitrate',
      tools: [edit(`${SRC}/driver.ts`)],
    };
    const [issue] = await drafts({ 'CAN adapter': 'discovery' }, turn, { sure: 0.1 });
    assert.equal(issue?.kind, 'issue');
    assert.match(issue?.title ?? '', /CAN adapter/);
    assert.deepEqual(await drafts({}, turn), []);
  });

  for (const heading of ['Known gaps', 'Nicht geändert', 'Em aberto', 'What remains', '未対応'])
    it(`makes an open issue of a point under “${heading}”`, async () => {
      const found = await drafts(
        { 'token of the shop': 'bugfix' },
        {
          prompt: 'please renew the certificates',
          answer: `The certificates are renewed until March.\n\n## ${heading}\n- The token of the shop expires on 15 August`,
          tools: [edit(`${SRC}/certs.ts`)],
        },
        { sure: 0.2 },
      );
      assert.deepEqual(
        found.map(({ kind, state }) => [kind, state]),
        [['issue', 'open']],
      );
    });

  it('makes an open issue of each box that is not ticked', async () => {
    const found = await drafts(
      {},
      {
        prompt: "what's left for 1.0?",
        answer: 'For 1.0:\n\n- [x] multiple cursors\n- [ ] word count for Chinese text, split at spaces',
      },
    );
    assert.deepEqual(
      found.map(({ kind, title }) => [kind, title]),
      [['issue', 'Word count for Chinese text, split at spaces']],
    );
  });

  it('makes two memories of two independent preferences', async () => {
    const found = await drafts(
      { tabs: 'preference', squash: 'preference' },
      {
        prompt: 'indent python with tabs in this repo. never squash commits of the release branch.',
        answer: 'Understood.',
      },
    );
    assert.equal(found.length, 2);
    assert.ok(found.every(({ kind, evidence }) => kind === 'preference' && evidence === 'said'));
  });
});

describe('what the user said', () => {
  it('is the title, and what the agent added is labelled', async () => {
    const [draft] = await drafts(
      { 'dates in UTC': 'preference', 'bank export': 'preference' },
      {
        prompt: 'dates in UTC ISO strings always',
        answer:
          'Dates are always UTC ISO strings in `src/dates.js`, because the bank export mixes CET and UTC.',
        tools: [edit(`${SRC}/dates.js`)],
      },
    );
    assert.equal(draft?.evidence, 'said');
    assert.equal(draft.title, 'Dates in UTC ISO strings always');
    for (const part of [draft.body, draft.reason ?? ''])
      assert.match(part, /^$|^According to the agent: .*bank export/);
  });
});
