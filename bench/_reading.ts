/** A daemon whose small model is loaded, with memories that it reads for a prompt. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MemoryDraft, Places } from '../src/core/index.ts';
import { openClient } from '../src/daemon/index.ts';
import { recallRecords } from '../src/storage/ledger/index.ts';
import { inputOf } from './_events.ts';
import type { Served } from './_served.ts';

const PROMPT = 'the nightly import fails again, what changed about the retries?';
/** Near the prompt, but none is certain. */
const TITLES = [
  'Jobs of the queue time out after ten minutes',
  'The nightly import runs as one job of the queue',
  'Deploys restart the workers of the queue',
  'A failed import is tried again after an hour',
];
const LOAD_MS = 60_000;

/** Starts the daemon and waits until the model is loaded and every memory has its vector. */
export async function readingDaemon(served: Served, program: string, cwd: string): Promise<Places> {
  const places = await served.real('reading', program, { TIDEMARK_EMBED_DRIVER: 'local' });
  const client = openClient(places, process.env, dirname(program));
  for (const title of TITLES) {
    const draft: MemoryDraft = { kind: 'discovery', title, body: title, facts: [], concepts: [], files: [] };
    await client.call('remember', { draft, dir: cwd });
  }
  const stopAt = performance.now() + LOAD_MS;
  for (;;) {
    const { counts } = await client.call('embed.health', {});
    if (counts.memory.have === TITLES.length) return places;
    if (performance.now() > stopAt) throw new Error('the model made no vectors');
    await delay(100);
  }
}

/** A prompt of a new session each time, because a memory is injected once per session. */
export function promptInput(own: Readonly<Record<string, unknown>>): () => string {
  return () => inputOf('UserPromptSubmit', { ...own, prompt: PROMPT, session_id: randomUUID() })();
}

/** Returns how many of the prompts got memories, and how many got one that the small model had read. */
export async function readings(places: Places): Promise<{ prompts: number; recalled: number; read: number }> {
  const { moments } = await recallRecords(places.ledger);
  const prompts = moments.filter(({ where }) => where === 'prompt');
  return {
    prompts: prompts.length,
    recalled: prompts.filter(({ memories }) => memories.length > 0).length,
    read: prompts.filter(({ memories }) => memories.some(({ read }) => read !== undefined)).length,
  };
}
