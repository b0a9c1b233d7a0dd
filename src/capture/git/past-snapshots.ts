/**
 * Completes the file snapshots of a past session from git: for a file that was written since, the commit of that time
 * has the old content. Two git commands per session, for imports only; the rest stays unknown.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { projectFiles, type StoredTurn } from '../../core/index.ts';
import type { FileSnapshot } from '../../database/index.ts';
import { readTextSync } from '../../files/index.ts';
import { sessionTurns, type Stores } from '../../memory/index.ts';
import { filesOf, snapshotSourceOf } from './file-snapshot.ts';
import { askGit } from './git-process.ts';
import { headAround } from './head.ts';
import { findRepository, type Repository } from './repository.ts';

const GIT_MS = 10_000;
/** More files than a session is about; the rest is not worth the time. */
const MOST_ASKED = 2_000;
/** Large repositories have some tens of kilobytes. */
const ATTRIBUTES_BYTES = 1024 * 1024;
const MOST_MEMORIES = 100;

export async function completeFileSnapshots(stores: Stores, session: string, root: string): Promise<void> {
  const repository = findRepository(root, homedir());
  const last = stores.index.turnsIn(session).at(-1)?.endedAt;
  // The log of HEAD usually covers three months; older sessions are not read for this.
  if (!repository || !last || !headAround(repository, Date.parse(last))) return;
  const asked = questions(stores, await sessionTurns(stores, session), root, repository);
  if (asked.length === 0 || (await changesContent(repository))) return;
  const blobs = await blobsAt(repository, asked);
  const found = asked.flatMap((one, i) => (blobs[i] ? [{ ...one, blob: blobs[i] }] : []));
  const fileSnapshots = [...Map.groupBy(found, ({ turn }) => turn)].map(([turn, some]): FileSnapshot => {
    const files = Object.fromEntries(some.map(({ file, blob }) => [file, blob]));
    const known = stores.index.fileSnapshot(turn.id) ?? { ...snapshotSourceOf(turn), files: {} };
    return { ...known, files: { ...files, ...known.files } };
  });
  if (fileSnapshots.length === 0) return;
  await stores.ledger.append(fileSnapshots.map((footing) => ({ kind: 'footing' as const, ...footing })));
  for (const footing of fileSnapshots) stores.index.putFileSnapshot(footing);
}

interface Question {
  readonly turn: StoredTurn;
  readonly file: string;
  readonly commit: string;
  /** For a file the session edited: the commit before. The next commit has the edit if the file differs. */
  readonly before?: string;
}

function questions(
  stores: Stores,
  turns: readonly StoredTurn[],
  root: string,
  repository: Repository,
): readonly Question[] {
  const edited = new Set<string>();
  const asked = turns.flatMap((turn): readonly Question[] => {
    const changed = turn.tools.flatMap((tool) => tool.edited);
    for (const file of projectFiles(changed, turn, root)) edited.add(file);
    const around = headAround(repository, Date.parse(turn.endedAt));
    if (!around) return [];
    const memories = stores.index.memoriesBy({ turn: turn.id, limit: MOST_MEMORIES });
    const known = stores.index.fileSnapshot(turn.id)?.files ?? {};
    return filesOf(turn, memories, root).flatMap((file) => {
      const isEdited = edited.has(file);
      const commit = isEdited ? around.next : around.head;
      if (commit === undefined || known[file] !== undefined || /[\n\0]/.test(file)) return [];
      return [{ turn, file, commit, ...(isEdited ? { before: around.head } : {}) }];
    });
  });
  return asked.slice(0, MOST_ASKED);
}

/** In the order of the questions; empty where git has no blob. */
async function blobsAt({ root }: Repository, asked: readonly Question[]): Promise<readonly string[]> {
  const lines = asked.flatMap(({ commit, before, file }) => [
    `${commit}:${file}`,
    `${before ?? commit}:${file}`,
  ]);
  const input = `${lines.join('\n')}\n`;
  const answer = await askGit({ root, args: ['cat-file', '--batch-check'], input, timeoutMs: GIT_MS });
  const blobs = (answer ?? '').split('\n').map((line) => /^([0-9a-f]{40}) blob /.exec(line)?.[1] ?? '');
  return asked.map(({ before }, i) => {
    const [blob = '', earlier] = blobs.slice(2 * i, 2 * i + 2);
    return before !== undefined && blob === earlier ? '' : blob;
  });
}

/** Whether git changes files on checkout (line ends, filters): then its hashes do not match the work tree. */
async function changesContent({ root }: Repository): Promise<boolean> {
  const autocrlf = await askGit({ root, args: ['config', '--get', 'core.autocrlf'], timeoutMs: GIT_MS });
  if (autocrlf !== undefined && autocrlf.trim() !== 'false') return true;
  try {
    const attributes = readTextSync(join(root, '.gitattributes'), ATTRIBUTES_BYTES);
    return /\b(?:text|eol|filter|ident|working-tree-encoding)\b/.test(attributes);
  } catch (error) {
    // An unreadable file may contain any attribute.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
