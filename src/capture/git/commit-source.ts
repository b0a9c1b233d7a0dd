/**
 * Keeps the commits of projects in the index, in the background: those with a reason among the newest that HEAD of the
 * work tree reaches. Reads only what is new since the last time, and removes commits that HEAD no longer reaches. An
 * excluded project has none. Never writes to a repository, and never holds up events: each step uses the stores briefly.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { IndexedCommit, MemoryIndex } from '../../database/index.ts';
import type { Stores } from '../../memory/index.ts';
import { lookUpProject, type CaptureScope } from '../projects/projects.ts';
import { hasReason } from './commit-message.ts';
import { changedFiles, listCommits, NO_FILES, readCommits } from './commits.ts';
import { ReadBudget } from './file-states.ts';
import { askGit } from './git-process.ts';
import { headCommit } from './head.ts';
import { findRepository, type Repository } from './repository.ts';

/** Years of most projects; git lists them in a tenth of a second. */
const MOST_COMMITS = 5000;
/** Commits read and stored at once: storing them takes some tens of milliseconds. */
const AT_ONCE = 100;
/** Messages read at one time, newest first: some fifteen seconds of redaction at most. Most histories have 3 MB. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Git reads one ref. */
const HEAD_MS = 10_000;
/** Part of the mark: another number has all commits read again, after a change of what is stored. */
const READING = 1;

export interface CommitSourceOptions {
  /** Runs work on the stores, which may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly scope: CaptureScope;
  /** `capture.commits`, which a project may switch off in its root. */
  readonly isEnabled: (root: string) => boolean;
  readonly tell: (what: string, facts: object) => void;
}

export class CommitSource {
  readonly #options: CommitSourceOptions;
  readonly #stopping = new AbortController();
  readonly #folders = new Set<string>();
  #loop: Promise<void> | undefined;

  constructor(options: CommitSourceOptions) {
    this.#options = options;
  }

  /** Whether commits are being read. */
  get busy(): boolean {
    return this.#loop !== undefined;
  }

  /** Reads the new commits of a folder's project in the background. Returns at once. */
  wake(folder: string): void {
    this.#folders.add(folder);
    if (this.#loop || this.#stopping.signal.aborted) return;
    this.#loop = this.#work().finally(() => {
      this.#loop = undefined;
      // Woken after the last look and before the end.
      for (const left of this.#folders) this.wake(left);
    });
  }

  /** Reads the projects that were never read into this index: after an import, a rebuild or an update. */
  async wakeAll(): Promise<void> {
    const folders = await this.#options.use(({ index }) =>
      index
        .projects()
        .filter(({ id }) => index.meta(markKey(id)) === undefined)
        .flatMap(({ paths }) => paths.find((path) => existsSync(path)) ?? []),
    );
    for (const folder of folders) this.wake(folder);
  }

  /** Resolves when nothing is left to read. */
  async idle(): Promise<void> {
    await this.#loop;
  }

  /** Ends the work; what was not read is read the next time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #work(): Promise<void> {
    for (const folder of this.#folders) {
      if (this.#stopping.signal.aborted) return;
      this.#folders.delete(folder);
      try {
        await this.#read(folder);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#options.tell('commits not read', {
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }

  async #read(folder: string): Promise<void> {
    const { use, scope, isEnabled, tell } = this.#options;
    const place = await use((stores) => lookUpProject(stores, folder, scope));
    const { project, root, isNew } = place;
    if (isNew) return;
    if (place.ignored || !isEnabled(root)) {
      const removed = await use(({ index }) => clear(index, project.id));
      if (removed > 0) tell('commits removed', { project: project.id, removed });
      return;
    }
    const repository = findRepository(root, homedir());
    const head = repository && (headCommit(repository) ?? (await headByGit(repository)));
    if (!repository || !head) return;
    const mark = markOf(head);
    const before = await use(({ index }) => index.meta(markKey(project.id)));
    if (before === mark) return;
    const added = await this.#readSince(repository, project.id, head, before);
    if (added === undefined) return;
    const removed = await use(({ index }) =>
      index.transaction(() => {
        const gone = index.commitShas(project.id).filter((sha) => !added.reachable.has(sha));
        index.setMeta(markKey(project.id), mark);
        return index.removeCommits(project.id, gone);
      }),
    );
    if (added.stored + removed > 0)
      tell('commits read', { project: project.id, stored: added.stored, removed });
  }

  /** Stores the commits with a reason that were not read before. Undefined when git failed or the work was stopped. */
  async #readSince(
    { root }: Repository,
    project: string,
    head: string,
    before: string | undefined,
  ): Promise<{ readonly stored: number; readonly reachable: ReadonlySet<string> } | undefined> {
    const { signal } = this.#stopping;
    const at = { root, signal };
    const reachable = await listCommits(at, head, MOST_COMMITS);
    if (!reachable) return undefined;
    const known = before === undefined ? undefined : headOf(before);
    // A commit that was removed by git gives no list: then all are read again.
    const fresh = known ? await listCommits(at, head, MOST_COMMITS, known) : undefined;
    const wanted = fresh ?? reachable;
    const budget = new ReadBudget(MOST_BYTES);
    let stored = 0;
    for (let i = 0; i < wanted.length; i += AT_ONCE) {
      const read = await readCommits(at, wanted.slice(i, i + AT_ONCE), budget);
      if (!read || signal.aborted) return undefined;
      const kept = read.filter(hasReason);
      const files = await changedFiles(
        at,
        kept.map(({ sha }) => sha),
      );
      if (signal.aborted) return undefined;
      const commits = kept.map((commit): IndexedCommit => ({
        ...commit,
        project,
        ...(files.get(commit.sha) ?? NO_FILES),
      }));
      await this.#options.use(({ index }) => index.putCommits(commits));
      stored += commits.length;
    }
    return { stored, reachable: new Set(reachable) };
  }
}

/** For repositories whose refs are not in files; undefined without commits. */
async function headByGit({ root }: Repository): Promise<string | undefined> {
  const answer = await askGit({
    root,
    args: ['rev-parse', '--verify', '--quiet', 'HEAD'],
    timeoutMs: HEAD_MS,
  });
  return answer?.trim() || undefined;
}

function clear(index: MemoryIndex, project: string): number {
  return index.transaction(() => {
    index.setMeta(markKey(project), '');
    return index.removeCommits(project, index.commitShas(project));
  });
}

/** The key of the commit up to which a project was read. */
function markKey(project: string): string {
  return `commits:${project}`;
}

function markOf(head: string): string {
  return `${READING} ${head}`;
}

function headOf(mark: string): string | undefined {
  const [reading, head] = mark.split(' ');
  return reading === String(READING) ? head : undefined;
}
