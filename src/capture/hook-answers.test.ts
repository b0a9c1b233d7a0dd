import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import { DEFAULT_CONFIG, type Config } from '../config/index.ts';
import { placesIn, type MemoryDraft } from '../core/index.ts';
import { noteInstruction } from '../distill/index.ts';
import { addMemories, memoriesOf, type Stores } from '../memory/index.ts';
import { Branches } from './git/branches.ts';
import { FileStates } from './git/file-states.ts';
import { signalsFrom } from './git/signals.ts';
import { answerHook, type Answer, type PendingAction, type Question } from './hook-answers.ts';
import { openStores } from './open-stores.ts';
import { noteInjection } from './record-use.ts';

const PROJECT = 'engine-abc123';
const ASK = noteInstruction('answer');
/** The client drops a longer text (docs/claude-code.md). */
const LIMIT = 10_000;

test('the first session of a project is asked for notes, without a message for the user', async (t) => {
  const { context, message } = answer(await open(t), {});
  assert.equal(context, ASK);
  assert.equal(message, undefined);
});

test('the brief ends with the instruction and fits the limit of the client', async (t) => {
  const stores = await open(t);
  const draft = (i: number): MemoryDraft => ({
    kind: i % 2 ? 'decision' : 'issue',
    title: `Entry ${i} about shard ${i} and the parts of the system that depend on it`,
    body: `Details ${i}. ${'More words that fill the line. '.repeat(6)}`,
    facts: [],
    concepts: [],
    files: [],
  });
  const turns = Array.from({ length: 60 }, (_, i) =>
    sampleTurn({ id: `t${i}`, startedAt: `2026-03-01T10:${String(i).padStart(2, '0')}:00Z` }),
  );
  const memories = turns.flatMap((turn, i) => memoriesOf([draft(i)], turn, 'local'));
  await addMemories(stores, memories, []);
  const { context } = answer(stores, { 'recall.briefTokens': 2500 });
  assert.ok(context.endsWith(ASK), context.slice(-300));
  assert.match(context, /Entry \d+ about shard/);
  assert.ok(context.length <= LIMIT, String(context.length));
});

test('no session is asked where notes, capture or recall are off', async (t) => {
  const stores = await open(t);
  for (const off of [
    { 'capture.agentNotes': 'off' },
    { 'capture.enabled': false },
    { 'recall.enabled': false },
  ] as const)
    assert.equal(answer(stores, off).context, '', JSON.stringify(off));
});

test('a rule for every project is in the brief of a project without memories and after a compaction', async (t) => {
  const stores = await open(t);
  const draft = { body: '', facts: [], concepts: [], files: [], evidence: 'said' as const };
  const rule: MemoryDraft = { ...draft, kind: 'preference', title: 'Answer in German', personal: true };
  const elsewhere = sampleTurn({ id: 't0', project: 'shop-x', startedAt: '2026-01-01T10:00:00Z' });
  await addMemories(stores, memoriesOf([rule], elsewhere, 'local'), []);
  for (const source of ['startup', 'clear', 'compact', 'resume'])
    assert.match(answer(stores, {}, source).context, /Answer in German/, source);

  const turns = Array.from({ length: 90 }, (_, i) =>
    sampleTurn({
      id: `t${i + 1}`,
      project: PROJECT,
      startedAt: `2026-03-01T1${Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')}:00Z`,
    }),
  );
  const newer = turns.flatMap((turn, i) =>
    memoriesOf([{ ...draft, kind: 'decision', title: `Shard ${i} owns lock number ${i}` }], turn, 'local'),
  );
  await addMemories(stores, newer, []);
  for (const source of ['startup', 'compact'])
    assert.match(answer(stores, {}, source).context, /in force\n- Answer in German/, source);
});

test('a resumed session still has the instruction and is not asked again', async (t) => {
  assert.equal(answer(await open(t), {}, 'resume').context, '');
});

test('reads of a session share their tokens, also after a restart of the daemon', async (t) => {
  const stores = await open(t);
  const turn = sampleTurn({ id: 't1', startedAt: '2026-03-01T10:00:00Z' });
  const body = 'What was decided about this part, in a few more words than needed. '.repeat(12);
  const drafts = Array.from({ length: 8 }, (_, i): MemoryDraft => {
    const files = [`src/part-${i}.ts`];
    return { kind: 'decision', title: `Part ${i} owns its lock`, body, facts: [], concepts: [], files };
  });
  const memories = memoriesOf(drafts, turn, 'local');
  await addMemories(stores, memories, []);
  const at = (i: number) => `2026-03-02T10:0${i}:00.000Z`;
  const injected: number[] = [];
  for (const [i, { files }] of drafts.entries()) {
    const answer = ask(stores, {}, { name: 'PostToolUse', files });
    assert.equal(answer.isSpent ?? false, answer.memories.length === 0);
    if (answer.memories.length > 0) injected.push(i);
    await noteInjection(stores, { ...answer, session: 's9', event: `read-${i}`, at: at(i) });
  }
  assert.deepEqual(injected, [0, 1]);
  const edit = ask(stores, {}, { name: 'PreToolUse', files: ['src/part-7.ts'] });
  assert.equal(edit.memories.length, 1, 'an edit has tokens of its own');
  const other = ask(stores, {}, { name: 'PostToolUse', session: 's10', files: ['src/part-7.ts'] });
  assert.equal(other.memories.length, 1, 'and so has another session');
});

