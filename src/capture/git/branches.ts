/**
 * Tells whether the work of another branch is in a work tree. Git runs in the background when HEAD has moved or a new
 * branch appears; until it is done, callers get the previous view.
 */
import { given } from '../../core/index.ts';
import type { BranchHead } from '../../database/index.ts';
import type { BranchNow } from '../../recall/index.ts';
import { askGit, type GitQuestion } from './git-process.ts';
import { headCommit } from './head.ts';
import type { Repository } from './repository.ts';

/** For each of three git commands; on a large clone and a busy machine one takes a second. */
const GIT_MS = 10_000;
/** Branches also move in other work trees and by fetching, which does not change HEAD. */
const RENEW_AFTER_MS = 5 * 60_000;
/** Commits that only other branches contain; if there are more, the rest is unknown. */
const MOST_UNMERGED = 100_000;
const TRUNKS = ['main', 'master', 'trunk'];
const COMMIT = /^[0-9a-f]{40,64}$/;

export interface BranchView {
  /** The main branch. */
  readonly trunk: string | undefined;
  /** The commit of each branch. */
  readonly tips: ReadonlyMap<string, string>;
  /** Of the commits asked for, those in HEAD or the trunk, and the others. */
  readonly merged: ReadonlySet<string>;
  readonly unmerged: ReadonlySet<string>;
}

interface CachedView {
  readonly head: string | undefined;
  readonly asked: string;
  readonly at: number;
  readonly view: BranchView;
}

export class Branches {
  readonly #views = new Map<string, CachedView>();
  readonly #renewals = new Map<string, Promise<void>>();

  /** Returns the last view at once and renews an old one in the background. */
  view(repository: Repository, known: readonly BranchHead[]): BranchView | undefined {
    void this.renew(repository, known);
    return this.#views.get(repository.gitDir)?.view;
  }

  /** Resolves when the view is up to date. */
  async renew(repository: Repository, known: readonly BranchHead[]): Promise<void> {
    const { gitDir, branch } = repository;
    const others = known.filter((one) => one.branch !== branch);
    if (others.length === 0) return;
    const head = headCommit(repository);
    const asked = JSON.stringify(others);
    const cached = this.#views.get(gitDir);
    const isFresh = cached && cached.head === head && cached.asked === asked;
    if (isFresh && Date.now() - cached.at < RENEW_AFTER_MS) return;
    const renewal = this.#renewals.get(gitDir);
    if (renewal) return renewal;
    const work = lookAtBranches(repository.root, others)
      .then((view) => {
        if (view) this.#views.set(gitDir, { head, asked, at: Date.now(), view });
      })
      .finally(() => this.#renewals.delete(gitDir));
    this.#renewals.set(gitDir, work);
    return work;
  }
}

/** `made`: the branch of a memory and the commit its turn ended on. `current`: the branch of this work tree. */
export function branchState(
  view: BranchView | undefined,
  current: string | undefined,
  made: Partial<BranchHead>,
): BranchNow {
  const { branch, head } = made;
  if (branch === undefined || branch === current) return 'here';
  if (!view) return 'unknown';
  if (branch === view.trunk) return 'here';
  const tip = view.tips.get(branch);
  // Of a deleted branch only the commit is known.
  const commit = tip ?? head;
  if (commit === undefined) return 'unknown';
  if (view.unmerged.has(commit)) return 'unmerged';
  if (!view.merged.has(commit)) return 'unknown';
  // A branch that has not moved since does not contain that work: it was never committed.
  return tip !== undefined && tip === head ? 'unmerged' : 'here';
}

async function lookAtBranches(root: string, known: readonly BranchHead[]): Promise<BranchView | undefined> {
  const ask = (args: GitQuestion['args'], input?: string) =>
    askGit({ root, args, timeoutMs: GIT_MS, ...given({ input }) });
  const listed = await ask([
    'for-each-ref',
    '--format=%(refname) %(objectname) %(symref)',
    'refs/heads',
    'refs/remotes',
  ]);
  if (listed === undefined) return undefined;
  const { tips, trunk, trunkCommits } = readRefs(listed);
  const wanted = known.flatMap(({ branch, head }) => [tips.get(branch), head]);
  const commits = [...new Set(wanted.filter((commit) => commit !== undefined && COMMIT.test(commit)))];
  if (commits.length === 0) return { trunk, tips, merged: new Set(), unmerged: new Set() };
  // A garbage-collected commit would make rev-list fail.
  const checked = await ask(['cat-file', '--batch-check'], commits.map((commit) => `${commit}\n`).join(''));
  const existing = (checked ?? '')
    .split('\n')
    .flatMap((line) => /^([0-9a-f]+) commit /.exec(line)?.[1] ?? []);
  const limits = ['HEAD', ...trunkCommits].map((commit) => `^${commit}\n`);
  const answer = await ask(
    ['rev-list', `--max-count=${MOST_UNMERGED}`, '--stdin'],
    [...existing.map((commit) => `${commit}\n`), ...limits].join(''),
  );
  if (answer === undefined) return undefined;
  const elsewhere = new Set(answer.split('\n'));
  const unmerged = new Set(existing.filter((commit) => elsewhere.has(commit)));
  const isComplete = elsewhere.size < MOST_UNMERGED;
  const merged = new Set(isComplete ? existing.filter((commit) => !elsewhere.has(commit)) : []);
  return { trunk, tips, merged, unmerged };
}

/** A local branch overrides one of the same name on a remote. */
function readRefs(listed: string): {
  readonly tips: ReadonlyMap<string, string>;
  readonly trunk: string | undefined;
  readonly trunkCommits: readonly string[];
} {
  const local = new Map<string, string>();
  const remote = new Map<string, string>();
  let named: string | undefined;
  for (const line of listed.split('\n')) {
    const [ref = '', commit = '', symbolic = ''] = line.split(' ');
    const [, kind, name = ''] = /^refs\/(heads|remotes\/[^/]+)\/(.+)$/.exec(ref) ?? [];
    if (kind === undefined) continue;
    if (ref === 'refs/remotes/origin/HEAD') named = symbolic.replace('refs/remotes/origin/', '') || undefined;
    else if (kind === 'heads') local.set(name, commit);
    else if (!remote.has(name) || kind === 'remotes/origin') remote.set(name, commit);
  }
  const trunk = named ?? TRUNKS.find((name) => local.has(name) || remote.has(name));
  const trunkCommits = [local.get(trunk ?? ''), remote.get(trunk ?? '')].filter(
    (commit) => commit !== undefined,
  );
  return { tips: new Map([...remote, ...local]), trunk, trunkCommits };
}
