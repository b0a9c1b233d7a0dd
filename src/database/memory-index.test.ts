import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sampleMemory } from '../../test/support/full-memory.ts';
import { type Memory, type Session } from '../core/index.ts';
import { MemoryIndex } from './memory-index.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { queryWords, tokensOf } from './text/tokens.ts';

let folder: string;
let path: string;
let index: MemoryIndex;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-index-'));
  path = join(folder, 'index', 'tidemark.db');
  index = MemoryIndex.open(path);
});

afterEach(() => {
  index.close();
  rmSync(folder, { recursive: true });
});

const asTokens = (text: string): readonly string[] => queryWords(text).flatMap(tokensOf);
const asked = (text: string, reach = 0) => ({
  tokens: asTokens(text),
  filters: [{}],
  limit: 10,
  weights: [1, 1, 1, 1, 1, 1, 1],
  reach,
});
const find = (text: string): readonly string[] =>
  index.candidates(asked(text)).map(({ row }) => index.memoriesAt([row]).get(row)?.id ?? '');
const put = (...memories: readonly Memory[]) => index.upsertMemories(memories.map((memory) => ({ memory })));

test('a memory is read exactly as it was written', () => {
  const memory = sampleMemory({
    id: 'aaaaaaaaaaaaaa',
    reason: 'theft',
    facts: ['one', 'two'],
    concepts: ['auth'],
    files: ['src/auth/refresh.ts'],
    branch: 'main',
    supersedes: ['bbbbbbbbbbbbbb'],
    supersededBy: 'cccccccccccccc',
    state: 'superseded',
  });
  index.upsertMemories([{ memory, journal: 'payments-a1b2/2026-11-13.md', line: 7 }]);
  assert.deepEqual(index.memoryEntry(memory.id), { memory, journal: 'payments-a1b2/2026-11-13.md', line: 7 });
});

test('a memory without optional fields is read without them', () => {
  const memory = sampleMemory({ id: 'aaaaaaaaaaaaaa' });
  put(memory);
  assert.deepEqual(index.memoryEntry(memory.id), { memory });
});

test('a prefix of an id finds the memory if only one id has it', () => {
  put(sampleMemory({ id: 'aaaa1111111111' }), sampleMemory({ id: 'aaab1111111111' }));
  assert.equal(index.memory('aaaa')?.id, 'aaaa1111111111');
  assert.equal(index.memory('aaa'), undefined);
  assert.equal(index.memory(''), undefined);
});

test('a short id or its beginning finds the memory if no other has it', () => {
  put(
    sampleMemory({ id: 'aaaaaaa2222222' }),
    sampleMemory({ id: 'aaaaaab2222233' }),
    sampleMemory({ id: 'aaaaaac4444444' }),
    sampleMemory({ id: 'aaaaaad4444444' }),
  );
  assert.equal(index.memory('2222222')?.id, 'aaaaaaa2222222');
  assert.equal(index.memory('2222233')?.id, 'aaaaaab2222233');
  assert.equal(index.memory('22222'), undefined);
  assert.equal(index.memory('4444444'), undefined);
  assert.deepEqual(index.idsBeginning('memory', '4444444', 3), ['aaaaaac4444444', 'aaaaaad4444444']);
  assert.equal(index.memory('2222'), undefined);
});

test('a merged memory is found by its short id', () => {
  const [one, other] = [sampleMemory({ id: 'aaaaaaa2222222' }), sampleMemory({ id: 'aaaaaab3333333' })];
  put(one);
  index.putMerged({ memory: other, into: one.id, by: 'person' });
  assert.equal(index.merged('3333333')?.into, one.id);
  assert.equal(index.merged('2222222'), undefined);
});

