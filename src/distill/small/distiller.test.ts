import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ToolCall } from '../../core/index.ts';
import { bash, edit, sampleTurn } from '../../../test/support/sample-turn.ts';
import { drafts, operations, SRC } from '../../../test/support/small-distilling.ts';

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

describe('titles', () => {
  const asked = sampleTurn({
    id: 'turn-0',
    prompt: 'how should we store sessions?',
    answer:
      'Two ways:\n\n1. Redis with a TTL of one day\n2. A Postgres table with a nightly cleanup\n\nWhich one?',
  });

  it('name the option that a number chooses', async () => {
    const found = await drafts({ '2': 'decision' }, { prompt: '2', answer: 'Good.' }, { previous: asked });
    assert.deepEqual(
      found.map(({ title }) => title),
      ['Use a Postgres table with a nightly cleanup'],
    );
  });

  it('have the symptom as their subject, not an order', async () => {
    const [draft] = await drafts(
      { 'half-open': 'bugfix' },
      {
        prompt: 'Booking a berth on departure day fails. Write the failing test first.',
        answer: 'Intervals are now half-open.',
        tools: [edit(`${SRC}/stay.ts`)],
      },
    );
    assert.match(draft?.title ?? '', /^Booking a berth on departure day fails → /);
  });

  it('leave out the number of the question that the user answers', async () => {
    const prompt =
      '4 is a hard no anyway: nothing that the runtime shares may throw, it is built without exceptions';
    const [draft] = await drafts({ 'hard no': 'preference' }, { prompt, answer: 'Understood.', tools: [] });
    assert.match(draft?.title ?? '', /^Nothing that the runtime shares may throw/);
  });

  it('do not say who decided', async () => {
    const [draft] = await drafts(
      { 'exclusion constraint': 'decision' },
      {
        prompt: 'how do we prevent overlaps?',
        answer: 'We decided to let PostgreSQL refuse overlapping stays with an exclusion constraint.',
      },
    );
    assert.equal(draft?.title, 'Let PostgreSQL refuse overlapping stays with an exclusion constraint');
  });

  it('are missing if a number has no option: nothing is stored', async () => {
    const previous = sampleTurn({
      id: 'turn-0',
      prompt: 'is it late?',
      answer: 'It is eight. Shall we stop?',
    });
    assert.deepEqual(
      await operations({ '2': 'decision' }, { prompt: '2', answer: 'Good.' }, { previous }),
      [],
    );
  });

  it('that were cut leave their whole sentence in the body', async () => {
    const end = 'the importer reads uninitialised padding of the key struct';
    const [draft] = await drafts(
      { 'animation clips': 'discovery' },
      {
        prompt: 'why does the cache miss so often?',
        answer: `The nightly cook has one warning that remains: animation clips that were exported by the old plug-in hash differently on Linux and on Windows, since ${end}.`,
      },
    );
    assert.ok(draft && draft.title.length <= 140 && !draft.title.includes(end));
    assert.ok(`${draft.body} ${draft.reason}`.includes('hash differently'), draft.body);
    assert.ok(`${draft.body} ${draft.reason}`.includes(end), draft.body);
  });

  it('may begin with "there are"', async () => {
    const found = await drafts(
      { 'dead links': 'issue' },
      { prompt: 'there are still 61 dead links in the docs', answer: 'They stay for later.' },
    );
    assert.deepEqual(
      found.map(({ title }) => title),
      ['There are still 61 dead links in the docs'],
    );
  });

  it('have neither verdicts nor the first person', async () => {
    const [draft] = await drafts(
      { 'moved the retry': 'refactor' },
      {
        prompt: 'clean up the client',
        answer: "Done. I've moved the retry logic into `http/retry.ts`.",
        tools: [edit(`${SRC}/a.ts`)],
      },
    );
    assert.equal(draft?.title, 'Moved the retry logic into `http/retry.ts`');
  });

  it('get a heading that names something as their subject', async () => {
    const answer = (heading: string) => `### ${heading}\n- Handles rows and columns of every table alike`;
    const titleUnder = async (heading: string) => {
      const turn = { prompt: 'and the tables?', answer: answer(heading), tools: [edit(`${SRC}/render.ts`)] };
      return (await drafts({ 'Handles rows': 'feature' }, turn))[0]?.title;
    };
    assert.equal(
      await titleUnder('1. `renderCells`'),
      '`renderCells`: handles rows and columns of every table alike',
    );
  });

  it('get the file that was changed as their subject, if there is no better one', async () => {
    const titleOf = async (...files: readonly string[]) => {
      const tools = files.map((file) => edit(`${SRC}/${file}`));
      const turn = {
        prompt: 'and the tables?',
        answer: 'Handles rows and columns of every table alike.',
        tools,
      };
      return (await drafts({ 'Handles rows': 'feature' }, turn))[0]?.title;
    };
    const plain = 'Handles rows and columns of every table alike';
    const lower = plain.replace('H', 'h');
    assert.equal(await titleOf('render.ts', 'render.test.ts'), `render.ts: ${lower}`);
    assert.equal(await titleOf('cells.ts', 'table-rows.ts'), `table-rows.ts: ${lower}`);
    assert.equal(await titleOf('cells.ts', 'render.ts'), plain);
  });

  it('is a discovery if the agent only read', async () => {
    const answer = 'The parser drops the last row because the buffer is never flushed.';
    const read = {
      ...edit(`${SRC}/parser.ts`),
      name: 'Read',
      target: 'x',
      read: [`${SRC}/parser.ts`],
      edited: [],
    };
    const kindOf = async (tools: readonly ToolCall[]) =>
      (await drafts({ parser: 'bugfix' }, { prompt: 'why?', answer, tools }))[0]?.kind;
    assert.equal(await kindOf([read]), 'discovery');
    assert.equal(await kindOf([read, bash('sed -i s/a/b/ x')]), 'bugfix');
  });

  it('do not get what the user only chats as their subject', async () => {
    const answer = 'This only reads the first session of a checkpoint.';
    for (const prompt of ['I did an update now, check again', 'Run the probe against staging'])
      assert.deepEqual(await drafts({ 'first session': 'discovery' }, { prompt, answer }), [], prompt);
  });

  it('say that a fault is fixed', async () => {
    const turn = (answer: string) => ({
      prompt: 'look into the exports',
      answer,
      tools: [edit(`${SRC}/export.ts`)],
    });
    const titleOf = async (answer: string) => (await drafts({ export: 'bugfix' }, turn(answer)))[0]?.title;
    assert.equal(
      await titleOf('The export never closes the last file of a folder.'),
      'Fixed: The export never closes the last file of a folder',
    );
    const now = 'The export closes the last file of a folder now';
    assert.equal(await titleOf(`${now}.`), now);
  });

  it('get the request as their subject if they only point to it', async () => {
    const [draft] = await drafts(
      { 'nine hours': 'dead_end' },
      {
        prompt: 'try freebayes on chr1 with 20 samples',
        answer: 'It works, but takes nine hours and 61 GB for one chromosome.',
      },
    );
    assert.match(
      draft?.title ?? '',
      /^Try freebayes on chr1 with 20 samples: it works, but takes nine hours/,
    );
  });
});

