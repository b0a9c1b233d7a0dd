/**
 * A machine that has captured the chats of one sde-bench task among the decoys: imported, kept by the small model and
 * embedded as the daemon does it, with cached answers. Then the real daemon and hooks answer. The decoys are the same for
 * every task, so their data folder is made once and copied.
 */
import { cpSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openStores } from '../src/capture/index.ts';
import { given, shortId } from '../src/core/index.ts';
import { MemoryIndex } from '../src/database/index.ts';
import { BUILT } from '../src/memory/index.ts';
import type { SmallModel } from '../src/models/index.ts';
import { searchTurns } from '../src/recall/index.ts';
import { Machine } from '../test/support/machine.ts';
import { SyntheticTranscript, uuid } from '../test/support/synthetic-transcript.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { closeStores, importAll, keepAll, makeRepository } from './memory-run.ts';
import type { SdeChat } from './_sde-data.ts';
import { firstOwner } from './_sde-score.ts';
import type { BenchVectors } from './_vectors.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const TURN_MS = 150_000;
/** One decoy a day, the last one yesterday. The chats of a task are in the middle of them. */
const DECIDED_DAYS_AGO = 50;
const REPLACED_DAYS_AGO = 90;
const READY_MS = 10 * 60_000;
const DEEP = 10;

export interface Models {
  readonly small: SmallModel;
  readonly vectors: BenchVectors;
}

export class SdeMachine {
  readonly #machine = new Machine({ TIDEMARK_EMBED_DRIVER: 'local' });
  readonly #base = join(this.#machine.root, 'base');
  readonly #models: Models;
  #sessions = 0;

  constructor(models: Models) {
    this.#models = models;
    makeRepository(this.#machine.project, this.#machine.home);
  }

  /** Captures the decoys. */
  async prepare(decoys: readonly SdeChat[]): Promise<void> {
    await this.#capture(decoys.map((chat, i) => ({ chat, daysAgo: decoys.length - i })));
    cpSync(this.#machine.places.home, this.#base, { recursive: true });
  }

  /** Captures the chats of a task, starts a daemon, asks, and forgets all of it. */
  async with<T>(chats: readonly SdeChat[], ask: (machine: this) => Promise<T>): Promise<T> {
    const { home } = this.#machine.places;
    rmSync(home, { recursive: true, force: true });
    cpSync(this.#base, home, { recursive: true });
    const days = chats.length > 1 ? [REPLACED_DAYS_AGO, DECIDED_DAYS_AGO] : [DECIDED_DAYS_AGO];
    const written = await this.#capture(chats.map((chat, i) => ({ chat, daysAgo: days[i] ?? 0 })));
    try {
      await this.#machine.up();
      await waitFor('every vector', () => this.#isReady(), { timeout: READY_MS });
      return await ask(this);
    } finally {
      await this.#machine.stopDaemon();
      for (const path of written) rmSync(path);
    }
  }

  /** Returns what the agent gets from the two hooks of a new session. The model is loaded, as in a session under way. */
  async session(prompt: string): Promise<{ readonly brief: string; readonly injected: string }> {
    const id = { session_id: uuid('sde session', this.#sessions++) };
    const brief = await this.#machine.hook('SessionStart', { ...id, source: 'startup' });
    await this.search(prompt);
    const injected = await this.#machine.hook('UserPromptSubmit', { ...id, prompt });
    return { brief: contextOf(brief.stdout), injected: contextOf(injected.stdout) };
  }

  /** The turns of the entries and of the conversations that `tidemark search` lists, best first. */
  async search(query: string): Promise<{
    readonly entries: readonly string[];
    readonly turns: readonly string[];
  }> {
    const { hits, turns } = await this.#machine.call('read.search', {
      query,
      limit: DEEP,
      dir: this.#machine.project,
    });
    return {
      entries: hits.map(({ memory }) => memory.provenance.turn),
      turns: turns.map(({ turn }) => turn.id),
    };
  }

  /** Ranks the turns alone, deeper than `search` lists them. All sessions belong to one project. */
  async rankTurns(query: string): Promise<readonly string[]> {
    const vector = await this.#models.vectors.query(query);
    return this.#reading((index) => {
      const [session] = index.sessions({ limit: 1 });
      const options = { now: new Date(), vector, limit: DEEP, ...given({ project: session?.project }) };
      return searchTurns(index, query, options).map(({ turn }) => turn.id);
    });
  }

  /** Returns the session that a text names, by its id or by that of a memory. */
  namer(): (text: string) => string | undefined {
    const owners = this.#reading((index) => [
      ...index
        .memoriesBy({ limit: 100_000 })
        .map(({ id, provenance }) => [shortId(id), provenance.session] as const),
      ...index.sessions({ limit: 100_000 }).map(({ id }) => [id, id] as const),
    ]);
    return firstOwner(new Map(owners));
  }

  /** The id of a turn. */
  static turnId(session: string, n: number): string {
    return uuid(session, 'prompt', n);
  }

  async close(): Promise<void> {
    await this.#machine.close();
  }

  #reading<T>(read: (index: MemoryIndex) => T): T {
    const index = MemoryIndex.open(this.#machine.places.index, { readOnly: true });
    try {
      return read(index);
    } finally {
      index.close();
    }
  }

  async #isReady(): Promise<boolean> {
    const { counts, working } = await this.#machine.call('embed.health', {});
    const { waiting } = await this.#machine.call('keep.health', {});
    return !working && waiting === 0 && Object.values(counts).every(({ wanted }) => wanted === 0);
  }

  async #capture(
    chats: readonly { readonly chat: SdeChat; readonly daysAgo: number }[],
  ): Promise<readonly string[]> {
    const { config, project, places } = this.#machine;
    const written = chats.map(({ chat, daysAgo }) => writeChat(chat, daysAgo, config, project));
    const { stores } = await openStores(places);
    try {
      const turns = chats.reduce((sum, { chat }) => sum + chat.turns.length, 0);
      await importAll(stores, config, { name: 'sde', turns });
      await keepAll(stores, this.#models.small);
      await this.#models.vectors.embedIndex(stores.index);
      // Otherwise the daemon builds it again.
      stores.index.setMeta(BUILT, new Date().toISOString());
    } finally {
      await closeStores(stores);
    }
    return written;
  }
}

function writeChat({ session, turns }: SdeChat, daysAgo: number, config: string, cwd: string): string {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const began = today - daysAgo * DAY_MS;
  const transcript = new SyntheticTranscript({ config, cwd, session });
  for (const [n, turn] of turns.entries()) {
    const lines = transcript.lines({ ...turn, at: new Date(began + n * TURN_MS).toISOString() });
    transcript.write(turn.answer === '' ? lines.slice(0, 1) : lines);
  }
  transcript.finish();
  const ended = new Date(began + turns.length * TURN_MS);
  utimesSync(transcript.path, ended, ended);
  return transcript.path;
}

function contextOf(stdout: string): string {
  if (stdout.trim() === '') return '';
  const answer = JSON.parse(stdout) as {
    readonly hookSpecificOutput?: { readonly additionalContext?: string };
  };
  return answer.hookSpecificOutput?.additionalContext ?? '';
}
