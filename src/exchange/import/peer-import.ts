/**
 * Imports another tool's memory as ordinary entries with their dates, redacted, under stable ids. Only reads the peer's
 * files; leaves out what was forgotten and what was said during a pause.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Pipeline, CaptureScope } from '../../capture/index.ts';
import { FIRST_AGENT, TidemarkError, type Places } from '../../core/index.ts';
import type { Stores } from '../../memory/index.ts';
import { PeerSessionBatch, PeerTally, type PeerCounts } from './_peer-batch.ts';
import { PeerProjects } from './_peer-projects.ts';
import type { PeerApi, PeerFound, PeerItem, PeerName, PeerSource } from './peer.ts';
import { peerReader } from './peers.ts';
import { addSource } from './sources.ts';
import { takeTranscript } from './take-transcript.ts';

/** Memories written at once; a batch is durable before the next is read. */
const BATCH = 100;
const MOST_SKIPPED = 200;

export interface PeerImportOptions {
  readonly peer: PeerName;
  readonly found: readonly PeerFound[];
  readonly configDir: string;
  readonly home: string;
  /** Imports only this project. */
  readonly project?: string;
  readonly into?: string;
  readonly api?: PeerApi;
  readonly dryRun: boolean;
  readonly scope: CaptureScope;
  readonly signal: AbortSignal;
}

export interface PeerProgress {
  readonly done: number;
  readonly total: number;
  readonly memories: number;
}

export interface PeerReport extends PeerProgress {
  readonly peer: PeerName;
  readonly sources: readonly PeerFound[];
  /** All items of the peer. */
  readonly found: Readonly<PeerCounts>;
  /** New items, or with `dryRun` those that would be new. */
  readonly imported: Readonly<PeerCounts>;
  /** Stored before, by an earlier import or because the session was captured. */
  readonly known: number;
  /** Forgotten before, so not imported. */
  readonly forgotten: number;
  /** In other or ignored projects, or said during a pause. */
  readonly left: number;
  readonly projects: readonly string[];
  readonly redactions: Readonly<Record<string, number>>;
  /** The first of them; `skippedCount` is complete. */
  readonly skipped: readonly { readonly path: string; readonly line?: number; readonly reason: string }[];
  readonly skippedCount: number;
  readonly cancelled: boolean;
}

export async function importPeer(
  stores: Stores,
  pipeline: Pipeline,
  places: Places,
  options: PeerImportOptions,
  progress: (progress: PeerProgress) => void,
): Promise<PeerReport> {
  const reader = peerReader(options.peer);
  if (!reader) throw new TidemarkError('usage', `unknown peer ${options.peer}`);
  const run = new Run(stores, pipeline, options);
  mkdirSync(places.run, { recursive: true, mode: 0o700 });
  const scratch = mkdtempSync(join(places.run, 'peer-'));
  try {
    for (const found of options.found) {
      if (options.signal.aborted) break;
      const asked = { signal: options.signal, scratch, ...(options.api ? { api: options.api } : {}) };
      try {
        for await (const item of reader.read(found, asked)) {
          if (options.signal.aborted) break;
          await run.take(item);
          progress(run.progress());
        }
        await run.flush();
      } catch (error) {
        if (!(error instanceof TidemarkError) || error.code !== 'peer-unreadable') throw error;
        run.skip(found.path, error.message.replace(`${found.path}: `, ''));
      }
    }
    return run.report();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

class Run {
  readonly #stores: Stores;
  readonly #pipeline: Pipeline;
  readonly #options: PeerImportOptions;
  readonly #places: PeerProjects;
  readonly #skipped: { path: string; line?: number; reason: string }[] = [];
  readonly #found: PeerCounts = { memories: 0, sessions: 0, prompts: 0, transcripts: 0, sections: 0 };
  readonly #tally = new PeerTally();
  #skippedCount = 0;
  #done = 0;
  #batch: PeerSessionBatch | undefined;

  constructor(stores: Stores, pipeline: Pipeline, options: PeerImportOptions) {
    this.#stores = stores;
    this.#pipeline = pipeline;
    this.#options = options;
    this.#places = new PeerProjects(stores, options);
  }

  async take(item: PeerItem): Promise<void> {
    this.#done++;
    switch (item.kind) {
      case 'problem':
        return this.skip(item.file, item.reason, item.line);
      case 'transcript':
        this.#found.transcripts++;
        return this.#transcript(item.path);
      case 'source':
        this.#found.sections++;
        return this.#source(item);
      case 'session':
        this.#found.sessions++;
        (await this.#batchOf(item.id)).session = item;
        return this.flush();
      case 'prompt':
        this.#found.prompts++;
        (await this.#batchOf(item.session)).prompts.push(item);
        return;
      case 'memory': {
        this.#found.memories++;
        const batch = await this.#batchOf(item.session);
        batch.memories.push(item);
        if (batch.memories.length >= BATCH && item.session === '') await this.flush();
      }
    }
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = undefined;
    if (!batch) return;
    await this.#pipeline.yieldToEvents();
    await batch.write();
  }

  skip(path: string, reason: string, line?: number): void {
    this.#skippedCount++;
    if (this.#skipped.length < MOST_SKIPPED)
      this.#skipped.push({ path, reason, ...(line === undefined || line === 0 ? {} : { line }) });
  }

  progress(): PeerProgress {
    const counted = this.#options.found.flatMap(({ counts }) => Object.values(counts));
    const total = counted.reduce((sum, count) => sum + count, 0);
    const { memories } = this.#tally.imported;
    return { done: this.#done, total: Math.max(total, this.#done), memories };
  }

  report(): PeerReport {
    return {
      ...this.progress(),
      peer: this.#options.peer,
      sources: this.#options.found,
      found: this.#found,
      imported: this.#tally.imported,
      ...this.#tally.rest,
      projects: [...this.#tally.projects].toSorted(),
      redactions: this.#tally.redactions,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      cancelled: this.#options.signal.aborted,
    };
  }

  async #batchOf(session: string): Promise<PeerSessionBatch> {
    if (this.#batch && this.#batch.id !== session) await this.flush();
    this.#batch ??= new PeerSessionBatch(session, {
      stores: this.#stores,
      pipeline: this.#pipeline,
      places: this.#places,
      tally: this.#tally,
      ...this.#options,
    });
    return this.#batch;
  }

  async #source({ path, place }: PeerSource): Promise<void> {
    const { project, dryRun } = this.#options;
    const { imported, rest, projects } = this.#tally;
    const placed = await this.#places.of(place, '', new Date().toISOString());
    if (placed.ignored || (project !== undefined && placed.project !== project)) return void rest.left++;
    if (dryRun) return;
    const added = await addSource(this.#stores, path, placed.project);
    imported.sections += added;
    if (added > 0) projects.add(placed.name);
    else rest.known++;
  }

  async #transcript(path: string): Promise<void> {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return this.skip(path, 'not a regular file');
    const file = { agent: FIRST_AGENT, path, bytes: stat.size, modifiedAt: stat.mtime };
    const taken = await takeTranscript(this.#stores, this.#pipeline, file, this.#options);
    if (typeof taken === 'string') return this.skip(path, taken);
    const { imported, rest, projects } = this.#tally;
    if (taken.turns + taken.memories > 0) projects.add(taken.projectName);
    if (taken.turns > 0) imported.transcripts++;
    else rest.known++;
    imported.memories += taken.memories;
    for (const { line, reason } of taken.problems) this.skip(path, reason, line);
  }
}
