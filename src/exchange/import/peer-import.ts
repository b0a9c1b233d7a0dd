/**
 * Brings another tool's memory in: as ordinary entries of their dates, redacted, under ids that reading again gives
 * again. The peer's files are only read; what was forgotten or said during a pause stays away.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Pipeline, CaptureScope } from '../../capture/index.ts';
import { TidemarkError, type Places } from '../../core/index.ts';
import type { Stores } from '../../memory/index.ts';
import { PeerSessionBatch, type Taken } from './_peer-batch.ts';
import { PeerProjects } from './_peer-projects.ts';
import { takeTranscript } from './history-import.ts';
import type { PeerApi, PeerFound, PeerItem, PeerName, PeerSource } from './peer.ts';
import { peerReader } from './peers.ts';
import { addSource } from './sources.ts';

/** What is written at once; a batch is safe before the next is read. */
const BATCH = 100;
const MOST_SKIPPED = 200;

export interface PeerImportOptions {
  readonly peer: PeerName;
  readonly found: readonly PeerFound[];
  readonly configDir: string;
  readonly home: string;
  /** Only what belongs to this project. */
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
  /** What the peer had. */
  readonly found: Taken;
  /** What is new here, or with `dryRun` would be. */
  readonly imported: Taken;
  /** Here already, from an earlier import or because the same was captured. */
  readonly known: number;
  /** Forgotten before; it stays away. */
  readonly forgotten: number;
  /** In projects that were not asked for or are ignored, or said during a pause. */
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
  if (!reader) throw new TidemarkError('usage', `nothing is known of a peer called ${options.peer}`);
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
  readonly #projects = new Set<string>();
  readonly #redactions: Record<string, number> = {};
  readonly #found = { memories: 0, sessions: 0, prompts: 0, transcripts: 0, sections: 0 };
  readonly #imported = { memories: 0, sessions: 0, prompts: 0, transcripts: 0, sections: 0 };
  readonly #rest = { known: 0, forgotten: 0, left: 0 };
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
    await this.#pipeline.giveWay();
    const outcome = await batch.write();
    for (const key of ['memories', 'sessions', 'prompts'] as const)
      this.#imported[key] += outcome.imported[key];
    for (const key of ['known', 'forgotten', 'left'] as const) this.#rest[key] += outcome[key];
    for (const project of outcome.projects) this.#projects.add(project);
    for (const [type, n] of Object.entries(outcome.redactions))
      this.#redactions[type] = (this.#redactions[type] ?? 0) + n;
  }

  skip(path: string, reason: string, line?: number): void {
    this.#skippedCount++;
    if (this.#skipped.length < MOST_SKIPPED)
      this.#skipped.push({ path, reason, ...(line === undefined || line === 0 ? {} : { line }) });
  }

  progress(): PeerProgress {
    const told = this.#options.found.flatMap(({ counts }) => Object.values(counts));
    const total = told.reduce((sum, count) => sum + count, 0);
    return { done: this.#done, total: Math.max(total, this.#done), memories: this.#imported.memories };
  }

  report(): PeerReport {
    return {
      ...this.progress(),
      peer: this.#options.peer,
      sources: this.#options.found,
      found: this.#found,
      imported: this.#imported,
      ...this.#rest,
      projects: [...this.#projects].toSorted(),
      redactions: this.#redactions,
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
      ...this.#options,
    });
    return this.#batch;
  }

  async #source({ path, place }: PeerSource): Promise<void> {
    const { project, dryRun } = this.#options;
    const placed = await this.#places.of(place, '', new Date().toISOString());
    if (placed.ignored || (project !== undefined && placed.project !== project))
      return void this.#rest.left++;
    if (dryRun) return;
    const added = await addSource(this.#stores, path, placed.project);
    this.#imported.sections += added;
    if (added > 0) this.#projects.add(placed.name);
    else this.#rest.known++;
  }

  async #transcript(path: string): Promise<void> {
    const taken = await takeTranscript(this.#stores, this.#pipeline, path, this.#options);
    if (typeof taken === 'string') return this.skip(path, taken);
    if (taken.turns + taken.memories > 0) this.#projects.add(taken.projectName);
    if (taken.turns > 0) this.#imported.transcripts++;
    else this.#rest.known++;
    this.#imported.memories += taken.memories;
    for (const { line, reason } of taken.problems) this.skip(path, reason, line);
  }
}
