/**
 * The daemon's team features: login, sharing, and exchanges in the background. Nothing of it is loaded before a login,
 * and nothing on this machine waits for the server.
 */
import { existsSync } from 'node:fs';
import { projectOfFolder, EVERYWHERE } from '../../../capture/index.ts';
import { TidemarkError, type Memory } from '../../../core/index.ts';
import { Mutex } from '../../../files/index.ts';
import type { Stores } from '../../../memory/index.ts';
import { asOurs, TeamAccess, type AccessOptions } from './access.ts';
import { Rounds, type RoundsOptions } from './rounds.ts';
import {
  previewOf,
  shareable,
  teamProject,
  type AskedProject,
  type SharePreview,
  type Wish,
} from './sharing.ts';
import { appendRecords, settleConflicts, teamStore } from './store.ts';

/** Groups several changes in a row into one exchange. */
const SOON_MS = 1500;

type TeamOptions = AccessOptions & RoundsOptions;

export class Team {
  readonly #options: TeamOptions;
  readonly #stopping = new AbortController();
  readonly #access: TeamAccess;
  readonly #rounds: Rounds;
  #timer: NodeJS.Timeout | undefined;
  readonly #exchanges = new Mutex();

  constructor(options: TeamOptions) {
    this.#options = options;
    this.#access = new TeamAccess(options, this.#stopping.signal);
    const wake = (): void => this.wake();
    this.#rounds = new Rounds({ ...options, wake }, this.#access, this.#stopping.signal);
  }