test('writing a memory with the same text again updates only its other fields', () => {
  const memory = sampleMemory({ id: 'aaaaaaaaaaaaaa' });
  assert.deepEqual(put(memory), { added: 1, changed: 0, same: 0 });
  assert.deepEqual(put({ ...memory, state: 'superseded' }), { added: 0, changed: 0, same: 1 });
  assert.equal(index.memory(memory.id)?.state, 'superseded');
  assert.deepEqual(put({ ...memory, body: 'Other words.' }), { added: 0, changed: 1, same: 0 });
  assert.deepEqual(find('stolen'), []);
  assert.deepEqual(find('other words'), [memory.id]);
});

test('identifiers, paths, error codes and CJK are found', () => {
  put(
    sampleMemory({ id: 'a0000000000000', title: 'useAuthToken caches for a minute' }),
    sampleMemory({ id: 'b0000000000000', files: ['src/auth/jwt.ts'] }),
    sampleMemory({ id: 'c0000000000000', body: 'Node threw ERR_REQUIRE_ESM' }),
    sampleMemory({ id: 'd0000000000000', title: 'JWT实现讨论' }),
  );
  assert.equal(find('auth token caching')[0], 'a0000000000000');
  assert.equal(find('jwt.ts')[0], 'b0000000000000');
  assert.equal(find('src/auth/jwt.ts')[0], 'b0000000000000');
  assert.deepEqual(find('ERR_REQUIRE_ESM'), ['c0000000000000']);
  assert.deepEqual(find('实现'), ['d0000000000000']);
});

test('the neighbours of a good entry in its session are candidates too, and each candidate has its neighbours', () => {
  const at = (minute: number): string => `2026-11-13T10:0${minute}:00.000Z`;
  put(
    sampleMemory({ id: 'a0000000000000', at: at(0), title: 'First', body: 'nothing' }),
    sampleMemory({ id: 'b0000000000000', at: at(1), title: 'Second', body: 'the zebra question' }),
    sampleMemory({ id: 'c0000000000000', at: at(2), title: 'Third', body: 'yes, it has stripes' }),
    sampleMemory({ id: 'd0000000000000', at: at(3), title: 'Fourth', body: 'nothing' }),
    sampleMemory({
      id: 'e0000000000000',
      at: at(2),
      title: 'Elsewhere',
      body: 'nothing',
      provenance: { agent: 'claude-code', session: 's2', turn: 't9', messages: [], by: 'local' },
    }),
  );
  const found = index.candidates(asked('zebra', 2));
  const ids = index.memoriesAt(found.map(({ row }) => row));
  assert.deepEqual(
    found.map(({ row, bm25 }) => [ids.get(row)?.title, bm25 > 0]),
    [
      ['Second', true],
      ['First', false],
      ['Third', false],
    ],
  );
  const third = found.find(({ row }) => ids.get(row)?.title === 'Third');
  assert.deepEqual(third?.near.find(({ counts }) => counts.has('zebra'))?.distance, 1);
  assert.equal(index.candidates(asked('zebra')).length, 1);
});

test('no character in a query is a syntax error', () => {
  put(sampleMemory({ id: 'a0000000000000' }));
  for (const text of ['"', '" OR *', 'NEAR(a b)', 'title:x', '-x', '\u0000', 'AND', '(((']) find(text);
});

test('filters by project, kind, state, session, file, journal and time', () => {
  index.upsertMemories([
    {
      memory: sampleMemory({
        id: 'a0000000000000',
        files: ['src/auth/jwt.ts'],
        at: '2026-11-01T00:00:00.000Z',
      }),
      journal: 'x.md',
    },
    { memory: sampleMemory({ id: 'b0000000000000', kind: 'issue', state: 'open', files: ['lib/jwt.ts'] }) },
    { memory: sampleMemory({ id: 'c0000000000000', project: 'other-c3d4', files: ['notjwt.ts'] }) },
  ]);
  const ids = (filter: Parameters<MemoryIndex['memoriesBy']>[0]) =>
    index
      .memoriesBy(filter)
      .map(({ id }) => id[0])
      .join('');
  assert.equal(ids({ project: 'other-c3d4' }), 'c');
  assert.equal(ids({ project: ['other-c3d4', 'payments-a1b2'], order: 'oldest' }), 'abc');
  assert.equal(ids({ kind: 'issue' }), 'b');
  assert.equal(ids({ state: ['open', 'resolved'] }), 'b');
  assert.equal(ids({ session: 'nobody' }), '');
  assert.equal(ids({ file: 'jwt.ts' }), 'ba');
  assert.equal(ids({ file: './auth/jwt.ts' }), 'a');
  assert.equal(ids({ journal: 'x.md' }), 'a');
  assert.equal(ids({ since: '2026-11-02' }), 'cb');
  assert.equal(ids({ until: '2026-11-02' }), 'a');
  assert.equal(ids({ limit: 1, offset: 1 }), 'b');
});

