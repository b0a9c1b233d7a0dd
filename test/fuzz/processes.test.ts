/**
 * Changed inputs through the real socket and the real hook program: the daemon survives, acknowledges a valid event after
 * each batch, processes everything it accepted, and the hook exits 0 with one complete answer or none.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HOOK_BUDGET_MS, type HookName } from '../../src/core/index.ts';
import { daemonPid } from '../support/daemon.ts';
import { bytesOf, hookText, nameOf } from '../support/fuzz/intake.ts';
import { mutated, mutatedJson, scramble } from '../support/fuzz/mutate.ts';
import { reportLong } from '../support/long-report.ts';
import { HOOK, Machine } from '../support/machine.ts';
import { runQueue } from '../support/queue.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { randomFrom, type Random } from '../support/random.ts';
import { uuid } from '../support/synthetic-transcript.ts';

const SOCKET_CASES = IS_LONG_RUN ? 18_000 : 200;
const HOOK_CASES = IS_LONG_RUN ? 2_400 : 12;
const SOCKET_BATCH = 500;
const HOOK_BATCH = 100;
/** Requests at a time. */
const AT_ONCE = 8;
/** A request without an answer for this long means that the daemon hangs. */
const HANGS_MS = 60_000;
const SEED = 20_261_116;
/** Calls that only read: others would stop the daemon or change its settings, as asked. */
const CALLS: readonly [string, ...string[]] = [
  'read.search',
  'read.show',
  'read.timeline',
  'read.memories',
  'read.sessions',
  'read.page',
  'read.memory',
  'read.why',
  'read.place',
  'read.cost',
  'after-read',
  'before-command',
  'before-edit',
  'no.such.call',
];
const ARGUMENTS = {
  query: 'tokens since:3d',
  ids: ['1ja0p3h7k2m9qx'],
  id: '1ja0p3h7k2m9qx',
  around: '3d',
  dir: '/somewhere',
  limit: 5,
  session: 's1',
  file: '/somewhere/a.ts',
  files: ['/somewhere/a.ts'],
  limitMs: 50,
  call: 'c1',
  command: 'cat a.ts',
  cwd: '/somewhere',
  mode: 'default',
};

test(`${SOCKET_CASES} changed requests through the socket leave the daemon alive and its queue empty`, async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const pid = daemonPid(machine.places);
  const socket = readFileSync(machine.places.socketPointer, 'utf8').trim();
  const statuses = new Map<string, number>();
  for (let done = 0; done < SOCKET_CASES; done += SOCKET_BATCH) {
    const cases = Array.from({ length: Math.min(SOCKET_BATCH, SOCKET_CASES - done) }, (_, i) => done + i);
    await runQueue(cases, AT_ONCE, async (n) => {
      const kind = await socketCase(socket, n);
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
    });
    await assertAcknowledges(machine, `socket ${done}`);
    assert.equal(daemonPid(machine.places), pid, machine.logs());
  }
  const { setAside, spool } = await machine.drained();
  assert.deepEqual(setAside, [], machine.logs());
  assert.equal(spool.depth, 0);
  for (const [part, count] of statuses) reportLong({ subject: 'fuzz cases through the socket', part, count });
  t.diagnostic([...statuses].map(([kind, count]) => `${kind}: ${count}`).join('; '));
});

test(`${HOOK_CASES} changed inputs for the hook program: exit 0, one answer or none, the daemon lives`, async (t) => {
  const machine = Machine.open(t);
  // The real budgets, so that the report can say how many runs kept to theirs.
  if (IS_LONG_RUN) machine.setEnv({ TIDEMARK_ANSWER_S: '' });
  await machine.up();
  const pid = daemonPid(machine.places);
  let inTime = 0;
  for (let n = 0; n < HOOK_CASES; n++) {
    const random = randomFrom(SEED + n);
    const text = hookText(random).replaceAll('\0', '');
    const name = nameOf(text, random);
    const began = performance.now();
    const { code, signal, stdout, stderr } = await machine.run('sh', [HOOK, name], {
      input: text,
      env: { CLAUDE_PROJECT_DIR: machine.project },
      cwd: machine.project,
    }).ended;
    if (performance.now() - began <= HOOK_BUDGET_MS[name]) inTime += 1;
    assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' }, `case ${n}`);
    assert.match(stdout, /^(?:\{.*\}\n)?$/, `case ${n}`);
    if (stdout !== '') JSON.parse(stdout);
    if (n % HOOK_BATCH > 0) continue;
    await assertAcknowledges(machine, `hook ${n}`);
    if (!IS_LONG_RUN) assert.equal(daemonPid(machine.places), pid, machine.logs());
  }
  const { setAside } = await machine.drained();
  assert.deepEqual(setAside, [], machine.logs());
  reportLong({
    subject: 'fuzz cases through the hook program',
    part: 'within budget',
    count: HOOK_CASES,
    good: inTime,
  });
});

/** Sends one request. Returns its kind and the status of the answer. */
async function socketCase(socket: string, n: number): Promise<string> {
  const random = randomFrom(SEED + n);
  switch (random.below(10)) {
    case 0: {
      const body = mutatedJson(random, ARGUMENTS);
      const { status, text } = await post(socket, `/v1/call/${random.pick(CALLS)}`, Buffer.from(body));
      assert.equal(status, 200, `case ${n}: ${text}`);
      const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as object;
      assert.ok('result' in last || 'error' in last, `case ${n}: ${text}`);
      return 'calls';
    }
    case 1:
      await sendRaw(socket, rawRequest(random));
      return 'raw bytes';
    default: {
      const text = hookText(random);
      const name = nameOf(text, random);
      const body = bytesOf(`${envelope(random, n)}\n${text}`, random);
      const { status, text: answer } = await post(socket, `/v1/hook/${pathOf(random, name)}`, body);
      assert.ok(status === 200 || status === 404, `case ${n}: ${status} ${answer}`);
      return `hook events, ${status}`;
    }
  }
}

function envelope(random: Random, n: number): string {
  // Some are sent again: their ids are known.
  const attempt = random.below(4) === 0 ? uuid('again') : uuid('fuzz', n);
  const text = `attempt: ${attempt}\nclient: 0.1.0\nproject-dir: /somewhere/fuzz\nunattended: 1\n`;
  return random.below(6) === 0 ? mutated(random, text) : text;
}

function pathOf(random: Random, name: HookName): string {
  return random.below(30) === 0 ? encodeURIComponent(scramble(random, 5).toWellFormed()) : name;
}

function rawRequest(random: Random): Buffer {
  const text =
    'POST /v1/hook/Stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\nattempt: 12345678\n\n{}';
  return bytesOf(mutated(random, text), random);
}

function post(socketPath: string, path: string, body: Buffer): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method: 'POST', timeout: HANGS_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${path}`)));
    outgoing.on('error', reject).end(body);
  });
}

/** Writes bytes that need not be a request, and hangs up. */
function sendRaw(socketPath: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = connect(socketPath, () => client.end(bytes));
    client.on('error', () => resolve()); // the daemon may hang up first
    client.on('close', () => resolve()).resume();
    client.setTimeout(HANGS_MS, () => {
      reject(new Error('the connection stays open'));
      client.destroy();
    });
  });
}

async function assertAcknowledges(machine: Machine, batch: string): Promise<void> {
  const fields = { session_id: uuid(batch), prompt: 'Does it still answer?' };
  const { status } = await machine.deliver('UserPromptSubmit', fields, { attempt: uuid('valid', batch) });
  assert.equal(status, 200, machine.logs());
}
