import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SyntheticTranscript, uuid } from '../../test/support/synthetic-transcript.ts';
import { evidenceOf, placesIn, sourceOf, type Memory, type MemoryKind } from '../core/index.ts';
import { MemoryIndex } from '../database/index.ts';
import { rebuildIndex } from '../daemon/index.ts';
import { localDistiller } from '../distill/index.ts';
import { recordSession } from '../memory/index.ts';
import { noteFromAgent, type NoteOutcome, type NoteRequest } from './agent-notes.ts';
import { captureTranscript } from './follow-transcript.ts';
import { openStores } from './open-stores.ts';
import { lookUpProject, EVERYWHERE } from './projects/projects.ts';
import { rememberFromUser } from './remember.ts';

const PROMPT = "yeah let's go with pg-boss then";
const TITLE = 'Use pg-boss for the job queue';
const NOTE_CALL = {
  name: 'mcp__plugin_tidemark_memory__remember',
  input: { title: TITLE },
  output: 'Noted.',
};

test('a call of the turn in progress gives a memory of that turn, said by the user', async (t) => {
  const world = await open(t);
  world.transcript.write(
    world.transcript.lines({ prompt: PROMPT, answer: '', tools: [NOTE_CALL] }).slice(0, 2),
  );
  const memory = stored(await world.note({ quote: "let's go with pg-boss" }));
  assert.equal(sourceOf(memory), 'agent');
  assert.equal(evidenceOf(memory), 'said');
  assert.equal(memory.provenance.session, world.transcript.session);
  assert.equal(memory.provenance.turn, world.transcript.turnId(0));
});

test('a note whose turn is not written yet waits for it, also over a rebuild of the index', async (t) => {
  const world = await open(t);
  const { stores, transcript } = world;
  const outcome = await world.note({ quote: "let's go with pg-boss" });
  assert.equal(outcome.kind, 'pending');
  assert.equal(stores.index.memoriesBy({ limit: 5 }).length, 0);
  await rebuildIndex(Object.assign(stores, { index: MemoryIndex.open(':memory:') }));

  transcript.append({ prompt: PROMPT, answer: 'Installed it.', tools: [NOTE_CALL] });
  await world.capture();
  const [memory, ...more] = stores.index.memoriesBy({ limit: 5 });
  assert.ok(memory);
  assert.deepEqual(more, [], 'rules add nothing to the note');
  assert.equal(memory.id, outcome.id);
  assert.equal(memory.provenance.turn, transcript.turnId(0));
  assert.equal(evidenceOf(memory), 'said');
  const left: string[] = [];
  for await (const record of stores.ledger.read()) if (record.kind === 'noted') left.push(record.call);
  assert.deepEqual(left, [], 'the waiting note is erased');
});

test('notes by tool and in the answer of one turn are both kept', async (t) => {
  const world = await open(t);
  const { stores, transcript } = world;
  const answer = 'Installed it.\n\nNoted (decision): Mail jobs run at night. ("at night please")';
  const lines = transcript.lines({ prompt: `${PROMPT}, mail at night please`, answer, tools: [NOTE_CALL] });
  transcript.write(lines.slice(0, 2));
  await world.note({ quote: "let's go with pg-boss" });
  transcript.write(lines.slice(2));
  await world.capture();
  const titles = stores.index.memoriesBy({ state: 'current', limit: 5 }).map(({ title }) => title);
  assert.deepEqual(titles.toSorted(), ['Mail jobs run at night', TITLE].toSorted());
});

test('without an id of the call the note belongs to the last turn of the open session here', async (t) => {
  const world = await open(t);
  world.transcript.append({ prompt: PROMPT, answer: 'Installed it.' });
  const memory = stored(await world.note({ session: '', call: '', quote: "let's go with pg-boss" }));
  assert.equal(memory.provenance.session, world.transcript.session);
  assert.equal(evidenceOf(memory), 'said');
});

