import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCall } from '../../../core/index.ts';
import type { JsonObject } from '../../reading/json.ts';
import { pendingCall, toolCall } from '../../reading/tool-facts.ts';
import { resultsIn } from './_tool-result.ts';

function facts(
  name: string,
  input: JsonObject,
  content: unknown,
  line: JsonObject = {},
  error = false,
  quotes: readonly string[] = [],
): ToolCall {
  const block = { type: 'tool_result', tool_use_id: 't', content, is_error: error };
  const said = { quotes, mentioned: new Set(['rotate', 'TokenStore']), cwd: '/p' };
  return toolCall(pendingCall({ id: 't', name, input }), resultsIn(line, [block])[0], said);
}

test('a command that failed keeps its exit code and its error lines', () => {
  const call = facts(
    'Bash',
    { command: 'npm test' },
    'Exit code 1\nrunning\nError: expected 2, got 3\nbye',
    {},
    true,
  );
  assert.deepEqual(
    [call.status, call.exit, call.command, call.errors],
    ['error', 1, 'npm test', ['Error: expected 2, got 3']],
  );
});

test('a command that succeeded has exit 0 unless it is unknown', () => {
  assert.equal(facts('Bash', { command: 'ls' }, 'a').exit, 0);
  assert.equal(
    facts('Bash', { command: 'grep x' }, '', {
      toolUseResult: { stdout: '', returnCodeInterpretation: 'No matches' },
    }).exit,
    undefined,
  );
  assert.equal(
    facts('Bash', { command: 'serve' }, 'started', { toolUseResult: { backgroundTaskId: 'b1' } }).exit,
    undefined,
  );
  assert.equal(facts('Read', { file_path: '/a' }, 'text').exit, undefined);
});

test('an error that a pipe swallowed is still seen', () => {
  assert.deepEqual(facts('Bash', { command: 'make | tail' }, 'ok\nerror: no rule\n').errors, [
    'error: no rule',
  ]);
});

test('only the words of a file that a note quotes are stored', () => {
  const text = '     1→# Acme\n     2→All services must use\n     3→Redis for queues.';
  const quote = 'all services must use Redis for queues';
  const read = (quotes: readonly string[]) =>
    facts('Read', { file_path: '/p/README.md' }, text, {}, false, quotes).output;
  assert.equal(read([quote, 'never use Kafka here']), quote);
  assert.equal(read(['never use Kafka here', 'Acme']), undefined);
  const long = `${'x\n'.repeat(4000)}${quote}\n${'y\n'.repeat(4000)}`;
  assert.ok(facts('WebFetch', { url: 'u' }, long, {}, false, [quote]).output?.endsWith(`\n${quote}`));
});

test('files read and edited are named, their contents are not stored', () => {
  const read = facts('Read', { file_path: '/p/a.ts' }, 'secret contents');
  assert.deepEqual([read.read, read.edited, read.output], [['/p/a.ts'], [], undefined]);
  for (const name of ['Edit', 'Write', 'MultiEdit']) {
    const call = facts(name, { file_path: '/p/a.ts', content: 'x' }, 'updated');
    assert.deepEqual([call.target, call.edited, call.output], ['/p/a.ts', ['/p/a.ts'], undefined], name);
  }
  assert.deepEqual(facts('NotebookEdit', { notebook_path: '/p/n.ipynb' }, 'ok').edited, ['/p/n.ipynb']);
  const diff = {
    toolUseResult: {
      stdout: '',
      bashEditDiff: { changedFiles: ['/p/b'], files: [{ filePath: '/p/b' }, { filePath: '/p/c' }] },
    },
  };
  assert.deepEqual(facts('Bash', { command: 'sed -i' }, '', diff).edited, ['/p/b', '/p/c']);
});

test('a failed edit changed no file and has its error', () => {
  const call = facts(
    'Edit',
    { file_path: '/p/a.ts' },
    '<tool_use_error>String to replace not found</tool_use_error>',
    {},
    true,
  );
  assert.deepEqual([call.status, call.edited], ['error', []]);
  assert.match(call.errors.join(), /not found/);
});

test('each tool call has a target', () => {
  const target = (name: string, input: JsonObject): string | undefined => facts(name, input, 'x').target;
  assert.equal(target('Glob', { pattern: '**/*.ts', path: '/p' }), '**/*.ts');
  assert.equal(target('Grep', { pattern: 'TODO', path: '/p' }), 'TODO');
  assert.equal(target('WebFetch', { url: 'https://example.org', prompt: 'read it' }), 'https://example.org');
  assert.equal(target('WebSearch', { query: 'tides' }), 'tides');
  assert.equal(target('Task', { description: 'look around', prompt: 'long' }), 'look around');
  assert.equal(target('mcp__x__search', { query: 'a\n b' }), 'a b');
  assert.equal(target('AskUserQuestion', { questions: [{ question: 'Which?' }] }), 'Which?');
  assert.equal(target('TodoWrite', { todos: [] }), undefined);
});

