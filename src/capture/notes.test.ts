import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { bash, call, sampleTurn } from '../../test/support/sample-turn.ts';
import { evidenceOf, placesIn, shortId, sourceOf, type StoredTurn } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import type { Stores } from '../memory/index.ts';
import { openStores } from './open-stores.ts';
import { rememberFromUser } from './remember.ts';
import { storeTurn, storeTurns } from './store-turn.ts';

const PROMPT = "yeah let's go with pg-boss then";
const NOTE = `Noted (decision): Use pg-boss for the job queue, because it needs no Redis. ("let's go with pg-boss")`;

test('a note becomes a memory of its session and turn, by the agent, said by the user', async (t) => {
  const stores = await open(t);
  const { memories } = await store(stores, { prompt: PROMPT, answer: `Installed it.\n\n${NOTE}` });
  const [memory] = memories;
  assert.ok(memory);
  assert.equal(memory.title, 'Use pg-boss for the job queue');
  assert.equal(memory.kind, 'decision');
  assert.equal(memory.reason, 'According to the agent: it needs no Redis');
  assert.equal(sourceOf(memory), 'agent');
  assert.equal(evidenceOf(memory), 'said');
  assert.equal(memory.provenance.session, 'session-1');
  assert.equal(memory.provenance.turn, 'turn-1');
  assert.equal(stores.index.memory(memory.id)?.title, memory.title);
});

test('the evidence of a note comes from the turn, not from the note', async (t) => {
  const stores = await open(t);
  const tools = [
    bash('npm test'),
    call({ name: 'Read', output: 'All services must use Redis for queues.' }),
    { ...bash('redis-cli ping'), output: 'NOAUTH Authentication required.' },
  ];
  const { memories } = await store(stores, {
    prompt: 'why does the queue fail?',
    tools,
    answer: [
      'The queue needs a password, and the worker never sends one.',
      '',
      'Noted (discovery): The queue needs a password. ("NOAUTH Authentication required.")',
      'Noted (discovery): The worker never sends a password. ("the worker never sends one")',
      'Noted (issue): The user wants the queue replaced. ("please replace the queue")',
      'Noted (preference): Every service uses Redis for queues. ("All services must use Redis for queues.")',
    ].join('\n'),
  });
  const evidence = new Map(memories.map((memory) => [memory.title, evidenceOf(memory)]));
  assert.deepEqual(Object.fromEntries(evidence), {
    'The queue needs a password': 'shown',
    'The worker never sends a password': 'claimed',
    'The user wants the queue replaced': 'claimed',
  });
});

for (const [how, named] of [
  ['the beginning of its id', (id: string) => id.slice(0, 10)],
  ['its short id', shortId],
] as const)
  test(`a note ends the memory it names by ${how}`, async (t) => {
    const stores = await open(t);
    const first = await store(stores, {
      prompt: 'the waitlist test is flaky, look at it on monday',
      answer: 'I left it.\n\nNoted (issue): The waitlist test is flaky. ("the waitlist test is flaky")',
    });
    const issue = first.memories.find(({ provenance }) => provenance.by === 'agent');
    assert.ok(issue);
    await store(stores, {
      id: 'turn-2',
      startedAt: '2026-03-02T10:00:00Z',
      endedAt: '2026-03-02T10:05:00Z',
      prompt: 'fix the waitlist test',
      answer: `It is stable now, 50 runs.\n\nNoted (ends ${named(issue.id)}): The waitlist test is stable. ("stable now, 50 runs")`,
    });
    const ended = stores.index.memory(issue.id);
    assert.equal(ended?.state, 'resolved');
    assert.equal(ended.ended?.turn, 'turn-2');
  });

test('a note ends an earlier note of its session by the first words', async (t) => {
  const stores = await open(t);
  await store(stores, { prompt: PROMPT, answer: `Installed it.\n\n${NOTE}` });
  const later = (id: string, session: string) =>
    store(stores, {
      id,
      session,
      startedAt: '2026-03-02T10:00:00Z',
      endedAt: '2026-03-02T10:01:00Z',
      prompt: 'no, back to cron',
      answer: 'Reverted.\n\nNoted (decision, ends "Use pg-boss for"): Jobs run from cron. ("back to cron")',
    });
  const states = () => stores.index.memoriesBy({ limit: 9 }).map(({ title, state }) => `${title}: ${state}`);
  await later('turn-8', 'another-session');
  assert.ok(states().includes('Use pg-boss for the job queue: current'), states().join());
  await later('turn-9', 'session-1');
  assert.ok(states().includes('Use pg-boss for the job queue: superseded'), states().join());
});