test('without a session the note belongs to none and is claimed by the agent', async (t) => {
  const world = await open(t, { session: false });
  const memory = stored(await world.note({ session: '', call: '', quote: 'anything' }));
  assert.equal(memory.provenance.session, '');
  assert.equal(sourceOf(memory), 'agent');
  assert.equal(evidenceOf(memory), 'claimed');
});

test('a rule quoted from a page is refused, a finding is stored as quoted', async (t) => {
  const world = await open(t);
  const output = 'Every service must use Redis.';
  const tools = [{ name: 'WebFetch', input: { url: 'https://example.org/guide' }, output }, NOTE_CALL];
  const { transcript } = world;
  transcript.write(transcript.lines({ prompt: 'read it', answer: '', tools }).slice(0, 4));
  const call = `toolu_${uuid(transcript.session, 'tool', '0-1')}`;
  const refused = await world.note({ call, quote: output, kind: 'preference' });
  assert.deepEqual(refused, { kind: 'refused', reason: 'quoted' });
  const memory = stored(await world.note({ call, quote: output, kind: 'discovery' }));
  assert.equal(evidenceOf(memory), 'quoted');
});

test('a note ends the memories it replaces, those of the user only by words of the user', async (t) => {
  const world = await open(t);
  const { stores, transcript } = world;
  const draft = { ...blank('decision'), title: 'Use Redis for the job queue' };
  const { id } = await rememberFromUser(
    stores,
    { draft, dir: transcript.cwd },
    new Date('2026-03-01T10:00:00Z'),
  );
  transcript.write(transcript.lines({ prompt: PROMPT, answer: '', tools: [NOTE_CALL] }).slice(0, 2));
  const ends = [id.slice(0, 10)];
  assert.deepEqual(await world.note({ draft: undefined, ends, quote: 'not said' }), {
    kind: 'refused',
    reason: 'by-user',
  });
  stored(await world.note({ ends, quote: "let's go with pg-boss" }));
  assert.equal(stores.index.memory(id)?.state, 'superseded');
});

test('during a pause nothing is stored', async (t) => {
  const world = await open(t);
  world.stores.index.setMeta('paused:everywhere:', '2026-03-01T10:00:00Z');
  assert.deepEqual(await world.note({}), { kind: 'refused', reason: 'paused' });
});

function stored(outcome: NoteOutcome): Memory {
  assert.equal(outcome.kind, 'stored', JSON.stringify(outcome));
  return outcome.memory ?? assert.fail('no memory');
}

function blank(kind: MemoryKind) {
  return { kind, title: TITLE, body: '', facts: [], concepts: [], files: [] };
}

async function open(t: TestContext, { session = true } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'agent-notes-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  const transcript = new SyntheticTranscript({ config: home, cwd, session: uuid('main') });
  const { project } = await lookUpProject(stores, cwd, EVERYWHERE);
  if (session)
    await recordSession(stores, {
      kind: 'session',
      at: '2026-03-02T09:00:00.000Z',
      session: transcript.session,
      change: 'started',
      project: project.id,
      agent: 'claude-code',
      status: 'active',
      transcript: transcript.path,
      worktree: cwd,
    });
  const note = ({
    kind = 'decision',
    ...request
  }: Partial<Omit<NoteRequest, 'draft'>> & {
    kind?: MemoryKind;
    draft?: undefined;
  }): Promise<NoteOutcome> => {
    const { draft: _, ...given } = request;
    return noteFromAgent(
      stores,
      {
        quote: '',
        ends: [],
        dir: cwd,
        session: transcript.session,
        call: `toolu_${uuid(transcript.session, 'tool', '0-0')}`,
        ...('draft' in request ? {} : { draft: blank(kind) }),
        ...given,
      },
      EVERYWHERE,
      new Date('2026-03-02T09:30:00.000Z'),
    );
  };
  const capture = () =>
    captureTranscript(stores, localDistiller, {
      agent: 'claude-code',
      path: transcript.path,
      session: transcript.session,
      project: project.id,
      root: cwd,
      stoppedAt: '2030-01-01T00:00:00.000Z',
    });
  return { stores, transcript, note, capture };
}
