import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { OpenCodeDatabase, readExport } from '../../../../test/support/opencode-database.ts';
import { summary, turnsOf } from '../../../../test/support/reader-checks.ts';
import { emptyNotes, type TurnRead } from '../../transcript.ts';
import { openCode } from '../index.ts';

const { reader } = openCode;
const SESSIONS = ['main', 'fork', 'compaction', 'subagent-parent', 'subagent-child'];

const EDITED = {
  id: '80fe9376',
  origin: 'person',
  outcome: 'answered',
  prompt:
    'edit it [[think I should write]] [[pre Writing now]] [[tool write {"filePath":"/tmp/w/app/c.txt","content":"one\\n"}]] [[tool edit {"filePath":"/tmp/w/app/c.txt","oldString":"one","newString":"two"}]] [[tool bash {"command":"cat c.txt; exit 3","description":"show"}]] [[say written and checked]]',
  answer: 'Writing now\n\nwritten and checked',
  tools: ['Write: /tmp/w/app/c.txt → ok', 'Edit: /tmp/w/app/c.txt → ok', 'Bash: cat c.txt; exit 3 → error 3'],
};
const SECOND = {
  id: '8b2d2e79',
  origin: 'person',
  outcome: 'answered',
  prompt: 'second [[tool mem_mem_search {"q":"y"}]] [[say second done]]',
  answer: 'second done',
  tools: ['mem_mem_search → ok'],
};

test('a session with edits and a failing command', async (t) => {
  const { database } = open(t);
  const reads = await turnsOf(reader, database.add(readExport('main')));
  assert.deepEqual(summaries(reads), [EDITED, SECOND]);
  const [first] = reads;
  assert.deepEqual(
    first?.turn.tools.map(({ edited }) => edited),
    [['/tmp/w/app/c.txt'], ['/tmp/w/app/c.txt'], []],
  );
  assert.equal(first?.turn.startedAt, '2026-11-16T04:04:39.754Z');
  assert.equal(first?.turn.endedAt, '2026-11-16T04:04:56.679Z');
  assert.equal(first?.turn.cwd, '/tmp/w/app');
  assert.equal(first?.turn.model, 'm');
  assert.equal(first?.turn.clientVersion, '1.18.33');
  assert.deepEqual(first?.promptIds, ['msg_1e2874ac9001PJJ9d8ksiSRhfu']);
  assert.equal(first?.turn.messages.length, 5);
});

test('a fork has the turns of its parent and one more', async (t) => {
  const { database } = open(t);
  const main = await turnsOf(reader, database.add(readExport('main')));
  const fork = await turnsOf(reader, database.add(readExport('fork')));
  assert.deepEqual(summaries(fork).slice(0, 2), [EDITED, SECOND]);
  assert.deepEqual(
    fork.slice(0, 2).map(({ turn }) => turn.id),
    main.map(({ turn }) => turn.id),
  );
  assert.deepEqual(summaries(fork).slice(2), [
    {
      id: 'c031b185',
      origin: 'person',
      outcome: 'answered',
      prompt: 'forked [[say fork done]]',
      answer: 'fork done',
      tools: [],
    },
  ]);
});

test('compaction neither ends nor begins a turn, and its summary is no answer', async (t) => {
  const { database } = open(t);
  const path = database.add(readExport('compaction'));
  const notes = emptyNotes();
  const reads: TurnRead[] = [];
  for await (const read of reader.readTurns(path, { notes })) reads.push(read);
  assert.deepEqual(summaries(reads), [
    {
      id: 'd58a3bb3',
      origin: 'person',
      outcome: 'answered',
      prompt: 'big [[usage 199000]] [[tool bash {"command":"echo big","description":"x"}]] [[say after big]]',
      answer:
        'OK: Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.',
      tools: ['Bash: echo big → ok 0'],
    },
  ]);
  assert.equal(notes.system, 2, 'the compaction and the message to go on');
  assert.equal(notes.title, 'stand-in: no tools offered');
});

