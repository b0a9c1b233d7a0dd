/** Writes a peer's data of one session: prompts as turns, then the memories, then the session's summary. */
import { isAbsolute, relative, sep } from 'node:path';
import { storeTurn, type Pipeline } from '../../capture/index.ts';
import {
  firstState,
  contentHash,
  given,
  memoryId,
  plainText,
  shortened,
  SUMMARY_FIELDS,
  timeOfId,
  type Memory,
  type SessionSummary,
  type Turn,
} from '../../core/index.ts';
import type { Distiller } from '../../distill/index.ts';
import {
  isSameOfTurn,
  statementOf,
  importedSummary,
  putImportedSummary,
  headOf,
  recordSession,
  summarizeSession,
  touchSession,
  sessionTurns,
  type Stores,
  addMemories,
  isWanted,
  writeEntries,
} from '../../memory/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import type { SessionHead } from '../../storage/journal/index.ts';
import type { PeerProjects, Placed } from './_peer-projects.ts';
import type { PeerMemory, PeerName, PeerPrompt, PeerSession } from './peer.ts';

/** Numbers of items by kind; `sections` are those of files indexed in place. */
export type PeerCounts = Record<'memories' | 'sessions' | 'prompts' | 'transcripts' | 'sections', number>;

/** The results of an import, summed over its batches. */
export class PeerTally {
  readonly imported: PeerCounts = { memories: 0, sessions: 0, prompts: 0, transcripts: 0, sections: 0 };
  readonly rest = { known: 0, forgotten: 0, left: 0 };
  readonly projects = new Set<string>();
  readonly redactions: Record<string, number> = {};

  countRedactions(counts: Readonly<Record<string, number>>): void {
    for (const [type, n] of Object.entries(counts)) this.redactions[type] = (this.redactions[type] ?? 0) + n;
  }
}

interface BatchOptions {
  readonly stores: Stores;
  readonly pipeline: Pipeline;
  readonly places: PeerProjects;
  readonly tally: PeerTally;
  readonly peer: PeerName;
  readonly project?: string;
  readonly dryRun: boolean;
}

/** Tolerance between the peer's time of a prompt and the transcript's. */
const SAME_PROMPT_MS = 5000;
const LONGEST_TITLE = 100;
const LONGEST_FIELD = 2000;

export class PeerSessionBatch {
  readonly id: string;
  readonly memories: PeerMemory[] = [];
  readonly prompts: PeerPrompt[] = [];
  session: PeerSession | undefined;
  readonly #options: BatchOptions;
  readonly #tally: PeerTally;

  constructor(id: string, options: BatchOptions) {
    this.id = id;
    this.#options = options;
    this.#tally = options.tally;
  }

  async write(): Promise<void> {
    const before = this.id === '' ? undefined : this.#options.stores.index.session(this.id);
    // A session that Tidemark captured has better turns and a better summary than the peer's.
    const captured = before !== undefined && before.reason !== this.#options.peer;
    const forgotten = await this.#forgottenPrompts();
    const partlyForgotten = forgotten.size > 0 || this.memories.some((one) => this.#isForgottenMemory(one));
    if (captured) this.#tally.rest.known += this.prompts.length;
    const takesSession = !captured && !partlyForgotten;
    if (takesSession) {
      await this.#writeSession();
      await this.#writePrompts();
    }
    await this.#writeMemories(forgotten);
    if (takesSession) await this.#writeSummary();
  }

  async #writeSession(): Promise<void> {
    const { stores, peer, dryRun } = this.#options;
    const { session } = this;
    if (!session) return;
    const placed = await this.#placed(session.place, session.startedAt);
    if (!placed) return void this.#tally.rest.left++;
    if (stores.index.session(session.id)) return void this.#tally.rest.known++;
    this.#tally.imported.sessions++;
    this.#tally.projects.add(placed.name);
    if (dryRun) return;
    const title = headingOf(this.#redacted(session.title ?? ''));
    const facts = {
      kind: 'session',
      session: session.id,
      project: placed.project,
      agent: session.agent,
    } as const;
    await recordSession(stores, {
      ...facts,
      change: 'started',
      at: session.startedAt,
      status: session.status,
      ...(placed.root ? { worktree: placed.root } : {}),
    });
    await recordSession(stores, {
      ...facts,
      change: 'ended',
      at: session.endedAt ?? this.#lastAt(session.startedAt),
      status: session.status,
      reason: peer,
      ...(title === '' ? {} : { title }),
      ...given({ turns: session.turns }),
    });
  }

  async #writePrompts(): Promise<void> {
    const { stores, places, peer, dryRun, pipeline } = this.#options;
    const { imported, rest } = this.#tally;
    // The transcript still exists: `import history` reads it, and the prompts would be stored twice.
    if (places.hasTranscript(this.id)) return void (rest.left += this.prompts.length);
    for (const prompt of this.prompts) {
      const turn = turnOf(prompt, peer);
      const placed = await this.#placed(prompt.place, prompt.at);
      if (!placed || pipeline.isPaused(prompt.at, { project: placed.project, session: this.id })) rest.left++;
      else if (stores.index.isForgottenTurn(turn.id)) rest.forgotten++;
      else if (stores.index.turn(turn.id)) rest.known++;
      else {
        imported.prompts++;
        if (dryRun) continue;
        const stored = await storeTurn(stores, silent(peer), turn, { project: placed.project });
        this.#tally.countRedactions(stored.redactions);
      }
    }
    if (!dryRun && this.prompts.length > 0) touchSession(stores, this.id);
  }

