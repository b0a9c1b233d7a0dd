/**
 * One exchange after the other with every shared project. What is to be sent is found anew each time by comparing, so nothing
 * can get lost between two rounds; how each went is written down for people to look at.
 */
import type { Places } from '../../../core/index.ts';
import type { Share } from '../../../database/index.ts';
import type { Stores } from '../../../memory/index.ts';
import type { Login } from '../index.ts';
import type { LoggedIn, TeamAccess } from './access.ts';
import { Patience } from './patience.ts';
import { stampOf } from './shareable.ts';
import { problemOf, readState, writeState, type ExchangeState } from './state.ts';
import { keepRecords, teamStore } from './store.ts';

/** How often the others are heard while nothing happens here. */
const LISTEN_EVERY_MS = 55_000;

type Problem = NonNullable<ExchangeState['problem']>;
type Progress = ExchangeState['projects'][string];

export interface RoundsOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** Work on the stores; they may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  /** Brings the index up to what the journal's files say now. */
  readonly refresh: () => Promise<void>;
  readonly tell: (what: string, facts: object) => void;
}

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #access: TeamAccess;
  readonly #signal: AbortSignal;
  readonly #patience = new Patience();
  /** By project: what stood there when both sides were last at one. */
  readonly #stamps = new Map<string, string>();
  #listenedAt = 0;

  constructor(options: RoundsOptions, access: TeamAccess, signal: AbortSignal) {
    this.#options = options;
    this.#access = access;
    this.#signal = signal;
  }

  get state(): ExchangeState {
    return readState(this.#options.places);
  }

  /** The next round asks, whatever the last one said. */
  renew(): void {
    this.#patience.renew();
  }

  /** One that a person waits for: now, and the others are heard too. */
  async asked(): Promise<void> {
    this.renew();
    await this.round(true);
  }

  async round(asked: boolean): Promise<void> {
    const { login, machine } = this.#access.file();
    if (!login) return;
    const shares = await this.#options.use(({ index }) =>
      index.shares().filter(({ server }) => server === login.server),
    );
    const resting = this.#patience.isResting;
    const listens = asked || Date.now() - this.#listenedAt >= LISTEN_EVERY_MS;
    const before = this.state;
    const projects: Record<string, Progress> = {};
    let problem: Problem | undefined;
    for (const share of shares) {
      const kept = before.projects[share.remote];
      if (kept) projects[share.remote] = kept;
      try {
        const done = await this.#one(share, { login, machine }, { resting, listens });
        if (done) projects[share.remote] = { at: new Date().toISOString(), ...done };
      } catch (error) {
        if (this.#signal.aborted) return;
        const waiting = await this.#countWaiting(share, machine).catch(() => kept?.waiting ?? 0);
        projects[share.remote] = { at: kept?.at ?? null, waiting, refused: kept?.refused ?? [] };
        problem ??= problemOf(error);
        this.#patience.failed(error);
        this.toldFailure(error);
        if (problem.code === 'team.away' || problem.code === 'team.key') break;
      }
    }
    if (resting && !problem) return writeState(this.#options.places, { ...before, projects });
    if (listens && !problem) this.#listenedAt = Date.now();
    if (!problem) this.#patience.renew();
    await this.#writeDown(projects, before, problem);
  }

  /** What became of a share: into the ledger, like everything that must not be lost. */
  note({ project, remote, name, server }: Omit<Share, 'at' | 'state'>, state: Share['state']): Promise<void> {
    const at = new Date().toISOString();
    return this.#options.use((stores) =>
      keepRecords(stores, [{ kind: 'shared', at, project, remote, name, server, state }]),
    );
  }

  toldFailure(error: unknown): void {
    const { code, message } = problemOf(error);
    this.#options.tell('exchange failed', { code, message });
  }

  async #one(
    share: Share,
    { login, machine }: LoggedIn,
    { resting, listens }: { readonly resting: boolean; readonly listens: boolean },
  ): Promise<Omit<Progress, 'at'> | undefined> {
    if (share.state === 'leaving') return resting ? undefined : this.#leave(share, login);
    const stamp = await this.#options.use((stores) => stampOf(this.#options, stores, share.project));
    if (stamp === undefined) return undefined;
    const unchanged = this.#stamps.get(share.project) === stamp;
    if (resting) {
      if (unchanged) return undefined;
      // Dated when it was noticed, not when the server is back.
      return { waiting: await this.#countWaiting(share, machine), refused: [] };
    }
    if (unchanged && !listens) return undefined;
    if (!unchanged) await this.#options.refresh();
    const done = await this.#access.sync.exchange({
      server: this.#access.server(login),
      use: (work) => this.#options.use((stores) => work(teamStore(stores, this.#options.places, machine))),
      share,
      clock: clockOf(machine),
      member: login.member.id,
      signal: this.#signal,
      unchanged,
    });
    const { taken, sent, waiting, refused, mayNotWrite, newlySkipped } = done;
    if (newlySkipped.length > 0)
      this.#options.tell('changes of the team cannot be read', {
        project: share.project,
        count: newlySkipped.length,
        first: newlySkipped[0],
      });
    if (sent + Object.keys(taken).length > 0) {
      await this.#options.refresh();
      await this.#options.use(({ pages }) => pages.flush());
      this.#options.tell('exchanged', { project: share.project, sent, ...taken });
    }
    // What stood there before the outbox was looked at: whatever came later is looked at next time.
    if (waiting === 0) this.#stamps.set(share.project, stamp);
    return { waiting, refused, ...(mayNotWrite ? { mayNotWrite } : {}) };
  }

  /** Gives what changed its version, too. */
  #countWaiting(share: Share, machine: string): Promise<number> {
    return this.#options.use(async (stores) => {
      if (share.state !== 'shared' || stampOf(this.#options, stores, share.project) === undefined) return 0;
      const store = teamStore(stores, this.#options.places, machine);
      return (await this.#access.sync.outbox(store, share, clockOf(machine))).length;
    });
  }

  /** What is one's own leaves the server, what is the others' leaves this machine: no word of theirs reaches it any more. */
  async #leave(share: Share, login: Login): Promise<undefined> {
    await this.#access.server(login).withdrawAll(share.remote);
    await this.#options.use(async (stores) => {
      const theirs = stores.index
        .memoriesBy({ project: share.project, limit: Number.MAX_SAFE_INTEGER })
        .filter(({ author }) => author !== undefined)
        .map(({ id }) => id);
      await stores.journal.remove(theirs);
      stores.index.removeMemories(theirs);
      stores.pages.touch(share.project);
      await stores.pages.flush();
    });
    await this.note(share, 'left');
    this.#stamps.delete(share.project);
    return undefined;
  }

  #writeDown(
    projects: ExchangeState['projects'],
    before: ExchangeState,
    problem: Problem | undefined,
  ): Promise<void> {
    const at = new Date().toISOString();
    const lastGoodAt = problem ? before.lastGoodAt : at;
    return writeState(this.#options.places, {
      at,
      projects,
      ...(lastGoodAt ? { lastGoodAt } : {}),
      ...(problem ? { problem, nextTryAt: this.#patience.nextTryAt } : {}),
    });
  }
}

function clockOf(machine: string) {
  return { machine, now: () => new Date() };
}