test('a prompt that is sent again after a compaction is the same turn', async (t) => {
  const { database } = open(t);
  const compacted = readExport('compaction');
  const [prompt, ...rest] = compacted.messages;
  assert.ok(prompt);
  const messages = [prompt, ...rest].map((message) =>
    message.parts.some(({ metadata }) => metadata !== undefined) // the message to go on
      ? { ...message, parts: prompt.parts.map((part) => ({ ...part, id: `${part.id}again` })) }
      : message,
  );
  const reads = await turnsOf(reader, database.add({ ...compacted, messages }));
  assert.equal(reads.length, 1);
  assert.match(reads[0]?.turn.answer ?? '', /^OK: Continue/);
});

test('a subagent continues the turn with the call that started it', async (t) => {
  const { database } = open(t);
  const main = database.add(readExport('subagent-parent'));
  const child = database.add(readExport('subagent-child'));
  const [subagent, ...others] = await reader.subagentsOf(main);
  assert.deepEqual(others, []);
  const [parent] = await turnsOf(reader, main);
  assert.equal(subagent?.path, child);
  assert.equal(subagent?.toolUseId, parent?.turn.tools[0]?.id);
  assert.deepEqual(parent && summary(parent.turn), {
    id: '105f1de0',
    origin: 'person',
    outcome: 'answered',
    prompt: String.raw`sub [[tool task {"description":"child","prompt":"child task [[tool bash {\"command\":\"echo child\",\"description\":\"x\"}]\u005d [[say child done]\u005d","subagent_type":"general"}]] [[say parent done]]`,
    answer: 'parent done',
    tools: ['Task: child → ok'],
  });
  assert.equal(reader.mainOf(child), main);
  assert.equal(reader.mainOf(main), undefined);
  assert.deepEqual(await reader.subagentsOf(child), []);
  const continued = reader.readTurns(child, { continues: parent?.turn.id ?? '' });
  const turns: TurnRead[] = [];
  for await (const read of continued) turns.push(read);
  assert.deepEqual(summaries(turns), [
    {
      id: 'da7a6329',
      origin: 'subagent',
      outcome: 'answered',
      prompt: 'child task [[tool bash {"command":"echo child","description":"x"}]] [[say child done]]',
      answer: 'child done',
      tools: ['Bash: echo child → ok 0'],
    },
  ]);
  assert.equal(turns[0]?.turn.continues, parent?.turn.id);
});

test('sessions that the client recorded', async (t) => {
  const { folder, database } = open(t);
  database.addRecorded();
  const found: Record<string, readonly object[]> = {};
  for (const { path } of reader.find(folder).files) {
    const notes = emptyNotes();
    const reads: TurnRead[] = [];
    for await (const read of reader.readTurns(path, { notes })) reads.push(read);
    assert.ok(
      reads.every(({ complete }) => complete),
      notes.title,
    );
    found[notes.title ?? ''] = reads.map(({ turn: { outcome, prompt, answer, ...turn } }) => ({
      outcome,
      prompt: prompt.replace(/ ?\[\[.*\]\]/, ''), // the script of the model
      answer,
      tools: turn.tools.map(({ name, status, read, edited }) => [name, status, ...read, ...edited].join(' ')),
    }));
  }
  const notes = '/home/ada/shop/notes.txt';
  assert.deepEqual(found, {
    'Recorded: undone': [{ outcome: 'answered', prompt: 'keep this', answer: 'kept', tools: [] }],
    'Recorded: queued': [
      { outcome: 'answered', prompt: 'first of two', answer: '', tools: ['Bash ok'] },
      { outcome: 'answered', prompt: 'second, sent while it worked', answer: 'first done', tools: [] },
    ],
    'Recorded: failed': [{ outcome: 'failed', prompt: 'fail now', answer: '', tools: [] }],
    'Recorded: corrected': [
      {
        outcome: 'answered',
        prompt: 'remove it again\n\nNever delete files, move them to attic instead.',
        answer: 'kept it',
        tools: ['Bash denied'],
      },
      {
        outcome: 'answered',
        prompt: 'patch it',
        answer: 'patched',
        tools: [`Write ok ${notes}`, `Read ok ${notes}`],
      },
    ],
    'Recorded: denied': [{ outcome: 'denied', prompt: 'remove it', answer: '', tools: ['Bash denied'] }],
    'Recorded: stops': [
      { outcome: 'interrupted', prompt: 'abort me', answer: '', tools: ['Bash interrupted'] },
    ],
    'Recorded: attached': [
      { outcome: 'answered', prompt: 'look at @README.md', answer: 'looked', tools: [] },
    ],
    'Recorded: commands': [
      { outcome: 'answered', prompt: '/recall the queue', answer: 'cmd ran', tools: [] },
      { outcome: 'answered', prompt: '!echo from the user; ls -d .', answer: '', tools: ['Bash ok'] },
      {
        outcome: 'answered',
        prompt: 'Plain prompt typed in the client',
        answer: 'OK: The following tool was executed by the user',
        tools: [],
      },
    ],
  });
});

