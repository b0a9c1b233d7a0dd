/** The writer thread: the only one that changes journal, turn store, ledger and index. Each handler is one kind of change. */
import { loadConfig, type Config } from '../config/index.ts';
import { localDistiller } from '../distill/index.ts';
import type { Places, SpooledEvent } from '../model/index.ts';
import { notice, serveCalls } from './_worker-port.ts';
import type { Answer } from './answers.ts';
import { importHistory } from './history-import.ts';
import { syncJournal } from './journal-sync.ts';
import { forgetMemories, rememberByHand, type ByHand } from './by-hand.ts';
import { Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';
import { rebuildIndex, type Progress } from './rebuild.ts';
import { openStores, type Stores } from './stores.ts';
import { sweep } from './sweep.ts';
import { trimTurns } from './trim-turns.ts';

interface Ticket {
  readonly ticket: string;
}

export function serveWriter(places: Places, env: NodeJS.ProcessEnv): void {
  const opening = Writer.open(places, env);
  const cancels = new Map<string, AbortController>();
  const withTicket = async <T>(
    ticket: string,
    work: (signal: AbortSignal, progress: (facts: object) => void) => Promise<T>,
  ) => {
    const cancel = new AbortController();
    cancels.set(ticket, cancel);
    try {
      return await work(cancel.signal, (facts) => notice('progress', { ticket, ...facts }));
    } finally {
      cancels.delete(ticket);
    }
  };
  serveCalls({
    process: async (event: SpooledEvent) => (await opening).process(event),
    sweep: async ({ now }: { now?: string }) => (await opening).sweep(now ? new Date(now) : new Date()),
    injected: async (answer: InjectionNote) => (await opening).noteInjection(answer),
    redacted: async (note: { at: string; counts: Record<string, number> }) =>
      (await opening).noteRedactions(note),
    cancel: ({ ticket }: Ticket) => cancels.get(ticket)?.abort(),
    reindex: ({ ticket }: Ticket) =>
      withTicket(ticket, async (_, progress) => (await opening).reindex(progress)),
    'import.history': (args: HistoryArgs & Ticket) =>
      withTicket(args.ticket, async (signal, progress) =>
        (await opening).importHistory(args, signal, progress),
      ),
    remember: async (args: ByHand) => (await opening).remember(args),
    forget: async (args: { ids: readonly string[] }) => (await opening).forget(args.ids),
    pause: async (args: PauseArgs) => (await opening).pause(args),
    pauses: async () => (await opening).pauses(),
  });
}

export interface InjectionNote extends Answer {
  readonly session: string;
  readonly event: string;
  readonly at: string;
  readonly promptId?: string;
}

export interface HistoryArgs {
  readonly configDir: string;
  readonly project?: string;
  readonly since?: string;
  readonly dryRun?: boolean;
}

export interface PauseArgs {
  readonly paused: boolean;
  readonly scope: 'everywhere' | 'project' | 'session';
  readonly of?: string;
}

class Writer {
  readonly #stores: Stores;
  readonly #pipeline: Pipeline;
  readonly #pauses: Pauses;
  readonly #ignore: readonly string[];
  readonly #maxTurnBytes: number;

  static async open(places: Places, env: NodeJS.ProcessEnv): Promise<Writer> {
    const { values } = loadConfig({ places, env });
    const { stores, rebuild } = await openStores(places);
    const pauses = new Pauses();
    for await (const record of stores.ledger.read()) if (record.kind === 'paused') pauses.add(record);
    if (rebuild) {
      const rebuilt = await rebuildIndex(stores);
      if (rebuilt.memories + rebuilt.turns > 0) notice('index rebuilt', { why: rebuild, ...rebuilt });
    } else {
      await syncJournal(stores);
    }
    return new Writer(stores, pauses, values);
  }

  private constructor(stores: Stores, pauses: Pauses, config: Config) {
    this.#stores = stores;
    this.#pauses = pauses;
    this.#ignore = config['capture.ignore'];
    this.#maxTurnBytes = config['turns.maxMb'] * 1024 * 1024;
    this.#pipeline = new Pipeline({
      stores,
      distiller: localDistiller,
      pauses,
      ignore: this.#ignore,
      onCaptured: ({ turns, memories, redactions }, session) => {
        void this.noteRedactions({ at: new Date().toISOString(), counts: redactions });
        if (turns + memories.length > 0)
          notice('captured', { session, turns, memories: memories.map(({ id }) => id) });
      },
    });
    stores.journal.watch(() => void this.#journalChanged(), new AbortController().signal);
  }

  process(event: SpooledEvent): Promise<void> {
    return this.#pipeline.process(event);
  }

  async sweep(now: Date) {
    const trimmed = await trimTurns(this.#stores, this.#maxTurnBytes, now);
    if (trimmed) notice('turns dropped', { turns: trimmed.turns, from: trimmed.from, to: trimmed.to });
    return sweep(this.#stores, this.#pipeline, now);
  }

  async noteInjection(note: InjectionNote): Promise<void> {
    const { session, event, at, where, considered, reason } = note;
    const memories = [...note.memories];
    const promptId = note.promptId ?? event;
    await this.#stores.ledger.append([
      {
        kind: 'injected',
        at,
        session,
        where,
        prompt: promptId,
        memories,
        considered,
        ...(reason ? { reason } : {}),
      },
    ]);
    this.#stores.index.recordInjection(
      memories.map(({ id, score }) => ({ at, session, place: where, promptId, memory: id, score })),
    );
  }

  async noteRedactions({
    at,
    counts,
  }: {
    at: string;
    counts: Readonly<Record<string, number>>;
  }): Promise<void> {
    if (Object.keys(counts).length === 0) return;
    await this.#stores.ledger.append([{ kind: 'redacted', at, counts }]);
    this.#stores.index.addRedactions(counts);
  }

  reindex(progress: Progress) {
    return rebuildIndex(this.#stores, progress);
  }

  importHistory(args: HistoryArgs, signal: AbortSignal, progress: (facts: object) => void) {
    const options = { ...args, dryRun: args.dryRun ?? false, ignore: this.#ignore, signal };
    return importHistory(this.#stores, this.#pipeline, options, progress);
  }

  remember(args: ByHand) {
    return rememberByHand(this.#stores, args, new Date());
  }

  forget(ids: readonly string[]) {
    return forgetMemories(this.#stores, ids, new Date());
  }

  async pause({ paused, scope, of }: PauseArgs) {
    const record = {
      kind: 'paused',
      at: new Date().toISOString(),
      paused,
      scope,
      ...(of ? { target: of } : {}),
    } as const;
    await this.#stores.ledger.append([record]);
    this.#pauses.add(record);
    return this.pauses();
  }

  pauses() {
    return this.#pauses.current();
  }

  async #journalChanged(): Promise<void> {
    const change = await syncJournal(this.#stores);
    if (change.files > 0) notice('journal changed', { ...change });
  }
}
