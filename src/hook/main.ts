/**
 * Entry of dist/hook.cjs: `hook.cjs <event> [<attempt> [<result of curl> [<agent>]]]`, or `hook.cjs replace`.
 * Always exits 0 and prints one complete line of JSON or nothing; problems go to log/hook.log.
 */
import type * as Crypto from 'node:crypto';
import { existsSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { isHookName, placesIn, tidemarkHome } from '../core/index.ts';
import { deadlines } from './budget.ts';
import { deliver, type Attempt, type End } from './deliver.ts';
import { errnoOf } from './errno.ts';
import { logRow } from './log.ts';
import { MESSAGES } from './messages.ts';
import { replaceDaemon } from './replace.ts';
import { parseSent } from './sent.ts';
import { REPLACE } from './start.ts';

const OLDEST_NODE = 18;

/** A pipe that accepts nothing for this long has a dead or hung reader. */
const PRINT_LIMIT_MS = 100;

/** Far beyond any hook input; a longer one is not an event. */
const BODY_LIMIT = 64 * 1024 * 1024;

const [name = '', givenAttempt = '', result = '', agent = ''] = process.argv.slice(2);
const attemptId = /^[A-Za-z0-9-]{8,80}$/.test(givenAttempt) ? givenAttempt : newAttempt();
const client = process.argv[1] ?? '';
const places = placesIn(tidemarkHome(process.env, userHome()));

// A nested call (our own distiller) leaves no trace.
if (process.env['TIDEMARK_NESTED'] === '1') process.exit(0);
// Uninstalled while this session was open. A new session has the plugin again.
if (name !== 'SessionStart' && existsSync(places.uninstalled)) process.exit(0);
process.on('uncaughtException', (error) => leave({ outcome: 'failed', reason: errnoOf(error), output: '' }));
void main();

async function main(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    const output = name === 'SessionStart' ? JSON.stringify({ systemMessage: MESSAGES['broken-node'] }) : '';
    return leave({ outcome: 'failed', reason: 'broken-node', output });
  }
  if (name === REPLACE) {
    return leave({ ...(await replaceDaemon(places, process.env, dirname(client))), output: '' });
  }
  if (!isHookName(name)) return leave({ outcome: 'ignored', reason: 'unknown event', output: '' });
  // Taken for another agent's, the event would be stored wrongly.
  if (!/^[a-z0-9-]*$/.test(agent))
    return leave({ outcome: 'failed', reason: 'invalid agent name', output: '' });
  const sent = parseSent(result);
  const { soft, hard } = deadlines(name, sent, performance.now(), process.env['TIDEMARK_ANSWER_S']);
  setTimeout(() => leave({ outcome: 'failed', reason: 'out of time', output: '' }), hard - performance.now());
  const attempt: Attempt = {
    places,
    env: process.env,
    client,
    event: name,
    agent,
    id: attemptId,
    sent,
    deadline: soft,
  };
  const body = await readBody(process.stdin);
  if (!body) return leave({ outcome: 'ignored', reason: 'too large', output: '' });
  leave(await deliver(attempt, body));
}

/** Only needed without hook.sh. Loads node:crypto late, because it takes 10 ms of CPU. */
function newAttempt(): string {
  const { randomUUID } = createRequire(process.execPath)('node:crypto') as typeof Crypto;
  return randomUUID();
}

function userHome(): string {
  try {
    return process.env['HOME'] || homedir();
  } catch {
    return '/'; // a user without a home: the message is that the data folder is not writable
  }
}

function leave({ outcome, reason, output }: End): never {
  if (output !== '') print(output);
  logRow(places, {
    at: new Date().toISOString(),
    event: /^\w{1,40}$/.test(name) ? name : 'unknown',
    attempt: attemptId,
    ms: Math.round(performance.now()),
    outcome,
    reason,
  });
  process.exit(0);
}

/** Writes synchronously, because process.exit does not wait for asynchronous writes to a pipe. */
function print(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  const stopAt = performance.now() + PRINT_LIMIT_MS;
  let written = 0;
  while (written < bytes.length && performance.now() < stopAt) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN') return; // the reader is gone
    }
  }
}

/** Reads all of stdin without blocking, so that the deadline works. Returns undefined if it is too large. */
function readBody(stdin: NodeJS.ReadStream): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stdin.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_LIMIT) return resolve(undefined);
      chunks.push(chunk);
    });
    stdin.on('end', () => resolve(Buffer.concat(chunks)));
    stdin.on('error', () => resolve(Buffer.concat(chunks)));
  });
}
