import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bash, edit, sampleTurn } from '../../../test/support/sample-turn.ts';
import { drafts, operations, SRC } from '../../../test/support/small-distilling.ts';
import type { ToolCall } from '../../core/index.ts';

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