test('a note of an imported batch ends a memory of an earlier turn of the same batch', async (t) => {
  const stores = await open(t);
  const title = 'Always use npm for installs here';
  const turns = [
    sampleTurn({ prompt: `${title}, never yarn.`, answer: 'Understood, npm it is.' }),
    sampleTurn({ id: 'turn-2', startedAt: '2026-03-02T10:00:00Z', endedAt: '2026-03-02T10:01:00Z' }),
  ];
  const [made] = await storeTurns(stores, localDistiller, turns.slice(0, 1), { project: 'engine-abc123' });
  const id = made?.memories[0]?.id ?? '';
  assert.notEqual(id, '');
  const other = await open(t);
  const note = `Noted (preference, ends ${id}): Use pnpm for installs. ("pnpm from now on")`;
  const second = { ...turns[1], prompt: 'pnpm from now on', answer: `Switched.\n\n${note}` } as StoredTurn;
  await storeTurns(other, localDistiller, [turns[0] as StoredTurn, second], { project: 'engine-abc123' });
  assert.equal(other.index.memory(id)?.state, 'superseded');
});

test('rules add nothing that a note says, and do not read the note', async (t) => {
  const stores = await open(t);
  const { memories } = await store(stores, {
    prompt: 'Always use tabs for indentation, never spaces.',
    answer:
      'Changed it to tabs.\n\nNoted (preference): Always use tabs for indentation, never spaces. ("Always use tabs")',
  });
  assert.deepEqual(
    memories.map(({ provenance }) => provenance.by),
    ['agent'],
  );
});

test('reading a turn again changes nothing, and a deleted note does not come back', async (t) => {
  const stores = await open(t);
  const parts = { prompt: PROMPT, answer: `Installed it.\n\n${NOTE}` };
  const [memory] = (await store(stores, parts)).memories;
  assert.ok(memory);
  await store(stores, parts);
  await store(stores, { ...parts, messages: ['turn-1', 'more'] });
  assert.equal(stores.index.memoriesBy({ limit: 10 }).length, 1);
  await stores.journal.remove([memory.id]);
  stores.index.removeMemories([memory.id]);
  await store(stores, { ...parts, messages: ['turn-1', 'more', 'again'] });
  assert.equal(stores.index.memoriesBy({ limit: 10 }).length, 0);
});

test('a note that arrives after the turn was distilled is stored', async (t) => {
  const stores = await open(t);
  await store(stores, { prompt: PROMPT, answer: '', outcome: 'interrupted' });
  await store(stores, { prompt: PROMPT, answer: `Installed it.\n\n${NOTE}` });
  const [memory] = stores.index.memoriesBy({ limit: 10 });
  assert.equal(memory?.title, 'Use pg-boss for the job queue');
});

test('a note of a turn that is too short for a distiller is stored', async (t) => {
  const stores = await open(t);
  const { memories } = await store(stores, {
    prompt: 'B',
    answer: `ok\n\n${NOTE}`,
    tools: [call({ name: 'TodoWrite' })],
  });
  assert.equal(memories.length, 1);
  assert.equal(evidenceOf(memories[0] ?? assert.fail()), 'claimed');
});

test('notes wait for review where the project requires it', async (t) => {
  const stores = { ...(await open(t)), needsReview: () => true };
  await store(stores, { prompt: PROMPT, answer: `Installed it.\n\n${NOTE}` });
  assert.equal(stores.index.memoriesBy({ limit: 10 }).length, 0);
  assert.deepEqual(
    stores.index.waiting().map(({ title }) => title),
    ['Use pg-boss for the job queue'],
  );
});

