/** The daemon's reads for `export`: projects, their journal entries, and turns by session. Changes nothing. */
import { given, type Places, type StoredTurn } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { Journal, type SessionHead } from '../../storage/journal/index.ts';
import { byTime, portableKeys, type ExportRecord } from './export-record.ts';

export interface ExportHead {
  readonly projects: readonly Extract<ExportRecord, { record: 'project' }>[];
  readonly forgotten: readonly Extract<ExportRecord, { record: 'forgotten' }>[];
}

export interface ExportedProject {
  readonly sessions: readonly Extract<ExportRecord, { record: 'session' }>[];
  readonly memories: readonly Extract<ExportRecord, { record: 'memory' }>[];
}

interface ExportReadsOptions {
  readonly places: Places;
  readonly index: () => MemoryIndex;
  readonly turns: (session: string) => Promise<readonly StoredTurn[]>;
}

export function exportReads({ places, index, turns }: ExportReadsOptions) {
  return {
    'read.export': (): ExportHead => head(index(), new Journal(places.journal)),
    'read.export.project': ({ project }: { project: string }) =>
      projectOf(new Journal(places.journal), index(), project),
    'read.export.sessions': ({ project }: { project: string }) =>
      index()
        .sessions({ project, limit: Number.MAX_SAFE_INTEGER })
        .map(({ id }) => id)
        .toSorted(),
    'read.export.turns': async ({ session }: { session: string }) =>
      (await turns(session)).map((turn) => turnRecord(index(), turn)),
  };
}

function head(index: MemoryIndex, journal: Journal): ExportHead {
  const known = new Map(index.projects().map((project) => [project.id, project]));
  // Memories that came with git may be of a project that had no session on this machine.
  const ids = [...new Set([...known.keys(), ...journal.files().map(({ project }) => project)])].toSorted();
  const projects = ids.map((id) => {
    const { name = id, keys = [] } = known.get(id) ?? {};
    return { record: 'project' as const, id, name, keys: portableKeys({ keys }) };
  });
  const forgotten = (['hidden', 'erased'] as const)
    .flatMap((state) => index.tombstones(state))
    .map(({ at, memory, turn, hash, project }) => ({
      record: 'forgotten' as const,
      at,
      memory,
      turn,
      hash,
      ...given({ project }),
    }))
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.memory.localeCompare(b.memory));
  return { projects, forgotten };
}

/** Reads the journal, which is the truth; only the branch of a session is not in it. */
function projectOf(journal: Journal, index: MemoryIndex, project: string): ExportedProject {
  const days = journal
    .files()
    .filter((file) => file.project === project)
    .map(({ path }) => journal.read(path));
  const memories = days.flatMap(({ entries }) => entries.map(({ memory }) => memory)).toSorted(byTime);
  const hands = journal.userChanges(memories.map(({ id }) => id));
  return {
    sessions: sessionsOf(days.flatMap((day) => day.sessions)).map((session) => ({
      record: 'session' as const,
      ...session,
      project,
      ...given({ branch: index.session(session.id)?.branch }),
    })),
    memories: memories.map((memory) => ({
      record: 'memory' as const,
      memory,
      ...(hands.get(memory.id)?.edited ? { edited: true as const } : {}),
      ...(hands.get(memory.id)?.held ? { held: true as const } : {}),
    })),
  };
}

/** A session of several days has a heading on each day; the one with the summary is used. */
function sessionsOf(heads: readonly SessionHead[]): readonly SessionHead[] {
  const sessions = new Map<string, SessionHead>();
  for (const one of heads) if (!sessions.get(one.id)?.summary) sessions.set(one.id, one);
  return [...sessions.values()].toSorted(
    (a, b) => a.startedAt.localeCompare(b.startedAt) || a.id.localeCompare(b.id),
  );
}

function turnRecord(index: MemoryIndex, turn: StoredTurn): ExportRecord {
  const by = index.distilledBy(turn.id);
  return { record: 'turn', turn: { ...turn }, ...given({ by }) };
}
