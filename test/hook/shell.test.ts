/** hook.sh while the daemon answers: the event arrives unchanged, the answer is printed completely or not at all. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { answerWith, CONTEXT, input, line, World, type Ran } from './_world.ts';

const SHELLS = [['sh'], ['dash'], ['bash', '--posix'], ['bash'], ['busybox', 'sh']].filter(
  ([command = '']) => spawnSync('which', [command]).status === 0,
);
const UUID = /^attempt: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n/;

function printed(ran: Ran, stdout: string): void {
  assert.deepEqual(ran, { code: 0, signal: null, stdout, stderr: '' });
}

for (const shell of SHELLS) {
  const bodies: Readonly<Record<string, Buffer>> = {
    'quotes and backslashes': Buffer.from(
      input('Stop', { prompt: `'"\`$(touch x) \\n \\\\ %s %n ${'\\"'.repeat(9)}` }),
    ),
    'CRLF between tokens': Buffer.from('{\r\n"session_id":"s",\r\n"hook_event_name":"Stop"}'),
    unicode: Buffer.from(input('Stop', { prompt: 'žluťoučký 🐎 \u2028 \u0000 \ud800' })),
    'invalid UTF-8': Buffer.concat([
      Buffer.from('{"session_id":"'),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from('"}'),
    ]),
    'a leading dash': Buffer.from('-n -e @/etc/passwd'),
    '1 MB': Buffer.alloc(1_000_000, 'x'),
  };
  for (const [what, body] of Object.entries(bodies)) {
    test(`${shell.join(' ')}: a body of ${what} arrives byte for byte`, async (t) => {
      const world = await World.open(t);
      await world.serve();
      printed(await world.hook('SessionStart', body, { shell }), `${CONTEXT}\n`);
      assert.equal(world.received.length, 1);
      assert.ok(World.bodyOf(world.received[0]).equals(body));
      assert.deepEqual(world.log(), []);
    });
  }

  test(`${shell.join(' ')}: NUL bytes are dropped, the rest arrives`, async (t) => {
    const world = await World.open(t);
    await world.serve();
    printed(await world.hook('SessionStart', 'a\0b\0c', { shell }), `${CONTEXT}\n`);
    assert.equal(World.bodyOf(world.received[0]).toString(), 'abc');
  });
}

test('a body of 20 MB arrives completely', async (t) => {
  const world = await World.open(t);
  await world.serve();
  const body = Buffer.alloc(20_000_000, 'y');
  printed(await world.hook('SessionStart', body), `${CONTEXT}\n`);
  assert.ok(World.bodyOf(world.received[0]).equals(body));
});

test('an empty body is passed on; the daemon decides', async (t) => {
  const world = await World.open(t);
  await world.serve(answerWith(''));
  printed(await world.hook('Stop', ''), '');
  assert.equal(World.bodyOf(world.received[0]).length, 0);
});

test('the envelope names attempt, client, project and program, and none of it is in a header', async (t) => {
  const world = await World.open(t);
  await world.serve();
  await world.hook('UserPromptSubmit', input('UserPromptSubmit'));
  const [received] = world.received;
  assert.equal(received?.url, '/v1/hook/UserPromptSubmit');
  assert.equal(received.headers['content-type'], 'application/x-tidemark-hook');
  assert.equal(received.headers['expect'], undefined);
  const text = received.body.toString();
  assert.match(text, UUID);
  assert.match(text, /^client: \d+\.\d+\.\d+$/m);
  assert.ok(text.includes(`\nproject-dir: ${world.projectDir}\nprogram: ${world.plugin}/dist\n\n{`));
});

test('a project folder with a newline is omitted', async (t) => {
  const world = await World.open(t);
  await world.serve();
  await world.hook('Stop', '{}', { env: { CLAUDE_PROJECT_DIR: '/a\nattempt: forged' } });
  assert.match(
    world.received[0]?.body.toString() ?? '',
    /^attempt: [0-9a-f-]{36}\nclient: [0-9.]+\nprogram: [^\n]+\n\n\{\}$/,
  );
});

test('two events have different ids', async (t) => {
  const world = await World.open(t);
  await world.serve();
  await world.hook('Stop', '{}');
  await world.hook('Stop', '{}');
  const [first, second] = world.received.map(({ body }) => UUID.exec(body.toString())?.[0]);
  assert.ok(first && second);
  assert.notEqual(first, second);
});

const ANSWERS: readonly (readonly [what: string, answer: string, stdout: string])[] = [
  ['nothing', '', ''],
  ['one line of JSON', CONTEXT, `${CONTEXT}\n`],
  ['a line with its newline', `${CONTEXT}\n`, `${CONTEXT}\n`],
  ['backslashes and percents', line('\\n %s \\\\ \\c'), `${line('\\n %s \\\\ \\c')}\n`],
  ['plain text', 'remember the milk', ''],
  ['half of a JSON object', '{"hookSpecificOutput":{"additionalContext":"x', ''],
  ['two lines', `${CONTEXT}\n${CONTEXT}`, ''],
  ['HTML', '<html></html>', ''],
];
for (const [what, answer, stdout] of ANSWERS) {
  test(`an answer of ${what} is ${stdout ? 'printed' : 'not printed'}`, async (t) => {
    const world = await World.open(t);
    await world.serve(answerWith(answer));
    printed(await world.hook('SessionStart', input('SessionStart')), stdout);
    assert.deepEqual(world.kept(), []); // 200 means accepted
  });
}

test('the largest brief is printed completely', async (t) => {
  const world = await World.open(t);
  const answer = line('ž'.repeat(10_000));
  await world.serve(answerWith(answer));
  printed(await world.hook('SessionStart', input('SessionStart')), `${answer}\n`);
});

test('Stop prints only a message of the daemon for the user', async (t) => {
  const world = await World.open(t);
  const answers = ['', 'saved', '{"systemMessage":"saved"}'];
  await world.serve((response, received) => answerWith(answers.shift() ?? '')(response, received));
  printed(await world.hook('Stop', input('Stop')), '');
  printed(await world.hook('Stop', input('Stop')), '');
  printed(await world.hook('Stop', input('Stop')), '{"systemMessage":"saved"}\n');
});

test("the user's .curlrc is ignored", async (t) => {
  const world = await World.open(t);
  await world.serve();
  writeFileSync(
    join(world.folder, '.curlrc'),
    'no-such-option\nurl = "http://127.0.0.1:1/"\nproxy = "127.0.0.1:1"\n-i\n',
  );
  mkdirSync(join(world.folder, '.config'));
  writeFileSync(join(world.folder, '.config', 'curlrc'), 'include\nverbose\n');
  printed(await world.hook('SessionStart', '{}', { env: { CURL_HOME: world.folder } }), `${CONTEXT}\n`);
});

test('proxies in the environment are ignored', async (t) => {
  const world = await World.open(t);
  await world.serve();
  const proxy = 'http://127.0.0.1:1';
  const env = { http_proxy: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy, all_proxy: proxy, no_proxy: '' };
  printed(await world.hook('SessionStart', '{}', { env }), `${CONTEXT}\n`);
});

test('a nested call leaves no trace', async (t) => {
  const world = await World.open(t);
  await world.serve();
  const env = { TIDEMARK_NESTED: '1' };
  printed(await world.hook('SessionStart', input('SessionStart'), { env }), '');
  printed(await world.node([world.client, 'SessionStart'], input('SessionStart'), env), '');
  assert.deepEqual([world.received, world.kept(), world.log()], [[], [], []]);
});

test('the prompt is never executed and never an argument', async (t) => {
  const world = await World.open(t);
  await world.serve();
  const trap = join(world.bin, 'curl');
  const seen = join(world.folder, 'seen');
  writeFileSync(trap, `#!/bin/sh\nprintf '%s\\n' "$@" >>'${seen}'\ncat >/dev/null\n`, { mode: 0o755 });
  const PATH = `${world.bin}:${world.env['PATH']}`;
  const body = input('Stop', { prompt: '$(touch pwned) `touch pwned` ; touch pwned' });
  printed(await world.hook('Stop', body, { env: { PATH } }), '');
  const { stdout } = await world.run('cat', [seen], '');
  assert.ok(stdout.includes('@-'));
  assert.ok(!stdout.includes('pwned') && !stdout.includes('session-1'));
});
