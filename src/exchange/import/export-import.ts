/**
 * Imports Tidemark's own export: the same memories under the same ids. Existing memories stay unchanged, forgotten ones
 * stay forgotten, and a second import changes nothing.
 */
import { applyRecord } from '../../capture/index.ts';
import {
  FIRST_AGENT,
  given,
  isAgent,
  PERSONAL_PROJECT,
  SUMMARY_FIELDS,
  TidemarkError,
  type Memory,
  type Project,
  type StoredTurn,
  type Places,
} from '../../core/index.ts';
import { indexedTurn, turnHash } from '../../database/index.ts';
import { readLines } from '../../files/index.ts';
import {
  forgetMemories,
  syncJournal,
  personalProject,
  sessionTurns,
  summarizeSession,
  touchSession,
  type Stores,
} from '../../memory/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import type { SessionHead } from '../../storage/journal/index.ts';
import type { LedgerRecord } from '../../storage/ledger/index.ts';
import { readRecord, type ExportRecord } from '../export/index.ts';

/** Entries written to the journal at once. */
const BATCH = 200;
const MOST_SKIPPED = 200;

type Of<R extends ExportRecord['record']> = Extract<ExportRecord, { record: R }>;

export interface ExportImportReport {
  readonly memories: number;
  /** Stored here before. */
  readonly known: number;
  /** Forgotten here or in the export. */
  readonly forgotten: number;
  readonly sessions: number;
  readonly turns: number;
  readonly projects: number;
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly skippedCount: number;
}

export async function importExport(
  stores: Stores,
  places: Places,
  path: string,
  progress: (facts: { readonly lines: number; readonly memories: number }) => void,
  signal: AbortSignal,
): Promise<ExportImportReport> {
  const run = new Run(stores, places);
  let lines = 0;
  for await (const { bytes } of readLines(path)) {
    signal.throwIfAborted();
    lines++;
    if (bytes?.length === 0) continue;
    const read = bytes ? readRecord(bytes.toString('utf8')) : ({ ok: false, reason: 'too long' } as const);
    const opens = read.ok && read.record.record === 'tidemark-export';
    if (lines === 1 && !opens)
      throw notAnExport(`${path}:1: ${read.ok ? 'not an export of Tidemark' : read.reason}`);
    if (read.ok) await run.take(read.record);
    else run.skip(lines, read.reason);
    if (lines % BATCH === 0) progress({ lines, memories: run.memories });
  }
  if (lines === 0) throw notAnExport(`${path} is empty`);
  return run.finish();
}

function notAnExport(message: string): TidemarkError {
  return new TidemarkError('not-an-export', message, {
    hint: 'Create an export with: tidemark export --to <file>',
  });
}

class Run {
  readonly #stores: Stores;
  readonly #places: Places;
  /** By id in the export: the id of the project here. */
  readonly #projects = new Map<string, string>();
  readonly #sessions = new Map<string, Of<'session'>>();
  /** Sessions that were unknown here. */
  readonly #started = new Set<string>();
  readonly #skipped: { line: number; reason: string }[] = [];
  readonly #counts = { known: 0, forgotten: 0, sessions: 0, turns: 0, skipped: 0 };
  #batch: Of<'memory'>[] = [];
  memories = 0;

  constructor(stores: Stores, places: Places) {
    this.#stores = stores;
    this.#places = places;
  }

  async take(record: ExportRecord): Promise<void> {
    switch (record.record) {
      case 'tidemark-export':
        return;
      case 'project':
        return this.#project(record);
      case 'session':
        return this.#session(record);
      case 'memory':
        this.#batch.push(record);
        return this.#batch.length >= BATCH ? this.#flush() : undefined;
      case 'turn':
        return this.#turn(record);
      case 'forgotten':
        return this.#forgotten(record);
    }
  }

