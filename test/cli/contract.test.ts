/** The CLI's public contract: exit codes, the JSON shape of errors, stdout for data and stderr for messages. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { DIST, Machine } from '../support/machine.ts';

const DOCS = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cli.md'), 'utf8');

test('every verb has a help page and is in the documentation', async (t) => {
  const machine = Machine.open(t);
  const { stdout, code } = await machine.cli(['--help', '--all']);
  assert.equal(code, 0);
  const verbs = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\S/gm)].map(([, verb]) => verb ?? '');
  assert.ok(verbs.length > 15, `verbs found: ${verbs.join(', ')}`);
  for (const verb of verbs) {
    const help = await machine.cli([...verb.split(' '), '--help']);
    assert.equal(help.code, 0, verb);
    assert.match(help.stdout, new RegExp(`Usage: tidemark ${verb}`), verb);
    assert.ok(DOCS.includes(`\`${verb}`), `docs/cli.md does not name ${verb}`);
  }
});

test('the first help page has ten verbs in groups and names the complete list', async (t) => {
  const machine = Machine.open(t);
  const { stdout, code } = await machine.cli(['--help']);
  assert.equal(code, 0);
  assert.equal(stdout.match(/^ {2}[a-z]+ {2,}\S/gm)?.length, 10);
  assert.deepEqual(stdout.match(/^\S.*(?=\n {2}\S)/gm), ['Set up', 'Find', 'Add and correct']);
  assert.ok(stdout.endsWith('\nAll commands: tidemark --help --all\n'), stdout);
  for (const args of [[], ['help'], ['-h']]) assert.equal((await machine.cli(args)).stdout, stdout);
  const complete = (await machine.cli(['--help', '--all'])).stdout;
  assert.match(complete, /^ {2}server member /m);
  for (const args of [
    ['help', '--all'],
    ['--all', '--help'],
  ])
    assert.equal((await machine.cli(args)).stdout, complete);
});

test('help of one verb is the same in every form and lists the verbs below it', async (t) => {
  const machine = Machine.open(t);
  const { stdout } = await machine.cli(['server', '--help']);
  assert.match(stdout, /^Usage: tidemark server /m);
  assert.match(stdout, /^Commands:\n {2}server start {2}/m);
  for (const args of [
    ['help', 'server'],
    ['--help', 'server'],
  ])
    assert.equal((await machine.cli(args)).stdout, stdout);
});

test('an earlier name of a verb still works and is not listed', async (t) => {
  const machine = Machine.open(t);
  assert.match((await machine.cli(['poison', '--help'])).stdout, /Usage: tidemark failed /);
  assert.doesNotMatch((await machine.cli(['--help', '--all'])).stdout, /poison/);
});

for (const [typed, meant] of [
  ['help serach', 'search'],
  ['uninst', 'uninstall'],
  ['delete 1ja', 'forget'],
  ['server inti', 'server init'],
  ['backup ver', 'backup verify'],
] as const)
  test(`"${typed}" is not a command; the hint names "${meant}"`, async (t) => {
    const { code, stdout, stderr } = await Machine.open(t).cli(typed.split(' '));
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, new RegExp(`^error: ".*" is not a command\nhint: Did you mean "tidemark ${meant}"`));
  });

test('a misspelt verb is a usage error that names the right one', async (t) => {
  const { code, stdout, stderr } = await Machine.open(t).cli(['serach', 'x']);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /Did you mean "tidemark search"/);
});

test('a misspelt verb as JSON, and options before a verb', async (t) => {
  const machine = Machine.open(t);
  const { code, stdout } = await machine.cli(['serach', '--json']);
  assert.equal(code, 2);
  assert.deepEqual(JSON.parse(stdout), {
    error: {
      code: 'usage',
      message: '"serach" is not a command',
      hint: 'Did you mean "tidemark search"? All commands: tidemark --help --all',
    },
  });
  assert.match(
    (await machine.cli(['--all', 'search'])).stderr,
    /^error: --all must follow a command\nhint: /,
  );
});

test('an error is two lines: the problem and the next step', async (t) => {
  const { stderr } = await Machine.open(t).cli(['show', 'zzzzzzzzzzzzzz']);
  assert.match(stderr, /^error: .*zzzzzzzzzzzzzz\nhint: Find ids with: tidemark search <words>\n$/);
});

test('a reader that closes the pipe is not a failure', async (t) => {
  const machine = Machine.open(t);
  // The pipe is closed before anything is written, and the exit code is that of tidemark.
  const script = `{ '${process.execPath}' '${join(DIST, 'cli.cjs')}' --help; echo "left with $?" >&2; } | true`;
  const { stderr } = await machine.run('bash', ['-c', script]).ended;
  assert.equal(stderr, 'left with 0\n');
});

test('colour is used only where it is wanted', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const coloured = async (env: Record<string, string>) =>
    (await machine.cli(['search', 'logs'], { env })).stdout.includes('\u001b[');
  assert.equal(await coloured({}), false);
  assert.equal(await coloured({ FORCE_COLOR: '1' }), true);
  assert.equal(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' }), false);
});

test('an unknown option is wrong use', async (t) => {
  const { code, stdout, stderr } = await Machine.open(t).cli(['search', '--colour', 'x']);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /tidemark search --help/);
});

test('something missing gives exit code 3, and the error as JSON on request', async (t) => {
  const { code, stdout, stderr } = await Machine.open(t).cli(['show', 'zzzzzzzzzzzzzz', '--json']);
  assert.equal(code, 3);
  const { error } = JSON.parse(stdout) as { error: Record<string, string> };
  assert.deepEqual(Object.keys(error).toSorted(), ['code', 'hint', 'message']);
  assert.equal(error['code'], 'not-found');
  assert.match(stderr, /zzzzzzzzzzzzzz/);
});

test('status starts nothing and says so with exit code 4', async (t) => {
  const machine = Machine.open(t);
  const { code, stdout } = await machine.cli(['status', '--json']);
  assert.equal(code, 4);
  assert.deepEqual(JSON.parse(stdout), { running: false, home: machine.places.home, installed: [] });
});

test('a memory added by hand is found, shown and forgotten', async (t) => {
  const machine = Machine.open(t);
  const made = await machine.cli([
    'remember',
    'Refresh tokens rotate on every use',
    '--kind',
    'decision',
    '--json',
  ]);
  assert.equal(made.code, 0, made.stderr);
  const { id } = JSON.parse(made.stdout) as { id: string };
  const found = await machine.cli(['search', 'refresh', 'tokens', '--json']);
  assert.equal((JSON.parse(found.stdout) as { hits: { memory: { id: string } }[] }).hits[0]?.memory.id, id);
  const forgotten = await machine.cli(['forget', id, '--json']);
  assert.equal(forgotten.code, 0, forgotten.stderr);
  assert.equal((await machine.cli(['show', id, '--json'])).code, 3);
});

test('an extra argument changes nothing', async (t) => {
  const machine = Machine.open(t);
  const { code, stderr } = await machine.cli(['pause', 'shop']);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^error: tidemark pause takes no arguments; "shop" is one too many\nhint: tidemark pause /,
  );
});

test('an invalid number is a usage error', async (t) => {
  const { code, stderr } = await Machine.open(t).cli(['search', 'x', '--limit', 'many']);
  assert.equal(code, 2);
  assert.match(stderr, /--limit must be a whole number from 1 up, not "many"/);
});

test('a failed export is reported in plain words', async (t) => {
  const { code, stderr } = await Machine.open(t).cli(['export', '--to', '/no/such/folder/x.jsonl']);
  assert.equal(code, 1);
  assert.match(stderr, /^error: \/no\/such\/folder\/x\.jsonl: no such file or folder\nhint: .*\n$/);
});

test('status, brief and doctor report a pause until it ends', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['pause']);
  await machine.cli(['pause', '--everywhere']);
  const said = await machine.cli(['resume']);
  assert.match(said.stdout, /^Resumed in .*\nPaused everywhere: .*tidemark resume --everywhere\n$/);
  assert.match((await machine.cli(['status'])).stdout, /^Paused everywhere: /m);
  assert.match((await machine.cli(['brief'])).stderr, /^Paused everywhere: /);
  assert.match((await machine.cli(['doctor'])).stdout, /capture +paused everywhere/);
  assert.equal((await machine.cli(['resume', '--everywhere'])).stdout, 'Resumed everywhere.\n');
  assert.doesNotMatch((await machine.cli(['status'])).stdout, /Paused/);
});

test('an unknown session cannot be paused', async (t) => {
  const { code, stderr } = await Machine.open(t).cli(['pause', '--session', 'nope']);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /no session begins with nope\nhint: .*tidemark sessions/);
});

for (const args of [
  ['pause', '--everywhere', '--session', 'nope'],
  ['forget', 'nope', '--now', '--undo'],
  ['sessions', '--since', 'yesterday'],
])
  test(`wrong use: ${args.join(' ')}`, async (t) => {
    const { code, stdout, stderr } = await Machine.open(t).cli(args);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /^error: .*\nhint: /);
  });

test('the times in the help of search are understood', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const found = await machine.cli(['search', 'since:2w', 'logs']);
  assert.deepEqual([found.code, found.stderr], [0, '']);
  assert.match(found.stdout, /Rotate the logs/);
});

test('edit refuses an empty title', async (t) => {
  const machine = Machine.open(t);
  const { id } = JSON.parse((await machine.cli(['remember', 'Rotate the logs', '--json'])).stdout) as {
    id: string;
  };
  const { code, stderr } = await machine.cli(['edit', id, '--title', ' ']);
  assert.equal(code, 2);
  assert.match(stderr, /a memory needs a title/);
  assert.match((await machine.cli(['show', id])).stdout, /Rotate the logs/);
});

test('extract-facts counts with the right plurals', async (t) => {
  const machine = Machine.open(t);
  const file = join(machine.root, 'facts.md');
  writeFileSync(file, '## Decisions\n- Use Postgres\n\n## Patterns\n- Kebab case\n- Small files\n');
  const { stdout } = await machine.cli(['extract-facts', file]);
  assert.equal(stdout, 'Found 1 decision, 2 patterns and 0 issues: 3 new, 0 known already.\n');
});

test('backup into a folder prints the command that restores from that folder', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const folder = join(machine.root, 'disk');
  const { stdout } = await machine.cli(['backup', '--to', folder]);
  const [, args = ''] = /restore it with: tidemark (.*)$/m.exec(stdout) ?? [];
  const restored = await machine.cli([...args.split(' '), '--yes']);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(args, /--from /);
});

test('an ambiguous id lists the matching ids', async (t) => {
  const machine = Machine.open(t);
  const ids: string[] = [];
  for (const title of ['Rotate the logs', 'Keep prices in cents']) {
    const { stdout } = await machine.cli(['remember', title, '--json']);
    ids.push((JSON.parse(stdout) as { id: string }).id);
  }
  const { code, stderr } = await machine.cli(['show', '1']);
  assert.equal(code, 3);
  assert.match(stderr, /^error: 2 memories begin with 1\nhint: Write more of the id: /);
  for (const id of ids) assert.ok(stderr.includes(shortId(id)), stderr);
});

test('search reports words that are too common', async (t) => {
  const { stderr } = await Machine.open(t).cli(['search', 'use', 'the']);
  assert.match(stderr, /Every word of “use the” is too common/);
});

test('a data folder in /proc is refused by the CLI and by the daemon', async (t) => {
  const machine = Machine.open(t);
  const env = { TIDEMARK_HOME: '/proc/nothing/tidemark' };
  const { code, stderr } = await machine.cli(['status'], { env });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^error: \/proc\/nothing\/tidemark cannot be the data folder.*\nhint: Set TIDEMARK_HOME/,
  );
  const daemon = await machine.startDaemon({ env }).ended;
  assert.equal(daemon.code, 1);
  assert.match(daemon.stderr, /cannot be the data folder/);
});

test('every program names the required Node when it runs on an older one', async (t) => {
  const machine = Machine.open(t);
  const older = join(machine.root, 'older.cjs');
  writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
  for (const program of ['cli', 'daemon', 'mcp', 'server', 'embedder']) {
    const args = ['--require', older, join(DIST, `${program}.cjs`)];
    const { code, stdout, stderr } = await machine.run(process.execPath, args).ended;
    assert.deepEqual([code, stdout], [1, ''], program);
    assert.match(stderr, /^tidemark: Node 20\.20\.2 is too old; Tidemark needs 22\.13 or newer\.\n/);
  }
});