const STOPS = { 'recall.stopOnce': true } as const;
const CALL: PendingAction = {
  action: { kind: 'command', command: 'npx prisma migrate reset', cwd: '/p', root: '/p' },
  prompts: ['Fix the seed.'],
  answer: '',
  stopped: [],
  asks: false,
};

test('a call that a rule forbids is stopped once in a session, also after a restart of the daemon', async (t) => {
  const stores = await withRule(t);
  const stopped = ask(stores, STOPS, { name: 'PreToolUse', call: CALL });
  assert.equal(stopped.where, 'stop');
  assert.match(
    decisionOf(stopped).permissionDecisionReason ?? '',
    /forbids `prisma migrate reset`[\s\S]*repeat/,
  );
  assert.equal(decisionOf(stopped).permissionDecision, 'deny');
  const note = { ...stopped, session: 's9', event: 'call-1', at: '2026-03-02T10:00:00.000Z', agent: 'a1' };
  await noteInjection(stores, note);
  assert.equal(ask(stores, STOPS, { name: 'PreToolUse', call: CALL }).output, '');
  const other = ask(stores, STOPS, { name: 'PreToolUse', call: CALL, session: 's10' });
  assert.equal(other.where, 'stop', 'another session is stopped too');
});

test('a user who can be asked is asked, in words without a fence', async (t) => {
  const found = ask(await withRule(t), STOPS, { name: 'PreToolUse', call: { ...CALL, asks: true } });
  const { permissionDecision, permissionDecisionReason = '' } = decisionOf(found);
  assert.equal(permissionDecision, 'ask');
  assert.match(permissionDecisionReason, /^Tidemark: a memory forbids prisma migrate reset: "Never run /);
});

test('a memory that the user was asked about is still new to the agent', async (t) => {
  const stores = await withRule(t);
  const asked = ask(stores, STOPS, { name: 'PreToolUse', call: { ...CALL, asks: true } });
  assert.equal(asked.isAsked, true);
  await noteInjection(stores, { ...asked, session: 's9', event: 'call-1', at: '2026-03-02T10:00:00.000Z' });
  const prompt = 'Should we run prisma migrate reset on the seed?';
  const given = ask(stores, {}, { name: 'UserPromptSubmit', prompt });
  assert.deepEqual(
    given.memories.map(({ id }) => id),
    asked.memories.map(({ id }) => id),
  );
});

test('nothing is stopped by default, without recall, or after a moment ago', async (t) => {
  const stores = await withRule(t);
  const [{ id = '' } = {}] = ask(stores, STOPS, { name: 'PreToolUse', call: CALL }).memories;
  for (const [config, call] of [
    [{}, CALL],
    [{ ...STOPS, 'recall.enabled': false }, CALL],
    [STOPS, { ...CALL, stopped: [id] }],
    [STOPS, { ...CALL, prompts: [] }],
  ] as const)
    assert.equal(ask(stores, config, { name: 'PreToolUse', call }).output, '', JSON.stringify(config));
});

async function withRule(t: TestContext): Promise<Stores> {
  const stores = await open(t);
  const turn = sampleTurn({ id: 't1', startedAt: '2026-03-01T10:00:00Z' });
  const title = 'Never run prisma migrate reset, it wipes the seed';
  const rule = { kind: 'preference', title, body: '', facts: [], concepts: [], files: [] } as const;
  await addMemories(stores, memoriesOf([{ ...rule, evidence: 'said' }], turn, 'local'), []);
  return stores;
}

function decisionOf({ output }: Answer) {
  const { hookSpecificOutput } = JSON.parse(output || '{}') as {
    hookSpecificOutput?: { permissionDecision?: string; permissionDecisionReason?: string };
  };
  return hookSpecificOutput ?? {};
}

function answer(stores: Stores, config: Partial<Config>, source = 'startup') {
  const { output } = ask(stores, config, { name: 'SessionStart', source });
  const json = JSON.parse(output || '{}') as {
    systemMessage?: string;
    hookSpecificOutput?: { additionalContext: string };
  };
  return { context: json.hookSpecificOutput?.additionalContext ?? '', message: json.systemMessage };
}

function ask(
  stores: Stores,
  config: Partial<Config>,
  asked: Partial<Question> & Pick<Question, 'name'>,
): Answer {
  const place = {
    project: { id: PROJECT, name: 'engine', keys: [], paths: [] },
    isNew: false,
    save: [],
    root: '/home/ada/engine',
    ignored: false,
    wantsRootCommit: false,
    signals: signalsFrom(stores.index, { states: new FileStates(), branches: new Branches() }, {}),
  };
  const question = { session: 's9', projectDir: place.root, already: [], since: '', ...asked };
  const now = new Date('2026-03-02T10:00:00Z');
  return answerHook(stores.index, question, place, { ...DEFAULT_CONFIG, ...config }, now);
}

async function open(t: TestContext): Promise<Stores> {
  const home = mkdtempSync(join(tmpdir(), 'hook-answers-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  return stores;
}