test('a search in one project finds only its memories, whatever its name is', () => {
  const names = ['app', 'App', 'a b', 'a~b', '日本-1a2b', 'a" OR "b', 'clock'];
  put(
    ...names.map((project, i) =>
      sampleMemory({ id: `aaaaaaaaaaaaa${i}`, title: 'the clock was slow', project }),
    ),
  );
  for (const [i, project] of names.entries()) {
    const found = index.candidates({ ...asked('clock'), filters: [{ project }] });
    const ids = found.map(({ row }) => index.memoriesAt([row]).get(row)?.id);
    assert.deepEqual(ids, [`aaaaaaaaaaaaa${i}`], project);
  }
  assert.equal(index.candidates({ ...asked('clock'), filters: [{ project: ['app', 'a b'] }] }).length, 2);
  assert.deepEqual(index.candidates({ ...asked('clock'), filters: [{ project: [] }] }), []);
  assert.deepEqual(find('app'), [], 'the name of a project is no word of its memories');
});

test('a memory that moved to another project is found there', () => {
  const memory = sampleMemory({ id: 'aaaaaaaaaaaaaa', title: 'the clock was slow', project: 'old' });
  put(memory);
  put({ ...memory, project: 'new' });
  const memoriesIn = (project: string) =>
    index.candidates({ ...asked('clock'), filters: [{ project }] }).length;
  assert.deepEqual([memoriesIn('old'), memoriesIn('new')], [0, 1]);
});

test('a removed memory leaves no text on the disk', () => {
  put(
    sampleMemory({
      id: 'a0000000000000',
      title: 'zanzibarquux',
      facts: ['xylophonetic'],
      files: ['src/plutarch.ts'],
    }),
  );
  put(sampleMemory({ id: 'b0000000000000' }));
  index.checkpoint();
  assert.ok(readFileSync(path).includes('zanzibarquux'));
  assert.equal(index.removeMemories(['a0000000000000', 'unknown']), 1);
  index.checkpoint();
  const bytes = Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)]);
  for (const word of ['zanzibarquux', 'zanzibar', 'xylophonetic', 'plutarch'])
    assert.ok(!bytes.includes(word), word);
  assert.deepEqual(find('zanzibarquux'), []);
  assert.deepEqual(index.problems(), []);
});

const TURN = {
  id: 't1',
  session: 's1',
  project: 'payments-a1b2',
  at: '2026-11-13T10:00:00.000Z',
  endedAt: '2026-11-13T10:05:00.000Z',
  hash: 'h1',
  origin: 'person',
  outcome: 'answered',
  prompt: 'why does the webhook fail',
  answer: 'the signature covers the raw body',
  tools: 3,
  location: { file: 'payments-a1b2/2026-11.jsonl.gz', offset: 10, length: 200 },
} as const;

test('a turn is stored with its files and commits, and found by them', () => {
  const work = { edited: ['src/hook.ts'], commits: [{ hash: '3f2a1bc', subject: 'Check the raw body' }] };
  const later = { ...TURN, ...work, id: 't2', at: '2026-11-14T10:00:00.000Z' };
  index.upsertTurns([later, TURN]);
  assert.deepEqual(index.turn('t2'), later);
  assert.equal(index.searchTurns(asTokens('hook 3f2a1bc'), {}, 5)[0]?.turn.id, 't2');
});