  async #writeMemories(forgotten: ReadonlySet<string>): Promise<void> {
    const { stores, peer, dryRun, pipeline } = this.#options;
    const fresh: Memory[] = [];
    for (const item of this.memories) {
      const placed = await this.#placed(item.place, item.at);
      if (!placed || pipeline.isPaused(item.at, { project: placed.project, session: item.session })) {
        this.#tally.rest.left++;
        continue;
      }
      const memory = this.#memoryOf(item, placed);
      const verdict = this.#judge(memory, item, forgotten, fresh);
      if (verdict !== 'new') {
        this.#tally.rest[verdict]++;
        continue;
      }
      this.#tally.imported.memories++;
      this.#tally.projects.add(placed.name);
      fresh.push(memory);
    }
    if (dryRun || fresh.length === 0) return;
    const head = await this.#head();
    await addMemories(stores, fresh, head ? [head] : []);
    // After the entries: a crash in between makes them again. From here on, an entry the user deletes stays deleted.
    const records = fresh.map(
      ({ id, at }) => ({ kind: 'distilled', at, turn: `${peer}-${id}`, by: peer, memories: [id] }) as const,
    );
    await stores.ledger.append(records);
    for (const { turn, memories } of records) stores.index.markDistilled(turn, peer, memories);
  }

  #judge(
    memory: Memory,
    item: PeerMemory,
    forgotten: ReadonlySet<string>,
    fresh: readonly Memory[],
  ): 'new' | 'known' | 'forgotten' {
    const { index } = this.#options.stores;
    if (index.isForgotten(memory.id)) return 'forgotten';
    if (index.memory(memory.id)?.id === memory.id || index.wasMade(memory.id)) return 'known';
    if (index.merged(memory.id) || fresh.some(({ id }) => id === memory.id)) return 'known';
    const prompt = this.#promptBefore(item.at);
    if (prompt !== undefined && forgotten.has(prompt.key)) return 'forgotten';
    if (!isWanted(this.#options.stores, memory)) return 'forgotten';
    const { turn } = memory.provenance;
    const said = statementOf(memory);
    const captured = [...index.memoriesBy({ turn }), ...index.mergedOfTurn(turn).map((one) => one.memory)];
    return captured.some(
      (other) => other.provenance.by !== memory.provenance.by && isSameOfTurn(said, statementOf(other)),
    )
      ? 'known'
      : 'new';
  }

  async #writeSummary(): Promise<void> {
    const { stores, peer, dryRun } = this.#options;
    const { session } = this;
    if (dryRun || !session?.summary || !stores.index.session(session.id)) return;
    const summary = tidySummary(this.#redacted(session.summary));
    const known = importedSummary(stores.index, session.id, '');
    if (known && SUMMARY_FIELDS.every((field) => known[field] === summary[field])) return;
    const at = this.#lastAt(session.endedAt ?? session.startedAt);
    const record = { kind: 'summary', at, session: session.id, by: peer, summary } as const;
    await stores.ledger.append([record]);
    putImportedSummary(stores.index, record);
    summarizeSession(stores, session.id, await sessionTurns(stores, session.id));
    const head = await this.#head();
    if (head) await writeEntries(stores, [], [head]);
  }

  #memoryOf(item: PeerMemory, placed: Placed): Memory {
    const { peer } = this.#options;
    const { personal: _, ...draft } = this.#redacted(item.draft);
    const turn = item.turn ?? this.#turnBefore(item.at) ?? `${peer}-${contentHash(item.key).slice(0, 32)}`;
    return {
      ...draft,
      // Another tool's model wrote it down; no turn of ours shows that the user said it.
      evidence: 'claimed',
      files: draft.files.map((file) => below(placed.root, file)),
      id: memoryId(item.at, item.key, draft.kind, 0),
      project: placed.project,
      at: item.at,
      state: draft.state ?? firstState(draft.kind),
      provenance: { agent: item.agent, session: item.session, turn, messages: [item.source], by: peer },
    };
  }

  /** The turn before a time: Tidemark's own if the session was captured, else the peer's prompt. */
  #turnBefore(at: string): string | undefined {
    if (this.id === '') return undefined;
    const turns = this.#options.stores.index.turnsIn(this.id).filter(({ origin }) => origin === 'person');
    const own = turns.findLast((turn) => turn.at <= at)?.id;
    if (own !== undefined) return own;
    const prompt = this.#promptBefore(at);
    return prompt && turnOf(prompt, this.#options.peer).id;
  }

  #promptBefore(at: string): PeerPrompt | undefined {
    return this.prompts.findLast((prompt) => prompt.at <= at);
  }

  /** Prompts whose turn was forgotten in their project. The id of a memory contains the second its turn began. */
  async #forgottenPrompts(): Promise<ReadonlySet<string>> {
    if (this.prompts.length === 0) return new Set();
    const { index } = this.#options.stores;
    const buried = [...index.tombstones('hidden'), ...index.tombstones('erased')];
    const gone = new Set<string>();
    for (const prompt of this.prompts) {
      const placed = await this.#placed(prompt.place, prompt.at);
      const at = Date.parse(prompt.at);
      const isGone = buried.some(
        ({ memory, project = placed?.project }) =>
          project === placed?.project && Math.abs(timeOfId(memory).getTime() - at) <= SAME_PROMPT_MS,
      );
      if (isGone || index.isForgottenTurn(turnOf(prompt, this.#options.peer).id)) gone.add(prompt.key);
    }
    return gone;
  }

  #isForgottenMemory({ at, key, draft }: PeerMemory): boolean {
    return this.#options.stores.index.isForgotten(memoryId(at, key, draft.kind, 0));
  }

  async #placed(place: PeerMemory['place'], at: string): Promise<Placed | undefined> {
    const { places, project } = this.#options;
    const placed = await places.of(place, this.id, at);
    return placed.ignored || (project !== undefined && placed.project !== project) ? undefined : placed;
  }

  #head(): Promise<SessionHead | undefined> {
    return this.id === '' ? Promise.resolve(undefined) : headOf(this.#options.stores, this.id);
  }

  #lastAt(at: string): string {
    const times = [...this.memories, ...this.prompts].map((item) => item.at);
    return times.reduce((last, time) => (time > last ? time : last), at);
  }

  #redacted<T>(value: T): T {
    const { value: clean, counts } = redactDeep(value);
    this.#tally.countRedactions(counts);
    return clean;
  }
}