  skip(line: number, reason: string): void {
    this.#counts.skipped++;
    if (this.#skipped.length < MOST_SKIPPED) this.#skipped.push({ line, reason });
  }

  async finish(): Promise<ExportImportReport> {
    await this.#flush();
    // Sessions without an entry: their summary goes to the day they began.
    await this.#stores.journal.put(
      [],
      [...this.#sessions.values()].map((session) => this.#head(session)),
    );
    await syncJournal(this.#stores);
    for (const id of this.#started) await this.#summarize(id);
    const { known, forgotten, sessions, turns, skipped } = this.#counts;
    return {
      memories: this.memories,
      known,
      forgotten,
      sessions,
      turns,
      projects: this.#projects.size,
      skipped: this.#skipped,
      skippedCount: skipped,
    };
  }

  /** The same project may have another id on this machine: it is recognised by its keys. */
  async #project({ id, name, keys }: Of<'project'>): Promise<void> {
    const { index } = this.#stores;
    if (id === PERSONAL_PROJECT) {
      await personalProject(this.#stores, new Date().toISOString());
      this.#projects.set(id, id);
      return;
    }
    const here =
      keys.map((key) => index.projectByKey(key)).find((found) => found !== undefined) ?? index.project(id);
    const project: Project = here
      ? { ...here, keys: [...new Set([...here.keys, ...keys])] }
      : { id, name, keys, paths: [] };
    this.#projects.set(id, project.id);
    if (here && project.keys.length === here.keys.length) return;
    await this.#note({ kind: 'project', at: new Date().toISOString(), project });
  }

  async #session(session: Of<'session'>): Promise<void> {
    const { id, agent, startedAt, title, branch, status } = redactDeep(session).value;
    this.#sessions.set(id, redactDeep(session).value);
    if (this.#stores.index.session(id)) return;
    this.#counts.sessions++;
    this.#started.add(id);
    const project = this.#here(session.project);
    const known = isAgent(agent) ? agent : FIRST_AGENT;
    await this.#note({
      kind: 'session',
      at: startedAt,
      session: id,
      change: 'started',
      project,
      agent: known,
      title,
      ...given({ branch }),
    });
    if (status && status !== 'active')
      await this.#note({ kind: 'session', at: startedAt, session: id, change: 'ended', project, status });
  }

  /** Makes the summary from the turns, and records the export's own if a model or another tool wrote it. */
  async #summarize(id: string): Promise<void> {
    const { index } = this.#stores;
    const session = index.session(id);
    if (!session?.endedAt) return;
    const turns = await sessionTurns(this.#stores, id);
    summarizeSession(this.#stores, id, turns);
    const made = index.session(id)?.summary;
    const summary = this.#sessions.get(id)?.summary;
    if (!summary || SUMMARY_FIELDS.every((field) => made?.[field] === summary[field])) return;
    const at = turns.at(-1)?.endedAt ?? session.startedAt;
    await this.#note({ kind: 'summary', at, session: id, by: 'export', summary });
    summarizeSession(this.#stores, id, turns);
  }

  async #turn({ turn, by }: Of<'turn'>): Promise<void> {
    const { index, turns } = this.#stores;
    if (index.hasTurn(turn.id) || index.isForgottenTurn(turn.id)) return;
    const stored = redactDeep({ ...turn, project: this.#here(turn.project) }).value as unknown as StoredTurn; // as the turn store wrote it
    const [location] = await turns.put([stored]);
    if (!location) return;
    index.upsertTurns([indexedTurn(stored, location, turnHash(stored))]);
    touchSession(this.#stores, stored.session);
    this.#counts.turns++;
    if (by !== undefined)
      await this.#note({ kind: 'distilled', at: stored.endedAt, turn: stored.id, by, memories: [] });
  }

  async #forgotten({ at, memory, turn, hash, project }: Of<'forgotten'>): Promise<void> {
    await this.#flush();
    const { index } = this.#stores;
    if (index.isForgotten(memory)) return;
    if (index.memory(memory)?.id === memory)
      await forgetMemories(this.#stores, this.#places, [memory], { at: new Date(at) });
    else {
      const here = project === undefined ? {} : { project: this.#here(project) };
      await this.#note({ kind: 'tombstone', at, memory, turn, hash, state: 'erased', ...here });
    }
    this.#counts.forgotten++;
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    const { journal, index } = this.#stores;
    const fresh: Of<'memory'>[] = [];
    for (const record of batch) {
      const { id, provenance } = record.memory;
      if (index.isForgotten(id) || index.isForgottenTurn(provenance.turn)) this.#counts.forgotten++;
      else if (index.memory(id)?.id === id || index.merged(id)) this.#counts.known++;
      else fresh.push(record);
    }
    if (fresh.length === 0) return;
    const memories = fresh.map(({ memory }) => this.#memory(memory));
    const sessions = new Set(memories.map(({ provenance }) => provenance.session));
    const heads = [...this.#sessions.values()].filter(({ id }) => sessions.has(id));
    await journal.put(
      memories,
      heads.map((session) => this.#head(session)),
    );
    // Marks texts and states that the user has set.
    for (const { memory, edited, held } of fresh) {
      if (edited) await journal.update(memory.id, {});
      if (held) await journal.setState(memory.id, memory);
    }
    this.memories += fresh.length;
    await syncJournal(this.#stores);
  }

  #memory(memory: Of<'memory'>['memory']): Memory {
    return { ...redactDeep(memory).value, project: this.#here(memory.project) };
  }

  #head({ id, agent, startedAt, title, status, summary, project }: Of<'session'>): SessionHead {
    return {
      id,
      agent,
      startedAt,
      title,
      project: this.#here(project),
      ...(status ? { status } : {}),
      ...(summary ? { summary } : {}),
    };
  }

  #here(project: string): string {
    return this.#projects.get(project) ?? project;
  }

  async #note(record: LedgerRecord): Promise<void> {
    await this.#stores.ledger.append(record);
    applyRecord(this.#stores.index, record);
  }
}