test('notes that the agent writes although they are switched off are not stored', async (t) => {
  const stores = { ...(await open(t)), takesNotes: () => false };
  const tabs = 'Always use tabs for indentation, never spaces.';
  const answer = `Done.\n\n${NOTE}\nNoted (preference): ${tabs} ("Always use tabs for indentation")`;
  const { memories } = await store(stores, { prompt: tabs, answer });
  assert.deepEqual(
    memories.map(({ provenance }) => provenance.by),
    ['local'],
  );
});

test('a note ends what the user wrote only by words of the user', async (t) => {
  const stores = await open(t);
  const draft = {
    kind: 'decision',
    title: 'Use pg-boss',
    body: '',
    facts: [],
    concepts: [],
    files: [],
  } as const;
  const { id } = await rememberFromUser(stores, { draft }, new Date('2026-03-01T10:00:00Z'));
  const later = (n: number, answer: string) =>
    store(stores, {
      id: `turn-${n}`,
      startedAt: `2026-03-0${n}T10:00:00Z`,
      endedAt: `2026-03-0${n}T10:01:00Z`,
      prompt: 'we do without pg-boss from now on',
      answer,
    });
  await later(2, `Removed.\n\nNoted (ends ${id}): pg-boss is gone. ("removed")`);
  assert.equal(stores.index.memory(id)?.state, 'current');
  await later(3, `Removed.\n\nNoted (ends ${id}): pg-boss is gone. ("we do without pg-boss")`);
  assert.equal(stores.index.memory(id)?.state, 'superseded');
});

test('a note ends nothing of the user with words about something else', async (t) => {
  const stores = await open(t);
  const draft = {
    kind: 'preference',
    title: 'Deploy only on Fridays',
    body: '',
    facts: [],
    concepts: [],
    files: [],
  } as const;
  const { id } = await rememberFromUser(stores, { draft }, new Date('2026-03-01T10:00:00Z'));
  const answer = `Ok.\n\nNoted (ends ${id}): All memories are over. ("look at this page")`;
  await store(stores, { startedAt: '2026-03-02T10:00:00Z', prompt: 'please look at this page', answer });
  assert.equal(stores.index.memory(id)?.state, 'current');
});

test('an answer that ends a whole list of memories ends none', async (t) => {
  const stores = await open(t);
  const noted = (n: number) => `Noted (decision): Queue number ${n} runs on host h${n}. ("run them")`;
  const ids: string[] = [];
  for (const n of [1, 2]) {
    const lines = [1, 2, 3, 4, 5].map((one) => noted(one + 5 * n)).join('\n');
    const answer = `Ok.\n\n${lines}`;
    const { memories } = await store(stores, { id: `turn-${n}`, prompt: 'run them', answer });
    ids.push(...memories.map((memory) => memory.id));
  }
  assert.equal(ids.length, 10);
  const ends = (some: readonly string[]) =>
    `Ok.\n\nNoted (ends ${some.join(', ')}): They are over. ("over now")`;
  const later = {
    startedAt: '2026-03-02T10:00:00Z',
    endedAt: '2026-03-02T10:01:00Z',
    prompt: 'they are over now',
  };
  const live = () => stores.index.memoriesBy({ state: ['current'], limit: 20 }).length;
  await store(stores, { ...later, id: 'turn-8', answer: ends(ids) });
  assert.equal(live(), 10);
  await store(stores, { ...later, id: 'turn-9', answer: ends(ids.slice(0, 2)) });
  assert.equal(live(), 8);
});

test('the stored turn keeps the notes, the index and the search do not', async (t) => {
  const stores = await open(t);
  await store(stores, { prompt: PROMPT, answer: `Installed it.\n\n${NOTE}` });
  const indexed = stores.index.turn('turn-1');
  assert.equal(indexed?.answer, 'Installed it.');
  assert.ok(indexed.location);
  assert.match((await stores.turns.get(indexed.location))?.answer ?? '', /Noted \(decision\)/);
});

async function open(t: TestContext): Promise<Stores> {
  const home = mkdtempSync(join(tmpdir(), 'notes-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  return stores;
}

function store(stores: Stores, parts: Partial<StoredTurn>) {
  return storeTurn(stores, localDistiller, sampleTurn(parts), { project: 'engine-abc123' });
}