/** A turn of which only the prompt is left. Nothing is distilled from it. */
function turnOf(prompt: PeerPrompt, peer: PeerName): Turn {
  return {
    id: `${peer}-${contentHash(prompt.key).slice(0, 32)}`,
    agent: prompt.agent,
    session: prompt.session,
    origin: 'person',
    startedAt: prompt.at,
    endedAt: prompt.at,
    outcome: 'answered',
    prompt: prompt.text,
    answer: '',
    tools: [],
    messages: [prompt.source],
  };
}

function tidySummary(summary: SessionSummary): SessionSummary {
  const fields = SUMMARY_FIELDS.map((field) => [
    field,
    shortened(plainText(summary[field]).trim(), LONGEST_FIELD),
  ]);
  return Object.fromEntries(fields) as SessionSummary;
}

/** The first line, cut to the length of a heading. */
function headingOf(text: string): string {
  return shortened(text.trim().split('\n')[0] ?? '', LONGEST_TITLE);
}

function silent(peer: PeerName): Distiller {
  return {
    name: peer,
    distill: () => Promise.resolve({ operations: [] }),
  };
}

function below(root: string | undefined, file: string): string {
  if (root === undefined || !isAbsolute(file)) return file;
  const way = relative(root, file);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? file : way.split(sep).join('/');
}
