/** Messages for every answer of a server or of a proxy in front of it, and for a wrong address before a key is sent. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DIST, type Machine } from '../support/machine.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { Member } from './_member.ts';

interface Case {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: number;
  /** The error message. */
  readonly says: RegExp;
  readonly hint: RegExp;
}

function errorBody(code: string, message: string, hint: string): object {
  return { error: { code, message, hint } };
}

/** Answers of the server itself, and of a proxy without a Tidemark error body. */
const CASES: readonly Case[] = [
  {
    status: 400,
    body: errorBody('invalid', 'changes.0.entry.title: too long', 'The shape is in /v1/openapi.json.'),
    says: /changes\.0\.entry\.title: too long/,
    hint: /openapi\.json/,
  },
  {
    status: 400,
    body: '<h1>Bad Request</h1>',
    says: /answers 400/,
    hint: /This program and the server may have different versions/,
  },
  {
    status: 401,
    body: errorBody('unauthorized', 'this key has expired', 'Get a key from an owner of the team'),
    says: /does not accept the key: this key has expired/,
    hint: /Ask an owner of the team for a new one, then: tidemark login http/,
  },
  {
    status: 403,
    body: errorBody('forbidden', 'this key may not read', 'Use a key with the scope "read"'),
    says: /this key may not read/,
    hint: /scope "read"/,
  },
  { status: 403, body: '', says: /answers 403/, hint: /Ask an owner/ },
  {
    status: 404,
    body: errorBody('not-found', 'no such project', 'it does not exist, or is not shared with you'),
    says: /no such project/,
    hint: /not shared with you/,
  },
  { status: 404, body: '<h1>Not Found</h1>', says: /answers 404/, hint: /If it moved: tidemark login/ },
  { status: 413, body: '<h1>Too Large</h1>', says: /answers 413/, hint: /raise the limit/ },
  {
    status: 429,
    body: errorBody('too-many', 'too many requests with this key', 'Go on after 3 s'),
    retryAfter: 3,
    says: /too many requests with this key/,
    hint: /retried automatically/,
  },
  {
    status: 502,
    body: errorBody(
      'upstream',
      'the database answered with an error; nothing was stored',
      'The operator finds it in the log',
    ),
    says: /the database answered with an error/,
    hint: /The operator/,
  },
  { status: 502, body: '<h1>Bad Gateway</h1>', says: /answers 502/, hint: /Nothing is lost/ },
  {
    status: 503,
    body: errorBody('unavailable', 'the database cannot be reached right now', 'Again after a moment'),
    retryAfter: 2,
    says: /the database cannot be reached right now/,
    hint: /retried automatically/,
  },
];

test('login, share and team print a message and a hint for each answer', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const key = server.member('Ada');
  const ada = await Member.open(t, server, key);
  await ada.remember('Ferries leave on the hour');
  for (const { says, hint, ...answers } of CASES) {
    server.answers = answers;
    const name = `${answers.status} ${JSON.stringify(answers.body)}`;
    const login = await loggingIn(ada.machine, server.url, key.key);
    assert.equal(login.code, 1, name);
    assert.match(login.stderr, new RegExp(`error: .*${says.source}`), name);
    assert.match(login.stderr, new RegExp(`hint: .*${hint.source}`), name);
    const share = await ada.machine.cli(['share', '.', '--yes']);
    assert.equal(share.code, 1, name);
    assert.match(share.stderr, new RegExp(`error: .*${says.source}`), name);
    assert.match(share.stderr, new RegExp(`hint: .*${hint.source}`), name);
  }
  server.answers = undefined;
  await ada.share();
  for (const { says, hint, ...answers } of CASES) {
    server.answers = answers;
    await ada.remember(`Said while it answered ${answers.status} ${JSON.stringify(answers.body)}`);
    const team = await ada.machine.cli(['team', '--now']);
    const name = `${answers.status} ${team.stdout}`;
    assert.equal(team.code, 1, name);
    assert.match(team.stdout, new RegExp(`^! .*${says.source}`, 'm'), name);
    assert.match(team.stdout, new RegExp(`^  .*${hint.source}`, 'm'), name);
  }
  server.answers = undefined;
  assert.equal((await ada.machine.cli(['team', '--now'])).code, 0);
  assert.equal(server.entries().length, 1 + CASES.length, 'all waiting changes were sent');
});

test('login checks the address before it asks for a key', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const gone = await elsewhere(t, (_, answer) => answer.end());
  const [page, moved, behind] = [
    await elsewhere(
      t,
      (_, answer) => void answer.setHeader('content-type', 'text/html').end('<h1>Hello</h1>'),
    ),
    await elsewhere(t, (_, answer) => void answer.writeHead(301, { location: 'http://127.0.0.1:1/' }).end()),
    await elsewhere(t, (_, answer) => void answer.writeHead(502).end('<h1>Bad Gateway</h1>')),
  ];
  await gone.close();
  const cases: readonly (readonly [string, RegExp, RegExp])[] = [
    [gone.url, /does not answer \(connection refused\)/, /Check the address and that the server is running/],
    [page.url, /is not a Tidemark team server/, /Use the address of "tidemark server"/],
    [moved.url, /it redirects/, /Check the address/],
    [behind.url, /answers 502/, /ask its operator/],
    ['memory.example.com', /not the address of a server/, /https:\/\/memory\.example\.com/],
    ['http://memory.example.com', /not encrypted/, /Use https/],
  ];
  for (const [url, says, hint] of cases) {
    const { stderr } = await ada.machine.cli(['login', url]);
    assert.match(stderr, says, url);
    assert.match(stderr, hint, url);
    assert.doesNotMatch(stderr, /at a terminal/, 'a key was asked for');
  }
  const good = await loggingIn(ada.machine, server.url, server.member('Bea').key);
  assert.match(good.stderr, /is a Tidemark team server \(0\.1\.0\)/);
  assert.match(good.stdout, /Logged in to .* as Bea/);
});

function loggingIn(machine: Machine, url: string, key: string) {
  return machine.run(process.execPath, [join(DIST, 'cli.cjs'), 'login', url, '--key-stdin'], {
    input: `${key}\n`,
  }).ended;
}

/** Starts a server that is not a team server. */
async function elsewhere(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = () => new Promise((resolve) => server.close(resolve));
  t.after(close);
  return { url: `http://127.0.0.1:${port}`, close };
}