test('a denial is not a failure, in the texts of every version', () => {
  const denied = [
    "The user doesn't want to proceed with this tool use. The tool use was rejected",
    'Claude requested permissions to use Bash, but you haven’t granted it yet.',
    'Permission to use Bash with command rm has been denied.',
    'User chose to stay in plan mode and continue planning',
  ];
  for (const text of denied)
    assert.equal(facts('Bash', { command: 'rm' }, text, {}, true).status, 'denied', text);
  assert.equal(
    facts('Bash', { command: 'rm' }, 'no', { toolDenialKind: 'user-rejected' }, true).status,
    'denied',
  );
  assert.equal(
    facts('Bash', { command: 'x' }, 'part', { toolUseResult: { stdout: 'part', interrupted: true } }).status,
    'interrupted',
  );
  assert.equal(facts('Bash', { command: 'x' }, 'permission denied', {}, true).status, 'error');
});

test('a call without a result is unknown', () => {
  assert.equal(toolCall(pendingCall({ id: 't', name: 'Bash', input: {} }), undefined).status, 'unknown');
});

test('a long output keeps its head and its tail', () => {
  const output =
    facts('Bash', { command: 'x' }, `first\n${'line of output\n'.repeat(2000)}last`).output ?? '';
  assert.ok(output.length <= 4000);
  assert.match(output, /^first\n[\s\S]*\[… \d+ characters …\][\s\S]*last$/);
});

test('a shell command without permission is denied, not failed', () => {
  const texts = [
    'This command requires approval',
    'This Bash command contains multiple operations. The following parts require approval: tee z',
    "touch in '/p/there' was blocked. For security, Claude Code may only create or modify files in the allowed working directories for this session: '/p'.",
    'Contains command_substitution',
  ];
  for (const text of texts)
    assert.equal(facts('Bash', { command: 'x' }, text, {}, true).status, 'denied', text);
  assert.equal(
    facts(
      'Bash',
      { command: 'x' },
      'Exit code 1\nx was blocked. For security, Claude Code may only y',
      {},
      true,
    ).status,
    'error',
  );
});

test('no line of a private span or a key becomes an error line', () => {
  const key = [
    '-----BEGIN',
    'PRIVATE KEY-----\nDGIMqgZN2tUPiH/FAIL+EnvMNFrambUUGMiKzo\n-----END',
    'PRIVATE KEY-----',
  ];
  const call = facts(
    'Bash',
    { command: 'x' },
    `Error: refused\n<private>\nthe error of a friend\n</private>\n${key.join(' ')}`,
    {},
    true,
  );
  assert.deepEqual(
    call.errors.filter((line) => /friend|DGIM/.test(line)),
    [],
  );
  assert.ok(call.errors.includes('Error: refused'));
});

test('an error line whose secret is named by the line before is stored without it', () => {
  const secret = ['Harbor', '_comet2019'].join('');
  const call = facts('Bash', { command: 'x' }, `Exit code 1\nPassword:\n${secret}`, {}, true);
  assert.deepEqual(call.errors, ['[redacted:password]']);
});

test('a row of a long table is redacted by the header that the cut removes', () => {
  const secret = ['Velvet', 'Otter2014!'].join('');
  const rows = Array.from({ length: 400 }, (_, i) => `${i},user${i},x`);
  const output = ['id,user,password', ...rows, `401,anna,${secret}`].join('\n');
  const call = facts('Bash', { command: 'cat users.csv' }, output);
  assert.ok(call.output !== undefined && call.output.includes('anna') && !call.output.includes(secret));
});

for (const [what, call, file] of [
  ['read', facts('Read', { file_path: '/p/src/a.ts' }, '  1→export function rotate(token) {'), '/p/src/a.ts'],
  [
    'edited',
    facts('Edit', { file_path: '/p/src/a.ts', old_string: '', new_string: 'class TokenStore {' }, 'ok'),
    '/p/src/a.ts',
  ],
  [
    'edited in several places',
    facts('MultiEdit', { file_path: '/p/a.py', edits: [{ new_string: 'def rotate(self):' }] }, 'ok'),
    '/p/a.py',
  ],
  ['searched', facts('Grep', { pattern: 'rotate' }, 'src/a.ts:7:export function rotate('), '/p/src/a.ts'],
  ['printed', facts('Bash', { command: "sed -n '1,9p' src/a.ts" }, 'function rotate() {'), '/p/src/a.ts'],
  [
    'found by the shell',
    facts('Bash', { command: 'rg -n rotate' }, 'src/a.ts:7:export function rotate('),
    '/p/src/a.ts',
  ],
] as const)
  test(`a file that was ${what} defines the name that the turn mentions`, () => {
    assert.deepEqual(
      call.defines?.map((one) => one.file),
      [file],
    );
  });

test('names that the turn does not mention, and failed calls, define nothing', () => {
  assert.equal(facts('Read', { file_path: '/p/a.ts' }, 'function revoke() {').defines, undefined);
  assert.equal(facts('Read', { file_path: '/p/a.ts' }, 'rotate(token);').defines, undefined);
  assert.equal(facts('Read', { file_path: '/p/a.ts' }, 'function rotate() {', {}, true).defines, undefined);
});
