/** What a peer has of one session, kept in one go: prompts as turns, then the memories, then the session's summary. */
import { isAbsolute, relative, sep } from 'node:path';
import { storeTurn, type Pipeline } from '../../capture/index.ts';
import { contentHash, memoryId, timeOfId, type Memory, type Turn } from '../../core/index.ts';
import { parseSummary, type Distiller, noteSummary } from '../../distill/index.ts';
import {
  isSameOfTurn,
  statementOf,
  modelSummary,
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
import { redact, redactDeep } from '../../privacy/index.ts';
import type { SessionHead } from '../../storage/journal/index.ts';
import type { PeerProjects, Placed } from './_peer-projects.ts';
import type { PeerMemory, PeerName, PeerPrompt, PeerSession } from './peer.ts';

export interface Taken {
  readonly memories: number;
  readonly sessions: number;
  readonly prompts: number;
  readonly transcripts: number;
  /** Of the client's own texts, searched where they lie. */
  readonly sections: number;
}

export interface Outcome {
  readonly imported: Taken;
  readonly known: number;
  readonly forgotten: number;
  readonly left: number;
  readonly projects: readonly string[];
  readonly redactions: Readonly<Record<string, number>>;
}

export interface BatchOptions {
  readonly stores: Stores;
  readonly pipeline: Pipeline;
  readonly places: PeerProjects;
  readonly peer: PeerName;
  readonly project?: string;
  readonly dryRun: boolean;
}

/** The peer's clock for a prompt and the transcript's for the same one. */
const SAME_PROMPT_MS = 5000;
const LONGEST_TITLE = 100;

export class PeerSessionBatch {
  readonly id: string;
  readonly memories: PeerMemory[] = [];
  readonly prompts: PeerPrompt[] = [];
  session: PeerSession | undefined;
  readonly #options: BatchOptions;
  readonly #imported = { memories: 0, sessions: 0, prompts: 0, transcripts: 0, sections: 0 };
  readonly #rest = { known: 0, forgotten: 0, left: 0 };
  readonly #projects = new Set<string>();
  readonly #redactions: Record<string, number> = {};

  constructor(id: string, options: BatchOptions) {
    this.id = id;
    this.#options = options;
  }

  async write(): Promise<Outcome> {
    const before = this.id === '' ? undefined : this.#options.stores.index.session(this.id);
    /** Captured by ourselves: its turns and its summary are better than what the peer kept of them. */
    const captured = before !== undefined && before.reason !== this.#options.peer;
    const isForgotten = this.#forgottenPrompts();
    const spared = isForgotten.size > 0 || this.memories.some((memory) => this.#isForgottenMemory(memory));
    if (!captured && !spared) await this.#keepSession();
    if (captured || spared) this.#rest.known += captured ? this.prompts.length : 0;
    else await this.#keepPrompts();
    await this.#keepMemories(isForgotten);
    if (!captured && !spared) await this.#keepSummary();
    return {
      imported: this.#imported,
      ...this.#rest,
      projects: [...this.#projects],
      redactions: this.#redactions,
    };
  }

  async #keepSession(): Promise<void> {
    const { stores, peer, dryRun } = this.#options;
    const { session } = this;
    if (!session) return;
    const placed = await this.#placed(session.place, session.startedAt);
    if (!placed) return void this.#rest.left++;
    if (stores.index.session(session.id)) return void this.#rest.known++;
    this.#imported.sessions++;
    this.#projects.add(placed.name);
    if (dryRun) return;
    const title = shortened(this.#clean(session.title ?? ''));
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
    });
  }

  async #keepPrompts(): Promise<void> {
    const { stores, places, peer, dryRun, pipeline } = this.#options;
    // The whole conversation is still there: `import history` brings it, and the prompts would be in it twice.
    if (places.hasTranscript(this.id)) return void (this.#rest.left += this.prompts.length);
    for (const prompt of this.prompts) {
      const turn = turnOf(prompt, peer);
      const placed = await this.#placed(prompt.place, prompt.at);
      if (!placed || pipeline.isPaused(prompt.at, { project: placed.project, session: this.id }))
        this.#rest.left++;
      else if (stores.index.isForgottenTurn(turn.id)) this.#rest.forgotten++;
      else if (stores.index.turn(turn.id)) this.#rest.known++;
      else {
        this.#imported.prompts++;
        if (dryRun) continue;
        const kept = await storeTurn(stores, silent(peer), turn, { project: placed.project });
        this.#count(kept.redactions);
      }
    }
    if (!dryRun && this.prompts.length > 0) touchSession(stores, this.id);
  }

  async #keepMemories(forgotten: ReadonlySet<string>): Promise<void> {
    const { stores, peer, dryRun, pipeline } = this.#options;
    const fresh: Memory[] = [];
    for (const item of this.memories) {
      const placed = await this.#placed(item.place, item.at);
      if (!placed || pipeline.isPaused(item.at, { project: placed.project, session: item.session })) {
        this.#rest.left++;
        continue;
      }
      const memory = this.#memoryOf(item, placed);
      const verdict = this.#judge(memory, item, forgotten, fresh);
      if (verdict !== 'new') {
        this.#rest[verdict]++;
        continue;
      }
      this.#imported.memories++;
      this.#projects.add(placed.name);
      fresh.push(memory);
    }
    if (dryRun || fresh.length === 0) return;
    const head = await this.#head();
    await addMemories(stores, fresh, head ? [head] : []);
    // After the entries, so that a crash in between makes them again; then a person may take them away for good.
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

  async #keepSummary(): Promise<void> {
    const { stores, peer, dryRun } = this.#options;
    const { session } = this;
    if (dryRun || !session?.summary || !stores.index.session(session.id)) return;
    const text = JSON.stringify(this.#cleanAll(session.summary));
    const at = this.#lastAt(session.endedAt ?? session.startedAt);
    const parsed = parseSummary(text);
    const known = modelSummary(stores.index, session.id, '');
    if (parsed.valid && JSON.stringify(known) === JSON.stringify(parsed.value)) return;
    const record = { kind: 'reply', at, session: session.id, driver: peer, text } as const;
    await stores.ledger.append([record]);
    noteSummary(stores.index, record);
    summarizeSession(stores, session.id, await sessionTurns(stores, session.id));
    const head = await this.#head();
    if (head) await writeEntries(stores, [], [head]);
  }

  #memoryOf(item: PeerMemory, placed: Placed): Memory {
    const { peer } = this.#options;
    const { personal: _, ...draft } = this.#cleanAll(item.draft);
    const turn = item.turn ?? this.#turnBefore(item.at) ?? `${peer}-${contentHash(item.key).slice(0, 32)}`;
    return {
      ...draft,
      files: draft.files.map((file) => below(placed.root, file)),
      id: memoryId(item.at, item.key, draft.kind, 0),
      project: placed.project,
      at: item.at,
      state: draft.state ?? (draft.kind === 'issue' ? 'open' : 'current'),
      provenance: { agent: item.agent, session: item.session, turn, messages: [item.source], by: peer },
    };
  }

  /** The prompt it followed: ours where we captured the session, else the peer's. */
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

  /** Prompts whose turn was forgotten here: an id of ours tells the second its turn began. */
  #forgottenPrompts(): ReadonlySet<string> {
    if (this.prompts.length === 0) return new Set();
    const { index } = this.#options.stores;
    const buried = [...index.tombstones('hidden'), ...index.tombstones('erased')];
    const times = buried.map(({ memory }) => timeOfId(memory).getTime());
    const keys = this.prompts.flatMap((prompt) => {
      const at = Date.parse(prompt.at);
      const gone =
        times.some((time) => Math.abs(time - at) <= SAME_PROMPT_MS) ||
        index.isForgottenTurn(turnOf(prompt, this.#options.peer).id);
      return gone ? [prompt.key] : [];
    });
    return new Set(keys);
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

  #clean(text: string): string {
    const { text: clean, counts } = redact(text);
    this.#count(counts);
    return clean;
  }

  #cleanAll<T>(value: T): T {
    const clean = redactDeep(value);
    this.#count(clean.counts);
    return clean.value;
  }

  #count(counts: Readonly<Record<string, number>>): void {
    for (const [type, n] of Object.entries(counts))
      this.#redactions[type] = (this.#redactions[type] ?? 0) + n;
  }
}

/** A prompt is all that is left of the turn; whoever kept it says so, and nothing is distilled from it. */
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

/** The first line, as far as a heading reaches. */
function shortened(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE).replace(/\s+\S*$/, '')} …`;
}

function silent(peer: PeerName): Distiller {
  return {
    name: peer,
    distill: () => Promise.resolve({ memories: [] }),
    summarize: () => Promise.reject(new Error('a peer sums up by itself')),
  };
}

function below(root: string | undefined, file: string): string {
  if (root === undefined || !isAbsolute(file)) return file;
  const way = relative(root, file);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? file : way.split(sep).join('/');
}
