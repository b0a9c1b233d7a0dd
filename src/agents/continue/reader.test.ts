import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkGrowth, turnsIn } from '../../../test/support/growing-document.ts';
import { reader } from './reader.ts';

const SESSIONS = join(import.meta.dirname, '../../../test/fixtures/agents/continue');
const MAIN = join(SESSIONS, 'ddd14256-3ccf-4cc8-9a98-5388dddbf39b.json');
const FORK = join(SESSIONS, 'c59584d7-a4ae-4bc9-84d5-13d56a61668e.json');
const COMPACTED = join(SESSIONS, '2279e05c-1946-4c4c-a9b7-d4bb2ad4ef4b.json');

test('sessions are found beside their list, which has the time they were created', async () => {
  const { files, refused } = reader.find(SESSIONS);
  assert.equal(files.length, 3);
  assert.deepEqual(refused, []);
  const main = files.find(({ path }) => path === MAIN);
  assert.ok(main);
  assert.deepEqual(await reader.describe(main), {
    ...main,
    session: 'ddd14256-3ccf-4cc8-9a98-5388dddbf39b',
    projectDir: '/w/app',
    startedAt: '2026-11-17T02:34:57.768Z',
    subagents: [],
  });
  assert.equal(reader.folder({ CONTINUE_GLOBAL_DIR: '/c' }), '/c/sessions');
});

test('turns have our names of tools, absolute paths and their outcome', async () => {
  const turns = await turnsIn(reader, MAIN);
  assert.deepEqual(
    turns.map(({ turn, complete }) => [
      turn.prompt.split(' [[')[0],
      turn.outcome,
      complete,
      turn.tools.map(({ name, status }) => `${name} ${status}`).join(', '),
    ]),
    [
      ['Invoices keep two decimals.', 'answered', true, 'Write ok'],
      ['Edit it.', 'denied', true, 'Read ok, Edit denied'],
      ['No: two decimals, for tax reasons.', 'answered', true, 'Bash error'],
      ['Slow', 'answered', true, ''],
      ['Run it.', 'open', false, 'Bash unknown'],
    ],
  );
  const [written, , shell] = turns.map(({ turn }) => turn);
  assert.equal(written?.answer, 'Writing.\n\nWritten.');
  assert.deepEqual(written?.tools[0]?.edited, ['/w/app/invoice.js']);
  assert.equal(written?.startedAt, '2026-11-17T02:34:57.768Z');
  assert.equal(written?.model, 'standin');
  assert.deepEqual(shell?.tools[0], {
    id: 'shell-1794882936862-ob925n',
    name: 'Bash',
    command: 'ls nope',
    status: 'error',
    exit: 2,
    errors: ["ls: cannot access 'nope': No such file or directory"],
    output: "ls: cannot access 'nope': No such file or directory\n",
    read: [],
    edited: [],
  });
});

test('a fork has the ids of the turns that it copied', async () => {
  const ids = async (path: string): Promise<readonly string[]> =>
    (await turnsIn(reader, path)).map(({ turn }) => turn.id);
  const main = await ids(MAIN);
  const fork = await ids(FORK);
  assert.deepEqual(fork.slice(0, main.length), main);
  assert.equal(fork.length, main.length + 1);
});

test('the summary of a compaction is no turn', async () => {
  const turns = await turnsIn(reader, COMPACTED);
  assert.deepEqual(
    turns.map(({ turn }) => [turn.prompt, turn.answer]),
    [['After compaction. [[say Done.]]', 'Done.']],
  );
});

test('sessions that begin with the same words have turns of their own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-continue-'));
  const session = (name: string, answer: string): string => {
    const path = join(folder, `${name}.json`);
    const history = [
      { message: { role: 'user', content: 'Run the tests' } },
      { message: { role: 'assistant', content: answer } },
    ];
    writeFileSync(
      path,
      JSON.stringify({ sessionId: name, workspaceDirectory: 'file:///w/my%20app', history }),
    );
    return path;
  };
  const [one] = await turnsIn(reader, session('one', '3 pass'));
  const [two] = await turnsIn(reader, session('two', '4 pass'));
  assert.ok(one && two);
  assert.notEqual(one.turn.id, two.turn.id);
  assert.equal(one.turn.cwd, '/w/my app', 'the folder of an editor is a URL');
});

test('tools of the editors have our names too', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tidemark-continue-')), 'editor.json');
  const call = (id: string, name: string, args: object): object => ({
    toolCallId: id,
    toolCall: { id, type: 'function', function: { name, arguments: JSON.stringify(args) } },
    status: 'done',
    output: [{ content: 'fine' }],
  });
  const history = [
    { message: { role: 'user', content: [{ type: 'text', text: 'Fix it' }] } },
    {
      message: { role: 'assistant', content: 'On it' },
      toolCallStates: [
        call('1', 'builtin_run_terminal_command', { command: 'npm test' }),
        call('2', 'create_new_file', { filepath: 'a.ts', contents: 'let a;' }),
        call('3', 'single_find_and_replace', { filepath: 'a.ts', old_string: 'a', new_string: 'b' }),
        call('4', 'grep_search', { query: 'TODO' }),
        call('5', 'linear_list_issues', { query: 'TODO' }),
      ],
    },
  ];
  writeFileSync(path, JSON.stringify({ workspaceDirectory: '/w/app', history }));
  const [read] = await turnsIn(reader, path);
  assert.deepEqual(
    read?.turn.tools.map(({ name, command, target }) => [name, command ?? target]),
    [
      ['Bash', 'npm test'],
      ['Write', '/w/app/a.ts'],
      ['Edit', '/w/app/a.ts'],
      ['Grep', 'TODO'],
      ['linear_list_issues', 'TODO'],
    ],
  );
});

test('a growing file gives the same turns', async () => {
  for (const path of [MAIN, FORK, COMPACTED]) await checkGrowth(reader, path, 'history');
});