test('turns are stored, found and removed', () => {
  const turn = TURN;
  index.upsertTurns([turn]);
  index.upsertTurns([{ ...turn, answer: 'the clock was wrong' }]);
  assert.deepEqual(index.turn('t1'), { ...turn, answer: 'the clock was wrong' });
  assert.equal(index.hasTurn('t1'), true);
  assert.equal(index.hasTurn('t2'), false);
  assert.equal(index.searchTurns(asTokens('signature'), {}, 5).length, 0);
  assert.equal(
    index.searchTurns(asTokens('webhook clock'), { project: 'payments-a1b2' }, 5)[0]?.turn.id,
    't1',
  );
  assert.equal(index.searchTurns(asTokens('webhook'), { project: 'other' }, 5).length, 0);
  index.upsertTurns([{ ...turn, project: 'moved' }]);
  assert.equal(index.searchTurns(asTokens('webhook'), { project: turn.project }, 5).length, 0);
  assert.equal(index.searchTurns(asTokens('webhook'), { project: 'moved' }, 5).length, 1);
  assert.equal(index.removeTurns(['t1']), 1);
  assert.equal(index.searchTurns(asTokens('webhook'), {}, 5).length, 0);
});

test('sessions, projects, marks, injections and meta values are stored', () => {
  const session: Session = {
    id: 's1',
    agent: 'claude-code',
    project: 'payments-a1b2',
    startedAt: '2026-11-13T09:00:00.000Z',
    lastAt: '2026-11-13T10:00:00.000Z',
    status: 'completed',
    turns: 5,
    summary: {
      request: 'r',
      investigated: '',
      learned: '',
      completed: 'c',
      next_steps: 'n',
      files_read: '',
      files_edited: '',
      notes: '',
    },
  };
  index.upsertSession(session);
  assert.deepEqual(index.session('s1'), session);
  assert.deepEqual(index.sessions({ project: 'payments-a1b2', limit: 3 }), [session]);
  assert.deepEqual(index.sessions({ project: 'nobody' }), []);

  const project = { id: 'payments-a1b2', name: 'payments', keys: ['remote:x/y', 'path:/p'], paths: ['/p'] };
  index.upsertProject({ ...project, keys: ['path:/old'] });
  index.upsertProject(project);
  assert.deepEqual(index.projects(), [project]);
  assert.deepEqual(index.projectByKey('remote:x/y'), project);
  assert.equal(index.projectByKey('path:/old'), undefined);

  const mark = {
    path: '/t.jsonl',
    session: 's1',
    project: 'p',
    readOffset: 5,
    size: 9,
    inode: 2 ** 60,
    mtime: 1.5,
    headHash: 'h',
  };
  index.setTranscript(mark);
  assert.deepEqual(index.transcripts(), [mark]);
  assert.deepEqual(index.transcript('/t.jsonl'), mark);

  index.setJournalFile({ path: 'a.md', mtime: 1.25, size: 2, hash: 'h' });
  assert.equal(index.journalFile('a.md')?.size, 2);
  index.removeJournalFile('a.md');
  assert.deepEqual(index.journalFiles(), []);

  const injection = {
    at: '2026-11-13T10:00:00.000Z',
    session: 's1',
    place: 'prompt',
    promptId: 'p1',
    memory: 'm',
    score: 0.5,
  };
  index.recordInjection([injection, injection]);
  assert.deepEqual(index.injectedIn('s1'), [injection]);
  assert.deepEqual(index.injectedIn('s1', '2026-11-14'), []);

  index.setMeta('k', 'v');
  assert.equal(index.meta('k'), 'v');
  assert.equal(index.stats().sessions, 1);
});