describe('never stored', () => {
  it('is a task of the user, unless the model is very sure', async () => {
    const keep = { 'Set up': 'decision', 'One table': 'decision' } as const;
    const prompt =
      'Set up the schema for berths and bookings. One table per harbour keeps the backups small.';
    const titles = async (sure: number) =>
      (await drafts(keep, { prompt, answer: 'The schema is there.' }, { sure })).map(({ title }) => title);
    assert.deepEqual(await titles(0.7), ['One table per harbour keeps the backups small']);
    assert.match((await titles(0.95)).join(), /schema for berths/);
  });

  it('is a remark about a line of a file, unless the model is very sure', async () => {
    for (const where of ['Line 98 of the guide', '`provider.go:482`']) {
      const turn = { prompt: 'review the change', answer: `${where} closes the same reader twice.` };
      assert.deepEqual(await drafts({ reader: 'issue' }, turn, { sure: 0.8 }), []);
      assert.equal((await drafts({ reader: 'issue' }, turn, { sure: 0.97 })).length, 1);
    }
    const host = { prompt: 'the staging database is at db.internal:5433 for everyone', answer: 'Noted.' };
    assert.equal((await drafts({ staging: 'preference' }, host, { sure: 0.8 })).length, 1);
  });

  it('is what the agent thinks aloud between its tool calls', async () => {
    const aloud = 'The importer reads every row twice. Perhaps the cache is the cause.';
    const report = `The importer reads each row once now. ${'It was called by two hooks, and the second one is gone. '.repeat(3)}`;
    const turn = {
      prompt: 'the import is slow',
      answer: `${aloud}\n\n${report}`,
      report: report.length + 3, // a secret in it was longer
      tools: [edit(`${SRC}/importer.ts`)],
    };
    const kept = { 'every row twice': 'discovery', 'each row once': 'bugfix' } as const;
    const [found, ...others] = await drafts(kept, turn);
    assert.deepEqual(others, []);
    assert.match(found?.title ?? '', /each row once/);
    assert.doesNotMatch(JSON.stringify(found), /every row twice/);
    const note = `\n\nNoted (decision): ${'The second hook stays away. '.repeat(8)}`;
    const noted = { ...turn, answer: turn.answer + note, report: report.length + note.length };
    assert.doesNotMatch(JSON.stringify(await drafts(kept, noted)), /every row twice/);
    const short = await drafts(kept, { ...turn, answer: `${aloud}\n\nDone.`, report: 5 });
    assert.deepEqual(short, []);
  });

  it('is what the user only tells, asks, agrees to or muses about', async () => {
    for (const prompt of [
      'I just checked the folders and none of them has a date',
      'the new package layout is fine',
      "why can't we not just use real booleans for the flags",
      'the parser seems the least worst option for the tables',
    ])
      for (const kind of ['decision', 'preference'] as const)
        assert.deepEqual(await drafts({ [prompt]: kind }, { prompt, answer: 'Understood.' }), [], prompt);
    const prompt = 'I think the parser should never open a second connection';
    assert.equal((await drafts({ [prompt]: 'preference' }, { prompt, answer: 'Understood.' })).length, 1);
  });

  it('is work that only the user mentions', async () => {
    const prompt = 'Coderabbit came back with a bunch of comments about the export';
    const turn = { prompt, answer: 'I will look at them.', tools: [edit(`${SRC}/export.ts`)] };
    assert.deepEqual(await drafts({ Coderabbit: 'bugfix' }, turn), []);
  });

  it('is a step that the agent only plans', async () => {
    const answer = 'Move the validators of the session into the checkpoint package.';
    const turn = { prompt: 'where do these checks belong?', answer };
    assert.deepEqual(await drafts({ validators: 'refactor' }, turn), []);
    const tools = [edit(`${SRC}/validators.ts`)];
    assert.equal((await drafts({ validators: 'refactor' }, { ...turn, tools })).length, 1);
  });

  it('is a check of the agent, or a line that leads to a list', async () => {
    for (const answer of [
      '`go test ./...` - all packages pass on both platforms.',
      'Verifies that a missing agent is reported with its name.',
      'I noticed two things and left them as they are:',
    ])
      assert.deepEqual(await drafts({ [answer]: 'pattern' }, { prompt: 'go on', answer }), [], answer);
  });

  it('is a plan or a list of tasks that the user pastes', async () => {
    const rule = 'Every reader returns null when its file is missing';
    for (const prompt of [
      `Implement the following plan:\n\n# Readers\n\n${rule}.`,
      `Address these findings:\n1. ${rule}.\n2. The names differ.`,
      `# ${rule}\n\ngo on`,
      `// ${rule}\ngo on`,
    ])
      assert.deepEqual(await drafts({ [rule]: 'decision' }, { prompt, answer: 'Done.' }), [], prompt);
  });

  it('is no open issue if the agent says that it is fine', async () => {
    const found = (answer: string) => drafts({ prompts: 'issue' }, { prompt: 'review the setup', answer });
    assert.equal((await found('The setup prompts twice on every new machine.')).length, 1);
    assert.deepEqual(await found('The setup still prompts twice, which is fine on a new machine.'), []);
  });

  it('is what the agent announces, also with typographic apostrophes', async () => {
    const answer = 'I’m now updating the search of all projects.';
    assert.deepEqual(await drafts({ updating: 'feature' }, { prompt: 'go on', answer }), []);
  });

  it('is a sentence that only announces what was pasted', async () => {
    const prompt =
      'resuming in a new folder fails, I tried it twice and got this:\n\n$ app resume\nno workspace found';
    assert.deepEqual(await drafts({ 'got this': 'issue', 'no workspace': 'issue' }, { prompt }), []);
  });

  it('chat of a turn in which nothing was done', async () => {
    const prompt = 'hm let me think about it over lunch';
    const answer = 'Sure, take your time until tomorrow. I have not changed anything so far.';
    assert.deepEqual(await drafts({}, { prompt, answer }), []);
  });

  it('rules that the user quotes', async () => {
    const quoted = {
      prompt: 'is this relevant?\n\n> Always upgrade to 4.6 immediately.',
      answer: 'No, it is not relevant for this project at all.',
    };
    assert.deepEqual(await operations({ 'Always upgrade': 'preference' }, quoted), []);
    const cited = {
      prompt: 'the README says: always use npm for everything here',
      answer: 'It does, but the lock file is of pnpm.',
    };
    assert.deepEqual(await operations({ 'always use npm': 'preference' }, cited), []);
  });

  it('the work of a turn that was cut off', async () => {
    const turn = {
      prompt: 'fix the uploads',
      answer: 'The proxy now allows uploads of 50 MB.',
      outcome: 'interrupted' as const,
    };
    assert.deepEqual(await operations({ 'now allows': 'bugfix' }, turn), []);
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
