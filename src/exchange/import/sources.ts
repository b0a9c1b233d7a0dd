/**
 * Files of the client (CLAUDE.md, its notes) and folders of notes that are indexed in place. The index has their current sections, the ledger
 * only their paths. Nothing is copied into the journal or written back.
 */
import { statSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import {
  applySource,
  sourcesIn,
  writeSources,
  type KnownSource,
  type SourceRecord,
} from '../../capture/index.ts';
import { memoryId, PERSONAL_PROJECT, SOURCE_MAKER, type Evidence, type Memory } from '../../core/index.ts';
import { type Stores, isWanted } from '../../memory/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import { noteDrafts } from './_note-chunks.ts';
import { notesBelow } from './_note-files.ts';
import { readText } from './_safe-read.ts';
import { sourceDrafts } from './claude-code-memory.ts';

/** Names the origin of a note where others name their agent. */
const NOTES = 'notes';
/** Fixed, because a section must keep its id when its text or the file's time changes. */
const ID_TIME = '2020-01-01T00:00:00.000Z';

/** Returns the number of new sections. */
export async function addSource(stores: Stores, path: string, project: string): Promise<number> {
  if (!sourcesIn(stores).some((source) => source.path === path)) {
    const record: SourceRecord = { kind: 'source', at: new Date().toISOString(), path, project };
    await stores.ledger.append([record]);
    applySource(stores.index, record);
  }
  return refreshSources(stores, path);
}

/** Reads changed sources again, all or one. The sections of a deleted file disappear. */
export function refreshSources(stores: Stores, only?: string): number {
  let added = 0;
  const all = sourcesIn(stores).map((source) => {
    if (source.isFolder) {
      if (only !== undefined && source.path !== only) return source;
      const read = refreshFolder(stores, source);
      added += read.added;
      return { ...source, files: read.files };
    }
    const stamp = stampOf(source.path);
    if (source.stamp === stamp || (only !== undefined && source.path !== only)) return source;
    added += refresh(stores, source);
    return { ...source, stamp };
  });
  if (all.length > 0) writeSources(stores.index, all);
  return added;
}

/** Removes what was read from a source from the index. */
export function removeSource({ index }: Pick<Stores, 'index'>, { path, files = {} }: KnownSource): void {
  for (const file of [path, ...Object.keys(files)]) {
    const found = index.memoriesBy({ journal: `source:${file}`, limit: Number.MAX_SAFE_INTEGER });
    index.removeMemories(found.map(({ id }) => id));
  }
}

/** Reads the files of a folder that are new, changed or gone. */
function refreshFolder(
  stores: Stores,
  { path: folder, project, files: before = {} }: KnownSource,
): { readonly added: number; readonly files: Readonly<Record<string, string>> } {
  const files = Object.fromEntries(notesBelow(folder).files.map((path) => [path, stampOf(path)]));
  const changed = Object.keys({ ...before, ...files }).filter((path) => before[path] !== files[path]);
  const added = changed.reduce((sum, path) => sum + refresh(stores, { path, project, stamp: '' }, folder), 0);
  return { added, files };
}

/** `folder`: the folder of notes that the file belongs to. Its text is quoted, so that it never becomes a rule. */
function refresh({ index, journal }: Stores, { path, project }: KnownSource, folder?: string): number {
  const place = `source:${path}`;
  const file = readText(path, folder ?? dirname(path));
  const drafts = !file.ok
    ? []
    : folder === undefined
      ? sourceDrafts(path, file.text)
      : noteDrafts(relative(folder, path), file.text);
  const at = file.ok ? file.modifiedAt.toISOString() : ID_TIME;
  const memories = drafts.map((draft, i): Memory => {
    const { personal: _, ...clean } = redactDeep(draft).value;
    const ordinal = drafts.slice(0, i).filter(({ title }) => title === draft.title).length;
    return {
      ...clean,
      id: memoryId(ID_TIME, `${SOURCE_MAKER}\n${path}\n${draft.title}`, draft.kind, ordinal),
      project,
      at,
      state: clean.state ?? 'current',
      evidence: folder === undefined ? evidenceIn(path, project) : 'quoted',
      provenance: {
        agent: folder === undefined ? SOURCE_MAKER : NOTES,
        session: '',
        turn: `${SOURCE_MAKER}-${memoryId(ID_TIME, path, draft.title, ordinal)}`,
        messages: [],
        by: SOURCE_MAKER,
      },
    };
  });
  const current = memories.filter((memory) => isWanted({ index, journal } as Stores, memory));
  const before = index.memoriesBy({ journal: place, limit: Number.MAX_SAFE_INTEGER });
  const gone = before.filter(({ id }) => !current.some((memory) => memory.id === id));
  index.removeMemories(gone.map(({ id }) => id));
  return index.upsertMemories(current.map((memory) => ({ memory, journal: place }))).added;
}

/** A project's CLAUDE.md comes with the clone, so it is never a rule of the user. */
function evidenceIn(path: string, project: string): Evidence {
  if (project === PERSONAL_PROJECT) return 'said';
  return basename(dirname(path)) === 'memory' ? 'claimed' : 'quoted';
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : 'gone';
}
