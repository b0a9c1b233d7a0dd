import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkGrowth, turnsIn } from '../../../test/support/growing-document.ts';
import { emptyNotes } from '../transcript.ts';
import { messagesOf, promptText } from './_messages.ts';
import { resultsOf, usesOf } from './_tools.ts';
import { reader } from './reader.ts';

const SESSIONS = join(import.meta.dirname, '../../../test/fixtures/agents/cline');
const transcript = (session: string): string => join(SESSIONS, session, `${session}.messages.json`);
const HOOKS = transcript('1794802526785_hoz4j');
const LONG = transcript('1794882645620_f8z27');
const FAILED = transcript('1794882788272_niugn');
const ASKED = transcript('1794883121893_bwa5o');

test('a session is found by its folder, and its folder and branch are known', async () => {
  const { files, refused } = reader.find(SESSIONS);
  assert.equal(files.length, 4);
  assert.deepEqual(refused, []);
  const long = files.find(({ path }) => path === LONG);
  assert.ok(long);
  assert.deepEqual(await reader.describe(long), {
    ...long,
    session: '1794882645620_f8z27',
    projectDir: '/w/app',
    branch: 'main',
    startedAt: '2026-11-17T02:30:45.978Z',
    subagents: [join(SESSIONS, '1794882645620_f8z27', 'agent_1794882740370_z1upsb.messages.json')],
  });
});

test('the folder of the sessions follows the variables of the client', () => {
  assert.match(reader.folder({}), /\.cline\/data\/sessions$/);
  assert.equal(reader.folder({ CLINE_DIR: '/c' }), '/c/data/sessions');
  assert.equal(reader.folder({ CLINE_DIR: '/c', CLINE_DATA_DIR: '/d' }), '/d/sessions');
  assert.equal(reader.folder({ CLINE_DATA_DIR: '/d', CLINE_SESSION_DATA_DIR: '/s' }), '/s');
});

test('links, empty files and files without a conversation are refused', async () => {
  const sessions = mkdtempSync(join(tmpdir(), 'tidemark-cline-'));
  const add = (id: string, content: string): void => {
    mkdirSync(join(sessions, id));
    writeFileSync(join(sessions, id, `${id}.messages.json`), content);
  };
  add('empty', '');
  add('none', '{"messages":[]}');
  add('broken', '{"messages":[');
  add('homeless', '{"messages":[{"id":"1","role":"user","content":"Hello"}]}');
  symlinkSync(join(SESSIONS, '1794802526785_hoz4j'), join(sessions, 'link'));
  const { files, refused } = reader.find(sessions);
  const reasons = await Promise.all(files.map((file) => reader.describe(file)));
  assert.deepEqual(reasons.toSorted(), [
    'contains no conversation',
    'not a JSON object',
    'the folder of the session is unknown',
  ]);
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    ['empty', 'a link; links are not followed'],
  );
});

test('tool calls have our names, and one call with several commands is several', async () => {
  const [first] = await turnsIn(reader, LONG);
  assert.ok(first);
  const { turn, complete, start, end } = first;
  assert.match(turn.prompt, /^Retries stay at 3\. \[\[pre Now\]\]/);
  assert.doesNotMatch(turn.prompt, /user_input/);
  assert.equal(turn.answer, 'Now\n\ncline done');
  assert.equal(turn.outcome, 'answered');
  assert.ok(complete);
  assert.equal(start, 0);
  assert.equal(end, 10_967, 'other turns follow');
  assert.equal(turn.id, 'e23a31f2-e03d-4513-be38-2f7abdc65f78');
  assert.equal(turn.startedAt, '2026-11-17T02:30:45.978Z');
  assert.equal(turn.endedAt, '2026-11-17T02:30:46.658Z');
  assert.equal(turn.cwd, '/w/app');
  assert.equal(turn.model, 'standin');
  const [failed, two, written, edited, read] = turn.tools;
  assert.deepEqual(failed, {
    id: 'call_a0a6e05f434088a8',
    name: 'Bash',
    command: 'echo hi; exit 3',
    status: 'error',
    exit: 3,
    errors: ['hi'],
    output: 'hi\n',
    read: [],
    edited: [],
  });
  assert.deepEqual([two?.id, two?.command, two?.exit], ['call_a0a6e05f434088a8/2', 'echo two', 0]);
  assert.deepEqual([written?.name, written?.edited], ['Write', ['/w/app/g.txt']]);
  assert.deepEqual([edited?.name, edited?.edited], ['Edit', ['/w/app/g.txt']]);
  assert.deepEqual([read?.name, read?.read, read?.output], ['Read', ['/w/app/retry.js'], undefined]);
});

