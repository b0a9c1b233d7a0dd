/**
 * Runs the exchanges with all shared projects, one after the other. The outbox is computed from scratch each time, so
 * nothing gets lost between two rounds. Writes the outcome to the state file that the CLI and the hub show.
 */
import { listOf, teamValuesIn } from '../../../config/index.ts';
import { given, type Places } from '../../../core/index.ts';
import type { Share } from '../../../database/index.ts';
import type { Stores } from '../../../memory/index.ts';
import type { Delayed, Login, SharingRules } from '../index.ts';
import type { LoggedIn, TeamAccess } from './access.ts';
import { Follower } from './follower.ts';
import { delayOf, isIgnored, stampOf } from './sharing.ts';
import { problemOf, readState, writeState, type ExchangeState } from './state.ts';
import { appendRecords, teamStore } from './store.ts';
import { storeTeamSettings } from './team-settings.ts';

/** Interval of pulls while nothing changes here and the server cannot tell of changes. */
const PULL_EVERY_MS = 55_000;
/** The same for a project whose changes the server announces, in case that one was lost. */
const PULL_FOLLOWED_EVERY_MS = 10 * 60_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

/** Problems that do not go away by themselves, so frequent retries would not help. */
const LASTING: ReadonlySet<string> = new Set(['team.key', 'team.refused', 'team.gone']);

type Problem = NonNullable<ExchangeState['problem']>;
type Progress = ExchangeState['projects'][string];

