/**
 * The exchange with a team server, in the background: nothing of it is loaded until somebody has logged in, nobody waits
 * for it, and while the server is away everything here works as ever. What is to be sent is found anew each time by
 * comparing, so nothing can get lost between two tries.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import type { Share } from '../index/index.ts';
import { TidemarkError, type Places, type Project } from '../model/index.ts';
import type { Login, TeamFile } from '../sync/index.ts';
import { resolveProject } from './projects.ts';
import type { Stores } from './stores.ts';
import { previewOf, type SharePreview } from './team-preview.ts';
import { problemOf, readState, writeState, type ExchangeState } from './team-state.ts';
import { keepRecords, teamStore } from './team-store.ts';

/** Several changes in a row are one exchange. */
const SOON_MS = 1500;
/** How often the others are heard while nothing happens here. */
const LISTEN_EVERY_MS = 55_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

type Sync = typeof import('../sync/index.ts');

export interface TeamOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the programs, where `sync.cjs` lies. */
  readonly programs: string;
  /** Work on the stores; they may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  /** Brings the index up to what the journal's files say now. */
  readonly refresh: () => Promise<void>;
  readonly tell: (what: string, facts: object) => void;
}

export class Team {
  readonly #options: TeamOptions;
  readonly #stopping = new AbortController();
  /** By project: what stood there when both sides were last at one. */
  readonly #stamps = new Map<string, string>();
  #sync: Sync | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #restUntil = 0;
  #listenedAt = 0;

  constructor(options: TeamOptions) {
    this.#options = options;
  }

  /** Something may have changed, or time has passed. Returns at once; costs one look at the disk where there is no team. */
  wake(): void {
    if (this.#timer || this.#stopping.signal.aborted || !existsSync(this.#options.places.team)) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#alone(() => this.#round(false)).catch((error: unknown) => this.#toldFailure(error));
    }, SOON_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#running.catch(() => {});
  }

