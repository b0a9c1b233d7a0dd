/** Compares a snapshot with the current data: what a restore would bring back, remove and change. Changes nothing. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { revisionOf, type Memory, type MemoryKind, type Places } from '../../core/index.ts';
import { makeFolder } from '../../files/index.ts';
import type { Stores } from '../../memory/index.ts';
import { Journal } from '../../storage/journal/index.ts';
import { Snapshots, type Snapshot, type StoredFile } from '../../storage/snapshots/index.ts';
import { TurnStore } from '../../storage/turns/index.ts';

export interface PreviewedMemory {
  readonly id: string;
  readonly project: string;
  readonly kind: MemoryKind;
  readonly title: string;
}

export interface RestorePreview extends Snapshot {
  /** Memories that only the snapshot has, without forgotten ones. */
  readonly back: readonly PreviewedMemory[];
  /** Memories that only the current data has. */
  readonly lost: readonly PreviewedMemory[];
  /** Memories with another text or state in the snapshot, as they are now. */
  readonly changed: readonly PreviewedMemory[];
  readonly same: number;
  /** Memories of the snapshot that were forgotten since: they stay forgotten. */
  readonly forgotten: number;
  readonly turns: { readonly back: number; readonly lost: number };
}

export async function previewRestore(
  places: Places,
  stores: Pick<Stores, 'journal' | 'turns' | 'ledger'>,
  from: string,
  name: string,
): Promise<RestorePreview> {
  const snapshots = new Snapshots(from);
  const snapshot = await snapshots.verify(name);
  const { files } = await snapshots.read(name);
  const forgotten = { memories: new Set<string>(), turns: new Set<string>() };
  for await (const record of stores.ledger.read()) {
    if (record.kind !== 'tombstone') continue;
    const change = record.state === 'lifted' ? 'delete' : 'add';
    forgotten.memories[change](record.memory);
    forgotten.turns[change](record.turn);
  }
  // A restore empties this folder first, so a crash here leaves nothing behind.
  const folder = join(places.restoring, 'preview');
  try {
    const turnFiles = await changedTurns(places, files);
    await makeFolder(folder);
    await snapshots.extract([...files.filter(isJournal), ...turnFiles], folder);
    const then = memoriesIn(new Journal(join(folder, 'journal')));
    const now = memoriesIn(stores.journal);
    const wanted = [...then.values()].filter(({ id }) => !forgotten.memories.has(id));
    const known = wanted.filter(({ id }) => now.has(id));
    const changed = known.filter((memory) => revisionOf(memory) !== revisionOf(now.get(memory.id) ?? memory));
    return {
      ...snapshot,
      back: wanted.filter(({ id }) => !now.has(id)).map(previewed),
      lost: [...now.values()].filter(({ id }) => !then.has(id)).map(previewed),
      changed: changed.map(({ id }) => previewed(now.get(id) as Memory)), // it is known
      same: known.length - changed.length,
      forgotten: then.size - wanted.length,
      turns: await turnChanges(stores.turns, join(folder, 'turns'), turnFiles, files, forgotten.turns),
    };
  } finally {
    await rm(places.restoring, { recursive: true, force: true });
  }
}

const isJournal = ({ path }: StoredFile): boolean => path.startsWith('journal/');
const isTurns = ({ path }: StoredFile): boolean => path.startsWith('turns/');

/** The turn files of the snapshot that are not the same any more. */
async function changedTurns({ home }: Places, files: readonly StoredFile[]): Promise<readonly StoredFile[]> {
  const changed: StoredFile[] = [];
  for (const file of files.filter(isTurns)) {
    const now = await stat(join(home, file.path)).catch(() => undefined);
    if (now?.size !== file.size || now.mtimeMs !== file.mtime) changed.push(file);
  }
  return changed;
}

async function turnChanges(
  store: TurnStore,
  folder: string,
  changed: readonly StoredFile[],
  all: readonly StoredFile[],
  forgotten: ReadonlySet<string>,
): Promise<RestorePreview['turns']> {
  const unchanged = new Set(
    all.filter((file) => isTurns(file) && !changed.includes(file)).map(({ path }) => path),
  );
  const [then, now] = [new Set<string>(), new Set<string>()];
  const staged = await TurnStore.open(folder, { readOnly: true });
  for await (const { turn } of staged.scan()) if (!forgotten.has(turn.id)) then.add(turn.id);
  await staged.close();
  for (const file of await store.files())
    if (!unchanged.has(`turns/${file}`)) for await (const { turn } of store.scan({ file })) now.add(turn.id);
  const only = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
    [...one].filter((id) => !other.has(id)).length;
  return { back: only(then, now), lost: only(now, then) };
}

function memoriesIn(journal: Journal): ReadonlyMap<string, Memory> {
  const all = journal.files().flatMap(({ path }) => journal.read(path).entries);
  return new Map(all.map(({ memory }) => [memory.id, memory]));
}

function previewed({ id, project, kind, title }: Memory): PreviewedMemory {
  return { id, project, kind, title };
}