test('a session gives the same turns while the client writes it, twice, and from every turn on', async (t) => {
  for (const name of SESSIONS) {
    const { database } = open(t);
    const session = readExport(name);
    const path = `${database.path}#${session.info.id}`;
    const followed = new Map<string, TurnRead>();
    let offset = 0;
    let size = 0;
    for (const _ of database.writes(session)) {
      const state = reader.stateOf?.(path);
      assert.ok(state && state.size >= size && state.size >= offset, `${name}: the size grows`);
      ({ size } = state);
      for (const read of await turnsOf(reader, path, offset)) {
        followed.set(read.turn.id, read);
        offset = read.start;
      }
    }
    const whole = await turnsOf(reader, path);
    assert.deepEqual([...followed.values()], whole, `${name} in pieces`);
    assert.deepEqual(await turnsOf(reader, path), whole, `${name} twice`);
    for (const [at, { start }] of whole.entries())
      assert.deepEqual(await turnsOf(reader, path, start), whole.slice(at), `${name} from turn ${at + 1}`);
    assert.deepEqual(await turnsOf(reader, path, whole.at(-1)?.end ?? 0), [], `${name} from its end`);
  }
});

test('sessions that are stored in any order give the same turns', async (t) => {
  const read = async (
    names: readonly string[],
  ): Promise<ReadonlyMap<string, readonly TurnRead['turn'][]>> => {
    const { database } = open(t);
    for (const name of names) database.add(readExport(name));
    const turns = new Map<string, readonly TurnRead['turn'][]>();
    for (const name of SESSIONS) {
      const reads = await turnsOf(reader, `${database.path}#${readExport(name).info.id}`);
      turns.set(
        name,
        reads.map(({ turn }) => turn),
      );
    }
    return turns;
  };
  assert.deepEqual(await read(SESSIONS.toReversed()), await read(SESSIONS));
});

test('an unfinished turn is open until its last step ends', async (t) => {
  const { database } = open(t);
  const session = readExport('main');
  const outcomes: string[] = [];
  for (const _ of database.writes({ ...session, messages: session.messages.slice(0, 5) })) {
    const [read] = await turnsOf(reader, `${database.path}#${session.info.id}`);
    if (read) outcomes.push(`${read.turn.outcome} ${read.complete}`);
  }
  assert.deepEqual([...new Set(outcomes)], ['open false', 'answered true']);
});

test('the sessions of the user are listed newest first, without subagents', async (t) => {
  const { folder, database } = open(t);
  for (const name of SESSIONS) database.add(readExport(name));
  const { files, refused } = reader.find(folder);
  assert.deepEqual(refused, []);
  const newest = ['compaction', 'subagent-parent', 'fork', 'main'];
  assert.deepEqual(
    files.map(({ path }) => path),
    newest.map((name) => `${database.path}#${readExport(name).info.id}`),
  );
  const [, parent] = files;
  const found = parent && (await reader.describe(parent));
  assert.ok(typeof found === 'object');
  assert.equal(found.session, readExport('subagent-parent').info.id);
  assert.equal(found.projectDir, '/tmp/w/app');
  assert.equal(found.startedAt, '2026-11-16T04:06:40.088Z');
  assert.deepEqual(found.subagents, [`${database.path}#${readExport('subagent-child').info.id}`]);
});