  /** Schedules a round. Returns at once; costs one file check on a machine without a team. */
  wake(): void {
    if (this.#timer || this.#stopping.signal.aborted || !existsSync(this.#options.places.team)) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#alone(() => this.#rounds.round(false)).catch((error: unknown) =>
        this.#rounds.logFailure(error),
      );
    }, SOON_MS);
    this.#timer.unref();
  }

  /** Whether an exchange is under way or about to begin. */
  get busy(): boolean {
    return this.#timer !== undefined || this.#exchanges.busy;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#rounds.unfollow();
    this.#stopping.abort();
    await this.#exchanges.idle();
  }

  greet(args: { readonly server: string }) {
    return asOurs(async () => this.#access.greet(args));
  }

  login(args: { readonly server: string; readonly key: string }) {
    return this.#alone(async () => {
      const found = await this.#access.login(args);
      this.#rounds.reset();
      return found;
    }).finally(() => this.wake());
  }

  logout() {
    return this.#alone(async () => {
      // Only now: a round that was under way may have begun a wait.
      this.#rounds.unfollow();
      return this.#access.logout();
    });
  }

  /** Returns a link to the team's hub. The key stays here. */
  hubLink(): Promise<{ url: string }> {
    return asOurs(async () => ({ url: await this.#access.server(this.#access.loggedIn().login).hubLink() }));
  }

  preview(asked: AskedProject): Promise<SharePreview> {
    return asOurs(async () => {
      const { login, machine } = this.#access.loggedIn();
      const { sync } = this.#access;
      const project = await this.#options.use((stores) => shareable(sync, this.#options, stores, asked));
      const rules = await this.#rounds.rules(project.id);
      return this.#options.use((stores) => {
        const store = teamStore(stores, this.#options.places, machine);
        const own = store.entries(project.id).filter(({ author }) => author === undefined);
        const choices = store.sharing();
        const whyHeld = (memory: Memory): string | undefined =>
          sync.whyItStays(memory, choices.get(memory.id), rules);
        return {
          ...previewOf(sync, project, own, store, whyHeld),
          server: login.server,
          team: login.team.name,
          inReview: stores.index.waiting(project.id).length,
        };
      });
    });
  }

  /**
   * Holds entries back (one that the team has is withdrawn), or shares them now. Works offline: the decision is stored
   * first.
   */
  decide({ ids, state }: { readonly ids: readonly string[]; readonly state: 'held' | 'released' }) {
    return this.#alone(async () => {
      const entries = await this.#options.use(async (stores) => {
        const found = ids.map((id) => decidable(stores, id, state));
        const at = new Date().toISOString();
        await appendRecords(
          stores,
          found.map(({ id }) => ({ kind: 'sharing', at, memory: id, state })),
        );
        return found;
      });
      for (const { project } of entries) this.#rounds.changed(project);
      this.#options.tell('sharing decided', { memories: entries.map(({ id }) => id), state });
      const isLoggedIn = existsSync(this.#options.places.team) && this.#access.file().login !== undefined;
      if (isLoggedIn) await this.#rounds.asked();
      const { problem } = this.#rounds.state;
      return { entries, ...(isLoggedIn && problem ? { problem } : {}) };
    });
  }

  share(asked: AskedProject & Wish) {
    return this.#alone(async () => {
      const { login } = this.#access.loggedIn();
      const { sync } = this.#access;
      const project = await this.#options.use(async (stores) => {
        const found = await shareable(sync, this.#options, stores, asked);
        if ('dir' in asked) await projectOfFolder(stores, asked.dir, new Date().toISOString(), EVERYWHERE);
        return found;
      });
      const remote = await teamProject(this.#access.server(login), sync.filterProject(project), asked);
      const share = { project: project.id, remote: remote.id, name: remote.name, server: login.server };
      await this.#rounds.note(share, 'shared');
      this.#rounds.changed(project.id);
      await this.#rounds.asked(project.id);
      const { problem, projects } = this.#rounds.state;
      return {
        ...share,
        ...(projects[remote.id] ?? { waiting: 0, refused: [] }),
        ...(problem ? { problem } : {}),
      };
    });
  }

  /** Stops sharing at once; the entries leave the server as soon as it can be reached. */
  unshare({ project }: { readonly project: string }) {
    return this.#alone(async () => {
      this.#access.loggedIn();
      const shared = () =>
        this.#options.use(({ index }) => index.shares().find((one) => one.project === project));
      const share = await shared();
      if (!share)
        throw new TidemarkError('not-found', `${project} is not shared`, {
          hint: 'List the shared projects with: tidemark team',
        });
      await this.#rounds.note(share, 'leaving');
      await this.#rounds.asked();
      const { name, server } = share;
      const isDone = (await shared()) === undefined;
      return { project, name, server, done: isDone, problem: this.#rounds.state.problem };
    });
  }

  /** Runs an exchange now, even after failures. */
  now() {
    return this.#alone(async () => {
      this.#access.loggedIn();
      await this.#rounds.asked();
      return this.#rounds.state;
    });
  }

  async seen({ ids }: { readonly ids: readonly string[] }): Promise<{ seen: readonly string[] }> {
    return { seen: await this.#options.use((stores) => settleConflicts(stores, ids)) };
  }

  /** One exchange at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#exchanges.run(() => asOurs(work));
  }
}

/** Returns the entry. Throws if the user cannot decide about it. */
function decidable({ index }: Stores, id: string, state: 'held' | 'released') {
  const memory = index.memory(id);
  if (!memory)
    throw new TidemarkError('not-found', `there is no memory ${id}`, { hint: 'List them: tidemark team' });
  const { title, project, author } = memory;
  if (author !== undefined)
    throw new TidemarkError('team.not-yours', `${id} is an entry of ${author}`, {
      hint: 'Only its author decides whether it is shared.',
    });
  const share = index.shares().find((one) => one.project === project && one.state === 'shared');
  if (!share && state === 'released')
    throw new TidemarkError('team.not-shared', `the project of ${id} is not shared`, {
      hint: `Share it first: tidemark share ${project}`,
    });
  const wasSent = share !== undefined && index.exchangedOne(share.remote, memory.id)?.state === 'put';
  return { id: memory.id, title, project, wasSent };
}
