/**
 * The operator's commands while a trial runs. Its database allows one process, so the server answers them: on a loopback
 * port, for callers that can read the secret in the trial's folder (0600).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as v from 'valibot';
import { given, TidemarkError } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';
import type { Operator } from '../admin/index.ts';
import type { Trial } from './embedded.ts';

/** The operator's commands, here or in the process of a running trial. */
export type OperatorCalls = Pick<Operator, keyof Operator>;

/** Every command takes and returns plain data. */
const CALLS = {
  init: true,
  teams: true,
  createTeam: true,
  members: true,
  addMember: true,
  setRole: true,
  memberHoldings: true,
  removeMember: true,
  eraseMember: true,
  exportMember: true,
  settings: true,
  setSettings: true,
  previewRetention: true,
  status: true,
  keys: true,
  createKey: true,
  revokeKey: true,
} satisfies Record<keyof OperatorCalls, true>;

const Address = v.object({ port: v.number(), secret: v.string() });
const Call = v.object({ call: v.picklist(Object.keys(CALLS) as (keyof OperatorCalls)[]), args: v.unknown() });
const Answer = v.union([
  v.object({ result: v.unknown() }),
  v.object({
    error: v.object({ code: v.string(), message: v.string(), hint: v.optional(v.string()) }),
  }),
]);

const LARGEST_CALL = 64 * 1024;
const CALL_TIMEOUT_MS = 60_000;

/** Answers operator commands until it is closed. */
export async function serveOperator(
  operator: OperatorCalls,
  trial: Trial,
): Promise<{ close(): Promise<void> }> {
  const secret = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => void answer(operator, secret, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  writeAtomicallySync(addressFile(trial), JSON.stringify({ port, secret }));
  return {
    close: async () => {
      rmSync(addressFile(trial), { force: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs each command in the process of the running trial. */
export function remoteOperator(trial: Trial): OperatorCalls {
  const { port, secret } = addressOf(trial);
  const ask = async (call: string, args: unknown): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { authorization: secret },
      body: JSON.stringify({ call, args }),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const said = v.parse(Answer, await response.json());
    if (!('error' in said)) return said.result;
    const { code, message, hint } = said.error;
    throw new TidemarkError(code, message, given({ hint }));
  };
  const calls = Object.keys(CALLS).map((call) => [call, (args: unknown) => ask(call, args)]);
  return Object.fromEntries(calls) as OperatorCalls; // the other process runs the same program
}

function addressOf(trial: Trial): v.InferOutput<typeof Address> {
  try {
    return v.parse(Address, JSON.parse(readTextSync(addressFile(trial), STATE_BYTES)));
  } catch (cause) {
    throw new TidemarkError('trial-in-use', 'the trial server is starting or stopping', {
      cause,
      hint: 'Try again in a few seconds.',
    });
  }
}

async function answer(
  operator: OperatorCalls,
  secret: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('content-type', 'application/json');
  if (!isSecret(request.headers.authorization, secret)) {
    response.writeHead(403).end('{"error":{"code":"forbidden","message":"wrong secret"}}');
    return;
  }
  try {
    const { call, args } = v.parse(Call, JSON.parse(await bodyOf(request)));
    const run = operator[call].bind(operator) as (args: unknown) => Promise<unknown>;
    response.end(JSON.stringify({ result: (await run(args)) ?? null }));
  } catch (error) {
    const known = error instanceof TidemarkError;
    const { code, message, hint } = known
      ? error
      : { code: 'internal', message: 'the trial server failed', hint: 'See its log.' };
    response.end(JSON.stringify({ error: { code, message, ...given({ hint }) } }));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > LARGEST_CALL) throw new TidemarkError('too-large', 'the command is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function isSecret(given: string | undefined, secret: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function addressFile({ folder }: Trial): string {
  return join(folder, 'operator.json');
}