test('reading changes no byte of the folder, with a log and without one', async (t) => {
  const { folder, database } = open(t);
  const path = database.add(readExport('main'));
  const bytes = (): readonly string[] =>
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm')) // the memory that readers and writers share
      .map((name) => `${name} ${readFileSync(join(folder, name)).toString('base64')}`);
  const logged = bytes();
  assert.ok(logged.some((file) => file.startsWith('opencode.db-wal')));
  assert.equal((await turnsOf(reader, path)).length, 2);
  assert.deepEqual(bytes(), logged);
  database.close();
  const closed = bytes();
  assert.equal(closed.length, 1);
  assert.equal((await turnsOf(reader, path)).length, 2);
  assert.equal(reader.find(folder).files.length, 1);
  assert.deepEqual(bytes(), closed);
  new DatabaseSync(database.path).close();
});

test('a client that writes neither waits for a reader nor keeps it waiting', async (t) => {
  const { database } = open(t);
  const path = database.add(readExport('main'));
  const reads = reader.readTurns(path);
  assert.ok(!(await reads.next()).done);
  database.sql.exec('BEGIN IMMEDIATE');
  database.sql.exec("UPDATE session SET title = 'renamed'");
  assert.equal((await turnsOf(reader, path)).length, 2);
  database.sql.exec('COMMIT');
  assert.ok(!(await reads.next()).done);
  database.sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  assert.ok((await reads.next()).done);
});

test('a database that is damaged, busy or missing gives a reason', async (t) => {
  const { folder, database } = open(t);
  const path = database.add(readExport('main'));
  database.sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.sql.exec('PRAGMA locking_mode = EXCLUSIVE');
  database.sql.exec('BEGIN EXCLUSIVE');
  await assert.rejects(turnsOf(reader, path), {
    code: 'transcript-unreadable',
    message: `cannot read ${database.path}: the database is busy`,
  });
  database.close();
  writeFileSync(join(folder, 'opencode-dev.db'), 'no database');
  symlinkSync(database.path, join(folder, 'opencode-link.db'));
  const { files, refused } = reader.find(folder);
  assert.equal(files.length, 1);
  assert.deepEqual(
    refused.map(({ path: at, reason }) => [at.slice(folder.length + 1), reason]),
    [
      ['opencode-dev.db', 'the database is damaged (file is not a database)'],
      ['opencode-link.db', 'a link; links are not followed'],
    ],
  );
  const missing = join(folder, 'none', 'opencode.db#ses_1');
  assert.deepEqual(await turnsOf(reader, missing), []);
  assert.equal(reader.stateOf?.(missing), undefined);
  assert.equal(reader.stateOf?.(database.path), undefined, 'a path without a session');
  assert.deepEqual(reader.find(join(folder, 'none')), { files: [], refused: [] });
});

test('a damaged part is counted, and the rest of the turn is read', async (t) => {
  const { database } = open(t);
  const path = database.add(readExport('main'));
  database.sql.exec(
    `UPDATE part SET data = '{"type":' WHERE data LIKE '%Writing now%' AND data LIKE '%"time"%'`,
  );
  const notes = emptyNotes();
  const reads: TurnRead[] = [];
  for await (const read of reader.readTurns(path, { notes })) reads.push(read);
  assert.deepEqual(
    reads.map(({ turn }) => turn.answer),
    ['written and checked', 'second done'],
  );
  assert.equal(notes.malformed, 1);
  assert.match(notes.problems[0]?.reason ?? '', /^prt_\w+: not a JSON object$/);
});

test('an offset after the last change reads the session from its beginning', async (t) => {
  const { database } = open(t);
  const path = database.add(readExport('main'));
  const notes = emptyNotes();
  const reads: TurnRead[] = [];
  for await (const read of reader.readTurns(path, { notes, offset: Date.parse('2030-01-01') }))
    reads.push(read);
  assert.equal(reads.length, 2);
  assert.ok(notes.restarted);
});

function summaries(reads: readonly TurnRead[]): readonly object[] {
  return reads.map(({ turn }) => summary(turn));
}

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'opencode-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const database = new OpenCodeDatabase(join(folder, 'opencode.db'));
  t.after(() => database.close());
  return { folder, database };
}