  login({ server, key }: { readonly server: string; readonly key: string }) {
    return this.#alone(async () => {
      const { checkedServer, newMachineName, readTeamFile, writeTeamFile } = this.#load();
      const address = checkedServer(server);
      const { member, team, key: facts, server: there } = await this.#server({ server: address, key }).me();
      const file = readTeamFile(this.#options.places.team);
      const login: Login = {
        server: address,
        key,
        member: { id: member.id, name: member.name },
        team: { id: team.id, name: team.name },
        at: new Date().toISOString(),
      };
      writeTeamFile(this.#options.places.team, {
        machine: file?.machine ?? newMachineName(this.#machineSetting()),
        login,
      });
      this.#rest(0);
      return { server: address, member, team, key: facts, version: there.version };
    }).finally(() => this.wake());
  }

  /** The key goes; what is shared stays shared there, and what came from there stays here. */
  logout() {
    return this.#alone(async () => {
      const { login, ...file } = this.#file();
      if (!login) throw notLoggedIn();
      this.#load().writeTeamFile(this.#options.places.team, file);
      return { server: login.server };
    });
  }

  preview({ project }: { readonly project: string }): Promise<SharePreview> {
    return this.#ours(() =>
      this.#options.use((stores) => {
        const { login, machine } = this.#loggedIn();
        const known = this.#shareable(stores, project);
        const store = teamStore(stores, this.#options.places, machine);
        const own = store.entries(project).filter(({ author }) => author === undefined);
        return {
          ...previewOf(this.#load(), known, own, store),
          ...placeOf(login),
          inReview: stores.index.waiting(project).length,
        };
      }),
    );
  }

  share({ project, join: wanted, fresh = false }: ShareArgs) {
    return this.#alone(async () => {
      const { login } = this.#loggedIn();
      const { passProject } = this.#load();
      const server = this.#server(login);
      const mine = passProject(await this.#options.use((stores) => this.#shareable(stores, project)));
      const there = await server.projects();
      const named = (name: string) => there.find((one) => one.id === name || one.name === name);
      const byKey = there.find(({ keys }) => keys.some((key) => mine.keys.includes(key)));
      const chosen = wanted === undefined ? byKey : named(wanted);
      if (wanted !== undefined && !chosen)
        throw new TidemarkError('not-found', `the team has no project ${wanted}`, {
          hint: there.length > 0 ? `It has: ${there.map(({ name }) => name).join(', ')}` : 'It has none yet.',
        });
      const twin = chosen || fresh ? undefined : named(mine.name);
      if (twin)
        throw new TidemarkError(
          'team.same-name',
          `the team has a project ${twin.name} that may be another one`,
          {
            hint: `If it is the same: --join ${twin.name}. If not: --new`,
          },
        );
      const remote = chosen ?? (await server.makeProject(mine));
      const share = { project, remote: remote.id, name: remote.name, server: login.server };
      await this.#options.use((stores) =>
        keepRecords(stores, [{ kind: 'shared', at: new Date().toISOString(), ...share, state: 'shared' }]),
      );
      this.#rest(0);
      await this.#round(true);
      return { ...share, ...(this.#state().projects[remote.id] ?? { waiting: 0, refused: [] }) };
    });
  }

  /** Stops at once; the server is told as soon as it can be. */
  unshare({ project }: { readonly project: string }) {
    return this.#alone(async () => {
      this.#loggedIn();
      const share = await this.#options.use(({ index }) =>
        index.shares().find((one) => one.project === project),
      );
      if (!share)
        throw new TidemarkError('not-found', `${project} is not shared`, {
          hint: 'See what is with: tidemark team',
        });
      await this.#note(share, 'leaving');
      this.#rest(0);
      await this.#round(true);
      const isDone = await this.#options.use(
        ({ index }) => !index.shares().some((one) => one.project === project),
      );
      return {
        project,
        name: share.name,
        server: share.server,
        done: isDone,
        problem: this.#state().problem,
      };
    });
  }

  /** An exchange now, whatever the last one said. */
  now() {
    return this.#alone(async () => {
      this.#loggedIn();
      this.#rest(0);
      await this.#round(true);
      return this.#state();
    });
  }

  /** A person has seen these texts: they need not be kept any longer. */
  seen({ ids }: { readonly ids: readonly string[] }): Promise<{ seen: readonly string[] }> {
    return this.#options.use(async (stores) => {
      const at = new Date().toISOString();
      const wanted = new Set(ids);
      const some = stores.index.conflicts().filter(({ memory }) => wanted.has(memory));
      await stores.ledger.erase((record) => record.kind === 'conflict' && wanted.has(record.memory));
      await keepRecords(
        stores,
        some.map(({ remote, memory, lost, machine }) => ({
          kind: 'conflict',
          at,
          remote,
          memory,
          lost,
          machine,
        })),
      );
      return { seen: [...new Set(some.map(({ memory }) => memory))] };
    });
  }

  /** `asked`: by a person, who is told what goes wrong; else it is written down. */
  async #round(asked: boolean): Promise<void> {
    const { login, machine } = this.#file();
    if (!login) return;
    const shares = await this.#options.use(({ index }) =>
      index.shares().filter(({ server }) => server === login.server),
    );
    const resting = Date.now() < this.#restUntil;
    const listens = asked || Date.now() - this.#listenedAt >= LISTEN_EVERY_MS;
    const before = this.#state();
    const projects: Record<string, ExchangeState['projects'][string]> = {};
    let problem: ExchangeState['problem'];
    for (const share of shares) {
      const kept = before.projects[share.remote];
      if (kept) projects[share.remote] = kept;
      try {
        const done = await this.#one(share, { login, machine }, { resting, listens });
        if (done) projects[share.remote] = { at: new Date().toISOString(), ...done };
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        const waiting = await this.#countWaiting(share, machine).catch(() => kept?.waiting ?? 0);
        projects[share.remote] = { at: kept?.at ?? null, waiting, refused: kept?.refused ?? [] };
        problem ??= problemOf(error);
        this.#failed(error);
        if (problem.code === 'team.away' || problem.code === 'team.key') break;
      }
    }
    if (resting && !problem) return this.#write({ ...before, projects });
    if (listens && !problem) this.#listenedAt = Date.now();
    if (!problem) this.#rest(0);
    const at = new Date().toISOString();
    const lastGoodAt = problem ? before.lastGoodAt : at;
    await this.#write({
      at,
      projects,
      ...(lastGoodAt ? { lastGoodAt } : {}),
      ...(problem ? { problem, nextTryAt: new Date(this.#restUntil).toISOString() } : {}),
    });
  }

  async #one(
    share: Share,
    { login, machine }: { readonly login: Login; readonly machine: string },
    { resting, listens }: { readonly resting: boolean; readonly listens: boolean },
  ): Promise<Omit<ExchangeState['projects'][string], 'at'> | undefined> {
    if (share.state === 'leaving') return resting ? undefined : this.#leave(share, login);
    const stamp = await this.#options.use((stores) => this.#stampOf(stores, share));
    if (stamp === undefined) return undefined;
    const unchanged = this.#stamps.get(share.project) === stamp;
    if (resting) {
      if (unchanged) return undefined;
      // Dated when it was noticed, not when the server is back.
      return { waiting: await this.#countWaiting(share, machine), refused: [] };
    }
    if (unchanged && !listens) return undefined;
    if (!unchanged) await this.#options.refresh();
    const done = await this.#load().exchange({
      server: this.#server(login),
      use: (work) => this.#options.use((stores) => work(teamStore(stores, this.#options.places, machine))),
      share,
      clock: clockOf(machine),
      member: login.member.id,
      signal: this.#stopping.signal,
      unchanged,
    });
    const { taken, sent, waiting, refused, mayNotWrite } = done;
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
      if (share.state !== 'shared' || this.#stampOf(stores, share) === undefined) return 0;
      const store = teamStore(stores, this.#options.places, machine);
      return (await this.#load().outbox(store, share, clockOf(machine))).length;
    });
  }

  /** What is one's own leaves the server, what is the others' leaves this machine: no word of theirs reaches it any more. */
  async #leave(share: Share, login: Login): Promise<undefined> {
    await this.#server(login).withdrawAll(share.remote);
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
    await this.#note(share, 'left');
    this.#stamps.delete(share.project);
    return undefined;
  }

  /** Changes with everything the outbox looks at; none for a project that is not to leave (any more). */
  #stampOf(stores: Stores, { project }: Share): string | undefined {
    const known = stores.index.project(project);
    if (!known || this.#isIgnored(stores, known)) return undefined;
    return `${stores.journal.stampOf(project)} ${stores.index.tombstones('erased').length}`;
  }

  #shareable(stores: Stores, id: string): Project {
    this.#load().refusePersonal(id);
    const project = stores.index.project(id);
    if (!project)
      throw new TidemarkError('not-found', `no project ${id}`, {
        hint: 'Projects are listed by: tidemark projects',
      });
    if (this.#isIgnored(stores, project))
      throw new TidemarkError(
        'team.ignored',
        `${project.name} is ignored on this machine (capture.ignore, capture.enabled)`,
        {
          hint: 'What is not captured is not shared either.',
        },
      );
    return project;
  }

  #isIgnored({ index }: Stores, { paths }: Project): boolean {
    const { places, env } = this.#options;
    const { values } = loadConfig({ places, env });
    const known = { byKey: (key: string) => index.projectByKey(key) };
    return paths.some((path) => {
      const found = resolveProject(path, known, { userHome: homedir(), ignore: values['capture.ignore'] });
      return found.ignored || !loadConfig({ places, env, projectDir: found.root }).values['capture.enabled'];
    });
  }

  #note({ project, remote, name, server }: Share, state: Share['state']): Promise<void> {
    const at = new Date().toISOString();
    return this.#options.use((stores) =>
      keepRecords(stores, [{ kind: 'shared', at, project, remote, name, server, state }]),
    );
  }

  /** What a person has called this machine in a journal that several share. */
  #machineSetting(): string {
    const { places, env } = this.#options;
    return loadConfig({ places, env }).values['journal.machine'];
  }

  #file(): TeamFile {
    const file = this.#load().readTeamFile(this.#options.places.team);
    if (!file) throw notLoggedIn();
    return file;
  }

  #loggedIn(): { readonly login: Login; readonly machine: string } {
    const { login, machine } = this.#file();
    if (!login) throw notLoggedIn();
    return { login, machine };
  }

  #server({ server, key }: Pick<Login, 'server' | 'key'>) {
    const { TeamServer } = this.#load();
    return new TeamServer({ server, key, signal: this.#stopping.signal });
  }

  /** A program of its own: whoever has no team never pays for it. */
  #load(): Sync {
    this.#sync ??= createRequire(process.execPath)(join(this.#options.programs, 'sync.cjs')) as Sync;
    return this.#sync;
  }

  #failed(error: unknown): void {
    const asked = (error as { retryAfterMs?: unknown }).retryAfterMs;
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++);
    const { code } = problemOf(error);
    const isLasting = code === 'team.key' || code === 'team.refused' || code === 'team.gone';
    this.#restUntil = Date.now() + Math.max(isLasting ? LONGEST_RETRY_MS : wait, Number(asked) || 0);
    this.#toldFailure(error);
  }

  #rest(until: number): void {
    this.#restUntil = until;
    this.#failures = 0;
  }

  #toldFailure(error: unknown): void {
    const { code, message } = problemOf(error);
    this.#options.tell('exchange failed', { code, message });
  }

  #state(): ExchangeState {
    return readState(this.#options.places);
  }

  #write(state: ExchangeState): Promise<void> {
    return writeState(this.#options.places, state);
  }

  /** One exchange at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#running.catch(() => {}).then(() => this.#ours(work));
    this.#running = running;
    return running;
  }

  /** Errors of the program that was loaded are no errors of ours to `instanceof`. */
  async #ours<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TidemarkError) throw error;
      const { code, hint } = error as { code?: unknown; hint?: unknown };
      if (!(error instanceof Error) || typeof code !== 'string') throw error;
      throw new TidemarkError(code, error.message, {
        cause: error,
        ...(typeof hint === 'string' ? { hint } : {}),
      });
    }
  }
}

interface ShareArgs {
  readonly project: string;
  /** A project the team has already, by name or id. */
  readonly join?: string;
  /** Another one, although the team has one of this name. */
  readonly fresh?: boolean;
}

function clockOf(machine: string) {
  return { machine, now: () => new Date() };
}

function placeOf({ server, team }: Login) {
  return { server, team: team.name };
}

function notLoggedIn(): TidemarkError {
  return new TidemarkError('team.none', 'no team server is set up on this machine', {
    hint: 'Log in with: tidemark login <url>',
  });
}
