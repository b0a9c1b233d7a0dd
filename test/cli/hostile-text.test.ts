/**
 * No verb lets text command the terminal: a store full of hostile text, and hostile arguments, against every verb, in a
 * pipe, as JSON and at a terminal with colour.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CliHost, hasTerminal } from '../support/cli-host.ts';
import { openHostileStore, type HostileStore } from '../support/hostile-store.ts';
import { forbiddenIn, HOSTILE, HOSTILE_NAME as BAD } from '../support/hostile-text.ts';

/** Replaced by ids of the store. */
const [FIRST, SECOND, TURN] = ['<first>', '<second>', '<turn>'];
const DATABASE = 'postgres://nobody@127.0.0.1:1/none';

/** Every verb of the help, with the arguments to try. The order matters: the last ones delete. */
const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  search: [
    ['hostile', '--all'],
    ['hostile', 'since:2026-01-01', `kind:${BAD}`],
    [BAD, '--all'],
  ],
  show: [[FIRST], [SECOND], [BAD], [HOSTILE]],
  transcript: [[TURN], [TURN, '--tools', '--around', '3'], [BAD]],
  timeline: [[FIRST, '--limit', '50'], [BAD]],
  blame: [['facts.md:2'], [`${BAD}:1`], [`none ${BAD}:1`], [BAD]],
  brief: [[]],
  why: [[], ['--all'], [FIRST], [BAD]],
  watch: [[BAD]],
  sessions: [
    ['--all'],
    [],
    ['hostile', '--all'],
    [BAD],
    ['--since', '2020-01-01', '--all', '--markdown'],
    ['--since', BAD],
  ],
  projects: [[]],
  stats: [[]],
  hub: [[], [BAD]],
  status: [[], [BAD]],
  doctor: [[], [BAD]],
  logs: [[], ['--hooks'], ['--level', BAD]],
  failed: [[], ['list'], ['show', BAD], [BAD]],
  config: [[], ['get', BAD], ['set', 'recall.briefTokens', BAD], ['path'], [BAD], ['get', 'embed.model']],
  remember: [
    [`Written by hand ${BAD}`, '--file', BAD],
    ['x', '--kind', BAD],
  ],
  edit: [
    [FIRST, '--reason', HOSTILE],
    [BAD, '--title', BAD],
  ],
  resolve: [[FIRST], [BAD]],
  reopen: [[FIRST], [BAD]],
  supersede: [
    [FIRST, BAD],
    [FIRST, SECOND],
  ],
  merge: [
    [FIRST, BAD],
    ['--undo', BAD],
  ],
  review: [[], ['approve', BAD], [BAD]],
  'add-decision': [[`Decided ${BAD}`, HOSTILE]],
  'add-pattern': [[`Pattern ${BAD}`]],
  'add-issue': [[`Issue ${BAD}`, 'open']],
  'extract-facts': [['facts.md'], [BAD]],
  import: [[], [BAD]],
  'import history': [['--dry-run'], ['--all'], ['--session', BAD], ['--project', BAD]],
  'import claude-mem': [['--path', BAD], [BAD]],
  'import memsearch': [['--path', BAD]],
  'import memory-keeper': [['--path', BAD]],
  'import evermem': [['--path', BAD]],
  'import claude-code': [['--path', BAD]],
  'import file': [[BAD], ['facts.md']],
  'import markdown': [[BAD], ['--dry-run', '.']],
  export: [[], ['--turns'], ['--format', 'claude-mem'], ['--format', BAD], ['--project', BAD]],
  journal: [[], [BAD]],
  'journal move': [[BAD]],
  'journal back': [[]],
  'journal in-repository': [[], [BAD]],
  'journal merging': [[BAD], []],
  archive: [['--days', BAD], ['--dry-run']],
  backup: [['--to', BAD], []],
  'backup list': [[], ['--from', BAD]],
  'backup verify': [[], ['--from', BAD]],
  restore: [[BAD]],
  reindex: [[], [BAD]],
  pause: [[], ['--session', BAD]],
  resume: [[], ['--session', BAD]],
  login: [[BAD], [`http://${BAD}`]],
  logout: [[], [BAD]],
  share: [
    [BAD, '--yes'],
    ['--hold', BAD],
  ],
  unshare: [[BAD, '--yes']],
  team: [[], ['--seen', BAD]],
  server: [
    ['--database-url', BAD],
    ['--database-url', DATABASE, '--listen', BAD],
  ],
  'server start': [
    ['--database', BAD],
    ['--dev', '--database', DATABASE],
  ],
  'server init': [['--database-url', BAD, '--team', BAD, '--owner', BAD]],
  'server doctor': [
    ['--database-url', DATABASE],
    ['--database-url', BAD],
  ],
  'server status': [['--database-url', DATABASE], [BAD]],
  'server settings': [['set', BAD, BAD, '--database-url', DATABASE], [BAD]],
  'server team': [['list', '--database-url', DATABASE], [BAD]],
  'server member': [['add', BAD, '--database-url', DATABASE], [BAD]],
  'server key': [['revoke', BAD, '--database-url', DATABASE], [BAD]],
  'server backup': [
    ['--database-url', `postgres://u@h/${BAD}`],
    ['--database-url', DATABASE],
  ],
  mcp: [['--print-config'], [BAD]],
  'merge-driver': [[BAD], [BAD, BAD, BAD]],
  completion: [['bash'], [BAD]],
  install: [['--dry-run'], [BAD]],
  repair: [[BAD]],
  demo: [[BAD]],
  start: [[], [BAD]],
  undo: [['--session', BAD], ['--yes']],
  ignore: [['--list'], [BAD], ['--remove', BAD]],
  forget: [[BAD], [FIRST]],
  'clear-facts': [[BAD], ['--yes']],
  uninstall: [['--dry-run'], [BAD]],
  stop: [[BAD], []],
};