export interface RoundsOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** Work on the stores; they may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  /** Brings the index up to date with the journal's files. */
  readonly refresh: () => Promise<void>;
  readonly tell: (what: string, facts: object) => void;
  /** Asks for a round soon. */
  readonly wake?: () => void;
}

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #access: TeamAccess;
  readonly #signal: AbortSignal;
  readonly #backoff = new Backoff();
  /** By project: its stamp when both sides last had the same entries, and when the next new entry may leave. */
  readonly #stamps = new Map<string, { readonly stamp: string; readonly due: string }>();
  /** New entries whose wait was announced since this process started. */
  readonly #announced = new Set<string>();
  readonly #follower: Follower;
  /** By project of the team: when it was last pulled. */
  readonly #pulledAt = new Map<string, number>();
  /** Projects of the team that have changes. */
  readonly #changed = new Set<string>();

  constructor(options: RoundsOptions, access: TeamAccess, signal: AbortSignal) {
    this.#options = options;
    this.#access = access;
    this.#signal = signal;
    this.#follower = new Follower({
      server: (login) => access.server(login),
      onChange: (projects) => {
        for (const project of projects) this.#changed.add(project);
        options.wake?.();
      },
    });
  }

  /** Ends the wait for changes; the next round begins it again. */
  unfollow(): void {
    this.#follower.stop();
  }

  get state(): ExchangeState {
    return readState(this.#options.places);
  }

  /** Makes the next round try the server even after failures. */
  reset(): void {
    this.#backoff.reset();
  }

  /**
   * A round the user waits for: runs now and always pulls. `confirmed`: the project whose entries the user has just seen
   * in a preview and agreed to share.
   */
  async asked(confirmed?: string): Promise<void> {
    this.reset();
    await this.round(true, confirmed);
  }

  /** Makes the next round look at the entries of the project again. */
  changed(project: string): void {
    this.#stamps.delete(project);
  }

  async round(asked: boolean, confirmed?: string): Promise<void> {
    const { login, machine } = this.#access.file();
    if (!login) return this.unfollow();
    const shares = await this.#options.use(({ index }) =>
      index.shares().filter(({ server }) => server === login.server),
    );
    const resting = this.#backoff.isResting;
    const before = this.state;
    const projects: Record<string, Progress> = {};
    let problem: Problem | undefined;
    for (const share of shares) {
      const last = before.projects[share.remote];
      if (last) projects[share.remote] = last;
      try {
        const isConfirmed = share.project === confirmed;
        const pulls = asked || this.#isDue(share.remote);
        const done = await this.#exchange(share, { login, machine }, { resting, pulls, isConfirmed });
        if (pulls && !resting) this.#pulled(share.remote);
        if (done) projects[share.remote] = { at: new Date().toISOString(), ...localOf(last), ...done };
      } catch (error) {
        if (this.#signal.aborted) return;
        const counted = await this.#countWaiting(share, { login, machine }).catch(() => ({
          waiting: last?.waiting ?? 0,
          ...localOf(last),
        }));
        projects[share.remote] = { at: last?.at ?? null, refused: last?.refused ?? [], ...counted };
        problem ??= problemOf(error);
        this.#backoff.failed(error);
        this.logFailure(error);
        if (problem.code === 'team.away' || problem.code === 'team.key') break;
      }
    }
    if (resting && !problem) return writeState(this.#options.places, { ...before, projects });
    if (!problem) {
      this.#backoff.reset();
      await this.#follow(login);
    }
    const at = new Date().toISOString();
    const lastGoodAt = problem ? before.lastGoodAt : at;
    await writeState(this.#options.places, {
      at,
      projects,
      ...(lastGoodAt ? { lastGoodAt } : {}),
      ...(problem ? { problem, nextTryAt: this.#backoff.nextTryAt } : {}),
    });
  }

  #isDue(remote: string): boolean {
    if (this.#changed.has(remote)) return true;
    const every = this.#follower.covers(remote) ? PULL_FOLLOWED_EVERY_MS : PULL_EVERY_MS;
    return Date.now() - (this.#pulledAt.get(remote) ?? 0) >= every;
  }

  #pulled(remote: string): void {
    this.#changed.delete(remote);
    this.#pulledAt.set(remote, Date.now());
  }

  /** Waits for changes of the shared projects from where this machine is. */
  async #follow(login: Login): Promise<void> {
    const projects = await this.#options.use(({ index }) =>
      index
        .shares()
        .filter(({ server, state }) => server === login.server && state === 'shared')
        .map(({ remote }) => ({ id: remote, after: index.teamCursor(remote) })),
    );
    if (!this.#signal.aborted) this.#follower.follow(login, projects);
  }

  /** Records the state of a share in the ledger. */
  note({ project, remote, name, server }: Omit<Share, 'at' | 'state'>, state: Share['state']): Promise<void> {
    const at = new Date().toISOString();
    return this.#options.use((stores) =>
      appendRecords(stores, [{ kind: 'shared', at, project, remote, name, server, state }]),
    );
  }

  logFailure(error: unknown): void {
    const { code, message } = problemOf(error);
    this.#options.tell('exchange failed', { code, message });
  }

  async #exchange(
    share: Share,
    { login, machine }: LoggedIn,
    options: { readonly resting: boolean; readonly pulls: boolean; readonly isConfirmed: boolean },
  ): Promise<Omit<Progress, 'at'> | undefined> {
    const { resting, pulls, isConfirmed } = options;
    if (share.state === 'leaving') return resting ? undefined : this.#leave(share, login);
    const stamp = await this.#options.use((stores) => stampOf(this.#options, stores, share.project));
    if (stamp === undefined) return undefined;
    const before = this.#stamps.get(share.project);
    const unchanged = before?.stamp === stamp && new Date().toISOString() < before.due;
    if (resting) {
      if (unchanged) return undefined;
      // The edit is dated when it was noticed, not when the server is back.
      return { refused: [], ...(await this.#countWaiting(share, { login, machine })) };
    }
    if (unchanged && !pulls) return undefined;
    if (!unchanged) await this.#options.refresh();
    const done = await this.#access.sync.exchange({
      server: this.#access.server(login),
      use: (work) => this.#options.use((stores) => work(teamStore(stores, this.#options.places, machine))),
      share,
      clock: clockOf(machine),
      rules: { ...(await this.rules(share.project)), confirmed: isConfirmed },
      member: login.member.id,
      signal: this.#signal,
      unchanged,
      onSettings: async (settings) => {
        if (!storeTeamSettings(this.#options.places, settings)) return undefined;
        this.#stamps.clear();
        this.#options.tell('settings of the team', { settings });
        return { ...(await this.rules(share.project)), confirmed: isConfirmed };
      },
    });
    const { taken, sent, waiting, refused, mayNotWrite, newlySkipped, local } = done;
    if (local) await this.#announce(share, login, local.delayed);
    if (newlySkipped.length > 0)
      this.#options.tell('changes of the team cannot be read', {
        project: share.project,
        count: newlySkipped.length,
        first: newlySkipped[0],
      });
    if (sent + Object.keys(taken).length > 0) {
      await this.#options.refresh();
      this.#options.tell('exchanged', { project: share.project, sent, ...taken });
    }
    // The stamp from before the outbox was computed, so a later change is found next time.
    const due = local ? firstDue(local.delayed) : (before?.due ?? NEVER);
    if (waiting === 0) this.#stamps.set(share.project, { stamp, due });
    return { waiting, refused, ...local, ...(mayNotWrite ? { mayNotWrite } : {}) };
  }

  /** Also records a version for each change, and since when a new entry waits. */
  async #countWaiting(share: Share, { login, machine }: LoggedIn): Promise<Counted> {
    const rules = await this.rules(share.project);
    const counted = await this.#options.use(async (stores): Promise<Counted> => {
      if (share.state !== 'shared' || stampOf(this.#options, stores, share.project) === undefined)
        return { waiting: 0, delayed: [], held: [] };
      const store = teamStore(stores, this.#options.places, machine);
      const found = await this.#access.sync.outbox(store, share, clockOf(machine), rules);
      return { ...found, waiting: found.waiting.length };
    });
    await this.#announce(share, login, counted.delayed ?? []);
    return counted;
  }

  /** The rules for new entries of a project. */
  async rules(project: string): Promise<SharingRules> {
    const ignored = await this.#options.use(({ index }) => {
      const known = index.project(project);
      return known !== undefined && isIgnored(this.#options, index, known);
    });
    const neverKinds = listOf(teamValuesIn(this.#options.places.teamSettings), 'share.neverKinds');
    return { delayMs: delayOf(this.#options), neverKinds, ignored };
  }

  /** Tells the user about new entries that wait, each once. After a restart those that still wait are named again. */
  async #announce(share: Share, login: Login, delayed: readonly Delayed[]): Promise<void> {
    const fresh = delayed.filter(({ id }) => !this.#announced.has(id));
    if (fresh.length === 0) return;
    const entries = await this.#options.use(({ index }) =>
      fresh.map(({ id, until }) => ({ id, until, title: index.memory(id)?.title ?? id })),
    );
    for (const { id } of fresh) this.#announced.add(id);
    this.#options.tell('entries wait', { team: login.team.name, project: share.project, entries });
  }

  /** Removes the user's entries from the server and the other members' entries from this machine. */
  async #leave(share: Share, login: Login): Promise<undefined> {
    await this.#withdraw(share, login);
    await this.#options.use(async (stores) => {
      const theirs = stores.index
        .memoriesBy({ project: share.project, limit: Number.MAX_SAFE_INTEGER })
        .filter(({ author }) => author !== undefined)
        .map(({ id }) => id);
      await stores.journal.remove(theirs);
      stores.index.removeMemories(theirs);
    });
    await this.note(share, 'left');
    this.#stamps.delete(share.project);
    return undefined;
  }

  /** The server refuses a user who may only read. Without entries of theirs there is nothing to withdraw. */
  async #withdraw({ remote }: Share, login: Login): Promise<void> {
    try {
      await this.#access.server(login).withdrawAll(remote);
    } catch (error) {
      const wereSent = await this.#options.use(({ index }) =>
        index.exchanged(remote).some(({ state, author }) => state === 'put' && author === undefined),
      );
      if (wereSent || problemOf(error).code !== 'team.refused') throw error;
    }
  }
}

type Counted = Pick<Progress, 'waiting' | 'delayed' | 'held'>;

/** Later than every date. */
const NEVER = '9999';

function firstDue(delayed: readonly Delayed[]): string {
  return delayed.map(({ until }) => until).toSorted()[0] ?? NEVER;
}

function localOf(last: Progress | undefined): Pick<Progress, 'delayed' | 'held'> {
  return given({ delayed: last?.delayed, held: last?.held });
}

/** Delays retries after failures: soon at first, then later and later. */
class Backoff {
  #failures = 0;
  #until = 0;

  get isResting(): boolean {
    return Date.now() < this.#until;
  }

  get nextTryAt(): string {
    return new Date(this.#until).toISOString();
  }

  failed(error: unknown): void {
    const asked = Number((error as { retryAfterMs?: unknown }).retryAfterMs) || 0;
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++);
    const least = LASTING.has(problemOf(error).code) ? LONGEST_RETRY_MS : wait;
    this.#until = Date.now() + Math.max(least, asked);
  }

  reset(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}

function clockOf(machine: string) {
  return { machine, now: () => new Date() };
}