test('a resumed session continues, thinking is left out, and an interrupted turn has no answer', async () => {
  const turns = await turnsIn(reader, LONG);
  assert.deepEqual(
    turns.map(({ turn, complete }) => [turn.prompt.split(' [[')[0], turn.answer, turn.outcome, complete]),
    [
      ['Retries stay at 3.', 'Now\n\ncline done', 'answered', true],
      ['And timeouts are 10 seconds.', 'second done', 'answered', true],
      ['Look into it.', 'third done', 'answered', true],
      ['Slow one', '', 'interrupted', true],
      ['Count.', 'fourth done', 'answered', true],
      ['Sleep.', '', 'open', false],
    ],
  );
  assert.equal(turns[1]?.turn.tools[0]?.status, 'error');
  assert.match(turns[1]?.turn.tools[0]?.errors[0] ?? '', /ENOENT/);
  assert.equal(turns.at(-1)?.turn.tools[0]?.status, 'interrupted');
});

test('context of hooks is no prompt', async () => {
  const notes = emptyNotes();
  const turns = await turnsIn(reader, HOOKS, { notes });
  assert.equal(turns.length, 1);
  assert.doesNotMatch(JSON.stringify(turns), /CTX-|hook_context/);
  assert.equal(notes.system, 2);
  assert.deepEqual(
    turns[0]?.turn.tools.map(({ name, status }) => [name, status]),
    [
      ['Bash', 'error'],
      ['Write', 'error'],
    ],
  );
});

test('a failed request is a failed turn', async () => {
  const [read] = await turnsIn(reader, FAILED);
  assert.deepEqual(
    [read?.turn.outcome, read?.turn.answer, read?.complete],
    ['failed', 'stand-in error 400', true],
  );
});

test('a denied call and the answer to a question are recorded', async () => {
  const [denied, asked] = await turnsIn(reader, ASKED);
  assert.deepEqual([denied?.turn.outcome, denied?.turn.tools[0]?.status], ['answered', 'denied']);
  const question = asked?.turn.tools[0];
  assert.deepEqual(
    [question?.name, question?.target, question?.output],
    ['AskUserQuestion', 'Cents or euros?', 'Cents'],
  );
});

test('a subagent belongs to the call and the session that started it', async () => {
  const [subagent] = await reader.subagentsOf(LONG);
  assert.equal(subagent?.toolUseId, 'call_a6043b3cc70c6262');
  assert.equal(reader.mainOf(subagent.path), LONG);
  const [read] = await turnsIn(reader, subagent.path, { continues: 'parent' });
  assert.deepEqual(
    [read?.turn.origin, read?.turn.session, read?.turn.continues, read?.turn.answer],
    ['subagent', '1794882645620_f8z27', 'parent', 'OK: count files'],
  );
});

test('a patch is an edit of each of its files', () => {
  const patch =
    '*** Begin Patch\n*** Update File: src/a.ts\n-one\n+two\n*** Add File: b.ts\n+new\n*** End Patch';
  for (const input of [patch, { input: patch }])
    assert.deepEqual(usesOf({ id: 'c', name: 'apply_patch', input }, '/w/app'), [
      {
        id: 'c',
        name: 'Edit',
        input: { file_path: '/w/app/src/a.ts', old_string: 'one', new_string: 'two' },
      },
      { id: 'c/2', name: 'Write', input: { file_path: '/w/app/b.ts', content: 'new' } },
    ]);
});

test('the result of a patch is that of each of its files', () => {
  const block = { tool_use_id: 'c', name: 'apply_patch', content: '{"result":"Applied","success":true}' };
  const [first, second] = resultsOf(block);
  assert.deepEqual([first?.id, first?.status, second?.id, second?.status], ['c', 'ok', 'c/2', 'ok']);
});

test('tools of MCP servers have our form', () => {
  const [use] = usesOf({ id: 'c', name: 'issues__list', input: { query: 'open' } }, '');
  assert.equal(use?.name, 'mcp__issues__list');
});

test('a prompt loses what the client added', () => {
  assert.equal(promptText('<user_input mode="act">Use pnpm</user_input>'), 'Use pnpm');
  assert.equal(promptText('<mode_notice>You are in plan mode</mode_notice>\nUse pnpm'), 'Use pnpm');
  assert.equal(
    promptText('<user_input mode="plan"><user_command slash="team">Review it</user_command></user_input>'),
    '/team Review it',
  );
  assert.equal(promptText('Why <b>?'), 'Why <b>?');
});

test('messages without an id have different ids in different sessions', () => {
  const of = (ts: number) =>
    messagesOf({ messages: [{ role: 'user', content: 'go on', ts }] }).map(
      (one) => 'head' in one && one.head.id,
    );
  assert.notDeepEqual(of(1), of(2));
  assert.deepEqual(of(1), of(1));
});

test('a growing file gives the same turns', async () => {
  for (const path of [HOOKS, LONG, FAILED, ASKED]) await checkGrowth(reader, path, 'messages');
});

test('a missing file yields nothing, a damaged one is reported', async () => {
  assert.deepEqual(await turnsIn(reader, '/nowhere/x.messages.json'), []);
  const path = join(mkdtempSync(join(tmpdir(), 'tidemark-cline-')), 'cut.messages.json');
  writeFileSync(path, '{"messages":[{"id":"1"');
  const notes = emptyNotes();
  assert.deepEqual(await turnsIn(reader, path, { notes }), []);
  assert.deepEqual([notes.malformed, notes.problems[0]?.reason], [1, 'not a JSON object']);
});