let store: HostileStore;
let inPipe: CliHost;
let atTerminal: CliHost | undefined;

before(async () => {
  store = await openHostileStore();
  inPipe = new CliHost(store.machine, { cwd: store.folder });
  atTerminal = hasTerminal ? new CliHost(store.machine, { cwd: store.folder, atTerminal: true }) : undefined;
});
after(() => store.machine.close());

test('the list names every verb of the help', async () => {
  const { stdout } = await store.machine.cli(['--help', '--all']);
  const verbs = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\S/gm)].map(([, verb]) => verb ?? '');
  assert.deepEqual(Object.keys(CALLS).toSorted(), verbs.toSorted());
});

test('hostile text is in the store', async () => {
  const { stdout } = await store.machine.cli(['export', '--turns'], { cwd: store.folder });
  const stored = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.stringify(JSON.parse(line)));
  for (const record of ['project', 'session', 'memory', 'turn'])
    assert.ok(
      stored.some((line) => line.includes(`"record":"${record}"`) && line.includes('\u202e')),
      record,
    );
});

test('JSON parses to the original text', async () => {
  const { stdout } = await store.machine.cli(['transcript', store.turn, '--json'], { cwd: store.folder });
  const { turn } = JSON.parse(stdout) as { turn: { prompt: string } };
  assert.ok(turn.prompt.includes(HOSTILE), JSON.stringify(turn.prompt));
});

test('an unknown verb or option is repeated without its sequences', async () => {
  for (const args of [
    [HOSTILE],
    [`--${BAD}`],
    ['search', `--${BAD}`],
    ['search', 'x', '--limit', BAD],
    ['x', '--set', BAD],
  ]) {
    const { stdout, stderr, code } = await store.machine.cli(args, { cwd: store.folder });
    assert.notEqual(code, 0);
    assertClean(stdout + stderr, args);
  }
});

for (const [verb, calls] of Object.entries(CALLS))
  test(`${verb}: nothing forbidden in a pipe, as JSON or at a terminal`, async () => {
    for (const call of calls) {
      const args = [...verb.split(' '), ...call.map((arg) => named(arg))];
      const piped = await inPipe.run(args);
      assertClean(piped.stdout + piped.stderr, args);
      assert.doesNotMatch(piped.stderr, /^ {4}at /m, 'a stack trace');
      const json = await inPipe.run([...args, '--json']);
      assertClean(json.stdout + json.stderr, args);
      for (const text of verb === 'logs' || verb === 'export' ? [] : [json.stdout])
        if (text.startsWith('{') || text.startsWith('[')) JSON.parse(text);
      if (atTerminal) assertClean(withoutOwnCodes((await atTerminal.run(args)).stdout), args);
    }
  });

test('only the screen and the questions write to the terminal', () => {
  const source = join(import.meta.dirname, '..', '..', 'src', 'cli');
  const writers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) =>
      /process\.std(?:out|err)\b(?!\.isTTY)|\bconsole\./.test(readFileSync(join(source, file), 'utf8')),
    );
  assert.deepEqual(writers.toSorted(), [
    'ask.ts', // the question, through shown()
    'main.ts', // the version
    'run.ts', // a closed pipe
    'screen.ts',
    'verbs/data/export.ts', // escaped JSON, waiting for slow readers
    'verbs/team/login.ts', // a fixed prompt
  ]);
});

function named(arg: string): string {
  return { [FIRST]: store.first, [SECOND]: store.second, [TURN]: store.turn }[arg] ?? arg;
}

/** Removes line ends of a terminal, our colours, and the line that shows progress. */
function withoutOwnCodes(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll('\r\n', '\n').replaceAll(/\u001b\[(?:0|1|2|31|32|33|36)m|\r\u001b\[2K/g, '');
}

function assertClean(text: string, args: readonly string[]): void {
  assert.deepEqual(forbiddenIn(text), [], `${JSON.stringify(args)}:\n${JSON.stringify(text)}`);
}
