/**
 * Watches the folder through which `bench:memory --by replies` asks a language model. The driver `queue` writes
 * `<sha>.request.json` and waits for `<sha>.reply.txt`; this module counts the waiting requests, and stops a project whose reply
 * does not come in time. Never answers a request.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabelledProject } from './labelled-sessions.ts';
import type { QueueOptions } from './memory-run.ts';
import { sessionId } from './_session-transcripts.ts';

/** Names of the sessions in the folder, so that a list of requests can name their project. */
export const SESSION_NAMES = 'sessions.json';
const REQUEST = '.request.json';
const REPLY = '.reply.txt';
const LOOK_MS = 200;
const SAY_MS = 10_000;

interface Running {
  readonly stop: AbortController;
  done: number;
  total: number;
  state: 'running' | 'finished' | 'stopped';
}

export interface ReplyQueueOptions {
  readonly folder: string;
  readonly waitMs: number;
  readonly projects: readonly LabelledProject[];
  readonly say: (text: string) => void;
}

export class MissingReplies extends Error {}

export class ReplyQueue {
  readonly #options: ReplyQueueOptions;
  /** Session id → project. */
  readonly #sessions: ReadonlyMap<string, string>;
  readonly #running: ReadonlyMap<string, Running>;
  /** Request → its project and the time it was first seen without a reply. */
  readonly #waiting = new Map<string, { readonly project: string; readonly since: number }>();
  readonly #timer: NodeJS.Timeout;
  #saidAt = Date.now();

  constructor(options: ReplyQueueOptions) {
    this.#options = options;
    const { folder, projects } = options;
    this.#sessions = new Map(
      projects.flatMap(({ name, sessions }) =>
        sessions.map(({ id }) => [sessionId(name, id), name] as const),
      ),
    );
    this.#running = new Map(
      projects.map(({ name }) => [
        name,
        { stop: new AbortController(), done: 0, total: 0, state: 'running' },
      ]),
    );
    mkdirSync(folder, { recursive: true });
    this.#nameSessions();
    this.#removeUnanswered();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  optionsFor(project: string): QueueOptions {
    const running = this.#of(project);
    return {
      folder: this.#options.folder,
      signal: running.stop.signal,
      onProgress: (done, all) => Object.assign(running, { done, total: all }),
    };
  }

  finished(project: string, stopped: boolean): void {
    this.#of(project).state = stopped ? 'stopped' : 'finished';
  }

  throwIfMissing(): void {
    const all = [...this.#running.values()];
    const stopped = all.filter(({ state }) => state === 'stopped');
    if (stopped.length === 0) return;
    throw new MissingReplies(
      `${this.#waiting.size} requests have no reply, ${all.length - stopped.length} of ${all.length} projects are complete. ` +
        `The requests are in ${this.#options.folder}. Answer them (node bench/memory-answer.mjs --queue DIR) and run this again.`,
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = Date.now();
    const unanswered = new Set(unansweredIn(this.#options.folder));
    for (const request of this.#waiting.keys()) if (!unanswered.has(request)) this.#waiting.delete(request);
    for (const request of unanswered) {
      const project = this.#waiting.get(request)?.project ?? this.#projectOf(request);
      if (project === undefined || this.#of(project).state !== 'running') continue;
      const { since } = this.#waiting.get(request) ?? { since: now };
      this.#waiting.set(request, { project, since });
      if (now - since >= this.#options.waitMs) this.#of(project).stop.abort();
    }
    if (now - this.#saidAt >= SAY_MS) this.#sayProgress(now);
  }

  #sayProgress(now: number): void {
    this.#saidAt = now;
    const all = [...this.#running.values()];
    const sum = (pick: (one: Running) => number): number => all.reduce((total, one) => total + pick(one), 0);
    const finished = all.filter(({ state }) => state === 'finished').length;
    this.#options.say(
      `${this.#waiting.size} requests wait · ${sum(({ done }) => done)} of ${sum(({ total }) => total)} turns · ${finished} of ${all.length} projects`,
    );
  }

  /** Undefined for requests of other programs, and for one that is being written. */
  #projectOf(request: string): string | undefined {
    try {
      const text = readFileSync(join(this.#options.folder, `${request}${REQUEST}`), 'utf8');
      const { session } = JSON.parse(text) as { readonly session?: string };
      return session === undefined ? undefined : this.#sessions.get(session);
    } catch {
      return undefined;
    }
  }

  /** An unanswered request of an earlier run may never be asked again. What is still needed is written again. */
  #removeUnanswered(): void {
    const { folder } = this.#options;
    for (const request of unansweredIn(folder))
      if (this.#projectOf(request) !== undefined)
        rmSync(join(folder, `${request}${REQUEST}`), { force: true });
  }

  #nameSessions(): void {
    const file = join(this.#options.folder, SESSION_NAMES);
    const names = this.#options.projects.flatMap(({ name, sessions }) =>
      sessions.map(({ id }) => [sessionId(name, id), `${name}/${id}`] as const),
    );
    writeFileSync(file, `${JSON.stringify({ ...namesIn(file), ...Object.fromEntries(names) }, null, 1)}\n`);
  }

  #of(project: string): Running {
    const running = this.#running.get(project);
    if (!running) throw new Error(`no project ${project} in this run`);
    return running;
  }
}

/** Returns the hashes of the requests without a reply. */
function unansweredIn(folder: string): readonly string[] {
  const files = new Set(readdirSync(folder));
  return [...files]
    .filter((file) => file.endsWith(REQUEST))
    .map((file) => file.slice(0, -REQUEST.length))
    .filter((request) => !files.has(`${request}${REPLY}`));
}

function namesIn(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {}; // the first run in this folder
  }
}
