import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edit } from '../../../test/support/sample-turn.ts';
import { drafts, operations, SRC } from '../../../test/support/small-distilling.ts';

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
    const prompt = 'The reviewer came back with a few remarks about the export';
    const turn = { prompt, answer: 'I will look at them.', tools: [edit(`${SRC}/export.ts`)] };
    assert.deepEqual(await drafts({ reviewer: 'bugfix' }, turn), []);
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