test('a transaction that fails leaves nothing behind', () => {
  assert.throws(() =>
    index.transaction(() => {
      put(sampleMemory({ id: 'a0000000000000' }));
      throw new Error('stop');
    }),
  );
  assert.equal(index.memory('a0000000000000'), undefined);
  put(sampleMemory({ id: 'b0000000000000' }));
  assert.equal(index.stats().memories, 1);
});

test('an index in memory leaves no file behind', () => {
  MemoryIndex.open(':memory:').close();
  assert.equal(existsSync(':memory:'), false);
});

test('only the owner can read the file', () => {
  put(sampleMemory({ id: 'a0000000000000' }));
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test('a reader sees what the writer wrote and cannot write', () => {
  put(sampleMemory({ id: 'a0000000000000' }));
  const reader = MemoryIndex.open(path, { readOnly: true });
  assert.equal(reader.memory('a0000000000000')?.id, 'a0000000000000');
  assert.throws(() => reader.removeMemories(['a0000000000000']), { code: 'index-unavailable' });
  reader.close();
});

test('a reader of a new file does not prevent the writer from opening it', async () => {
  const fresh = join(folder, 'fresh.db');
  const looking = new Worker(LOOKS_A_WHILE, { eval: true, workerData: fresh });
  await new Promise((resolve) => looking.once('message', resolve));
  MemoryIndex.open(fresh).close();
  await new Promise((resolve) => looking.once('exit', resolve));
});

/** Holds a shared lock on a file that is not in WAL mode yet, as a reader does for a moment. */
const LOOKS_A_WHILE = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const db = new DatabaseSync(workerData);
  db.exec('CREATE TABLE other (id); BEGIN; SELECT * FROM other');
  parentPort.postMessage('looking');
  setTimeout(() => db.close(), 100);
`;

test('a file that is no database, or a damaged one, is reported as corrupt', () => {
  index.close();
  rmSync(`${path}-wal`, { force: true });
  const sound = readFileSync(path);
  writeFileSync(path, 'this is not a database, but it is long enough to look at'.repeat(50));
  assert.throws(() => MemoryIndex.open(path), { code: 'index-corrupt' });
  writeFileSync(path, sound.fill(0x55, 4096));
  assert.throws(() => MemoryIndex.open(path).stats(), { code: 'index-corrupt' });
});

test('an index with the schema of another version is reported, for the writer and for readers', () => {
  const old = join(folder, 'old.db');
  const db = new DatabaseSync(old);
  db.exec(readFileSync(new URL('../../test/fixtures/index/schema-13.sql', import.meta.url), 'utf8'));
  for (const version of [13, 7, SCHEMA_VERSION + 1]) {
    db.exec(`DELETE FROM schema_version WHERE version <> ${version}`);
    db.exec(`INSERT OR REPLACE INTO schema_version VALUES (${version}, 'name', 'why', 'at')`);
    for (const readOnly of [false, true])
      assert.throws(() => MemoryIndex.open(old, { readOnly }), {
        code: 'index-version',
        message: `the index has schema ${version}, this program needs schema ${SCHEMA_VERSION}`,
      });
  }
  db.close();
});

test('a reader of a file without tables gets an error that the index is being created', () => {
  const empty = join(folder, 'empty.db');
  new DatabaseSync(empty).close();
  assert.throws(() => MemoryIndex.open(empty, { readOnly: true }), { code: 'index-version' });
});

test('ten thousand memories are stored and found (prints times, asserts none)', (t) => {
  const nouns = [
    'cache',
    'token',
    'queue',
    'schema',
    'socket',
    'parser',
    'index',
    'journal',
    'webhook',
    'session',
  ];
  const verbs = ['rotates', 'expires', 'blocks', 'retries', 'locks', 'drops', 'merges', 'splits'];
  const pick = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
  const entries = Array.from({ length: 10_000 }, (_, i) => ({
    memory: sampleMemory({
      id: `m${String(i).padStart(13, '0')}`,
      title: `${pick(nouns, i)} ${pick(verbs, i * 7)} in module${i % 613}`,
      body: `${pick(nouns, i * 3)} ${pick(verbs, i)} because handler${i % 997} ${pick(nouns, i + 5)} failed with code${i}`,
      files: [`src/area${i % 31}/file${i % 389}.ts`],
    }),
  }));
  const inserted = elapsed(() => index.upsertMemories(entries));
  const times = Array.from({ length: 50 }, (_, i) =>
    elapsed(() => find(`why does the ${pick(nouns, i)} in module${i} fail with code${i * 7}`)),
  );
  t.diagnostic(
    `insert 10,000: ${inserted.toFixed(0)} ms; search median ${times.toSorted((a, b) => a - b)[25]?.toFixed(2)} ms`,
  );
  assert.equal(find('code4711')[0], 'm0000000004711');
});

function elapsed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

test('a reader finds a word as soon as the writer has added it, also after a search without results', () => {
  put(...Array.from({ length: 200 }, (_, i) => sampleMemory({ id: `memory${String(i).padStart(8, '0')}` })));
  const reader = MemoryIndex.open(path, { readOnly: true });
  const look = () => reader.candidates(asked('zebra')).length;
  assert.equal(look(), 0);
  put(sampleMemory({ id: 'memory00000007', title: 'Keep a zebra' }));
  assert.equal(look(), 1);
  reader.close();
});

test('a reader that searched before the last write finds no problems', () => {
  put(sampleMemory({ id: 'aaaaaaaaaaaaaa' }));
  const reader = MemoryIndex.open(path, { readOnly: true });
  try {
    reader.candidates(asked('refresh'));
    put(sampleMemory({ id: 'bbbbbbbbbbbbbb', title: 'Keep prices in whole cents' }));
    assert.deepEqual(reader.problems(), []);
  } finally {
    reader.close();
  }
});

test('the small model reads the newest session first, and each session from its first turn', () => {
  const turns = [
    ['a2', 'a', '2026-03-04'],
    ['b1', 'b', '2026-03-02'],
    ['a1', 'a', '2026-03-01'],
    ['b2', 'b', '2026-03-03'],
  ] as const;
  index.upsertTurns(
    turns.map(([id, session, day]) => {
      const at = `${day}T10:00:00Z`;
      return { ...TURN, id, session, at, endedAt: at };
    }),
  );
  for (const [id] of turns) index.markDistilled(id, 'local');
  assert.deepEqual(index.keepable(9), ['a1', 'a2', 'b1', 'b2']);
  index.markDistilled('a1', 'small');
  index.markPassed({ turn: 'b1', reason: 'broken' });
  assert.deepEqual(index.keepable(9), ['a2', 'b2']);
  assert.equal(index.keepableCount(), 2);
  const newest = index.newestTurnRow();
  index.upsertTurns([{ ...TURN, id: 'new' }]);
  index.markDistilled('new', 'local');
  assert.deepEqual(index.keepable(9, newest), ['new']);
  assert.deepEqual(index.passedTurns(), [{ turn: 'b1', reason: 'broken' }]);
  index.markDistilled('b1', 'small');
  assert.deepEqual(index.passedTurns(), [], 'read after all');
});

test('memories are filtered by words of title or body', () => {
  put(
    sampleMemory({ id: 'aaaaaaaaaaaaa1', title: 'NEVER push', body: '' }),
    sampleMemory({ id: 'aaaaaaaaaaaaa2', title: 'Push often', body: 'But never to main.' }),
    sampleMemory({ id: 'aaaaaaaaaaaaa3', title: 'Push often', body: '' }),
  );
  const found = index.memoriesBy({ says: ['never', 'forbidden'], limit: 10 });
  assert.deepEqual(found.map(({ id }) => id).toSorted(), ['aaaaaaaaaaaaa1', 'aaaaaaaaaaaaa2']);
  assert.deepEqual(index.memoriesBy({ says: ['%'], limit: 10 }), []);
});
