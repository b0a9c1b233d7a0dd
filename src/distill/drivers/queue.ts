/**
 * Asks through a folder: writes each request to `<hash>.request.json` and waits for `<hash>.reply.txt`. Anyone may answer,
 * a person or a program with any model. The hash covers the whole request, so the replies are a cache: the same request
 * is never answered twice. The benchmark of distilling uses it (bench/README.md).
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { contentHash } from '../../core/index.ts';
import { readTextSync, writeAtomically } from '../../files/index.ts';
import { failed, type Driver, type DriverAnswer, type DriverRequest } from './driver.ts';

const REPLY_BYTES = 256 * 1024;
const POLL_MS = 250;
const CHARS_PER_TOKEN = 4;

export function queueDriver({ folder, model }: { readonly folder: string; readonly model: string }): Driver {
  return {
    name: 'queue',
    model,
    timeoutMs: Infinity,
    ask: (request, signal) => ask(folder, model, request, signal),
    health: () => Promise.resolve(healthOf(folder)),
    close: () => Promise.resolve(),
  };
}

async function ask(
  folder: string,
  model: string,
  { session, system, prompt, schema, asText }: DriverRequest,
  signal: AbortSignal,
): Promise<DriverAnswer> {
  const hash = contentHash(JSON.stringify([system, prompt, schema])).slice(0, 32);
  const replyFile = join(folder, `${hash}.reply.txt`);
  if (!exists(replyFile)) {
    const request = { session, system, prompt, schema, asText };
    await writeAtomically(join(folder, `${hash}.request.json`), `${JSON.stringify(request, null, 1)}\n`);
  }
  while (!exists(replyFile)) {
    if (signal.aborted) return failed('aborted', 'stopped while waiting for a reply in the queue');
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
  const text = readTextSync(replyFile, REPLY_BYTES);
  const tokens = (length: number): number => Math.ceil(length / CHARS_PER_TOKEN);
  const usage = {
    model,
    inputTokens: tokens(system.length + prompt.length + JSON.stringify(schema).length),
    outputTokens: tokens(text.length),
    requests: 1,
    usd: 0,
  };
  return { kind: 'answered', text, usage };
}

function healthOf(folder: string): Awaited<ReturnType<Driver['health']>> {
  if (folder === '')
    return { works: false, evidence: 'no folder is set', next: 'tidemark config set distill.queue FOLDER' };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { works: true, evidence: `requests wait for replies in ${folder}` };
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
