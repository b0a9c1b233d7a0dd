/** Reads the commit of a work tree, now or at an earlier time, from git's files. Starts no process, never throws. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readTextSync } from '../../files/index.ts';
import type { Repository } from './repository.ts';

const COMMIT = /^[0-9a-f]{40,64}$/;
/** A longer log of HEAD covers years and is not worth reading for one turn. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;
/** Packed refs of a large clone are megabytes; larger files take too long. */
const MAX_PACKED_BYTES = 8 * 1024 * 1024;
/** HEAD and a branch file contain one line. */
const MAX_POINTER_BYTES = 8 * 1024;
const MAX_CACHED_FILES = 64;

type GitFolders = Pick<Repository, 'gitDir' | 'commonDir'>;

/** The commit of HEAD; undefined without commits or with another ref format. */
export function headCommit({ gitDir, commonDir }: GitFolders): string | undefined {
  const head = read(join(gitDir, 'HEAD'), MAX_POINTER_BYTES)?.trim() ?? '';
  if (COMMIT.test(head)) return head;
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return undefined;
  const loose = read(join(commonDir, ref), MAX_POINTER_BYTES)?.trim() ?? '';
  return COMMIT.test(loose) ? loose : packed(commonDir, ref);
}

export interface HeadMove {
  readonly at: number;
  readonly commit: string;
  readonly isCommit: boolean;
}

/** Reads HEAD at a time and the next commit from its log; undefined where the log does not go back that far. */
export function headAround(
  { gitDir }: GitFolders,
  time: number,
): { readonly head: string; readonly next?: string } | undefined {
  const moves = headMoves(gitDir);
  const after = moves.findIndex(({ at }) => at > time);
  const head = moves[after === -1 ? moves.length - 1 : after - 1];
  if (!head) return undefined;
  const next = after === -1 ? undefined : moves[after];
  // A checkout brings other work; only a commit contains what was in the work tree.
  return { head: head.commit, ...(next?.isCommit ? { next: next.commit } : {}) };
}

/** Lines of the log: `<old> <new> <name> <mail> <seconds> <zone>\t<what>`. */
const MOVE = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}\t(commit)?/;

function headMoves(gitDir: string): readonly HeadMove[] {
  const path = join(gitDir, 'logs', 'HEAD');
  return cached(moves, path, () =>
    (read(path, MAX_LOG_BYTES) ?? '').split('\n').flatMap((line) => {
      const [, commit, seconds, what] = MOVE.exec(line) ?? [];
      return commit === undefined
        ? []
        : [{ at: Number(seconds) * 1000, commit, isCommit: what !== undefined }];
    }),
  );
}

function packed(commonDir: string, ref: string): string | undefined {
  const path = join(commonDir, 'packed-refs');
  const refs = cached(packs, path, () => {
    const lines = (read(path, MAX_PACKED_BYTES) ?? '').split('\n');
    const pairs = lines.map((line) => /^([0-9a-f]{40,64}) (.+)$/.exec(line));
    return new Map(pairs.flatMap((pair) => (pair ? [[pair[2] ?? '', pair[1] ?? '']] : [])));
  });
  return refs.get(ref);
}

interface Cached<T> {
  readonly stamp: string;
  readonly value: T;
}

const moves = new Map<string, Cached<readonly HeadMove[]>>();
const packs = new Map<string, Cached<ReadonlyMap<string, string>>>();

/** Reads a file again only after it has changed. */
function cached<T>(cache: Map<string, Cached<T>>, path: string, make: () => T): T {
  const stat = statSync(path, { throwIfNoEntry: false });
  const stamp = stat ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : '';
  const known = cache.get(path);
  if (known?.stamp === stamp) return known.value;
  const value = make();
  if (cache.size >= MAX_CACHED_FILES) cache.clear();
  cache.set(path, { stamp, value });
  return value;
}

function read(path: string, most: number): string | undefined {
  try {
    return readTextSync(path, most);
  } catch {
    return undefined;
  }
}
