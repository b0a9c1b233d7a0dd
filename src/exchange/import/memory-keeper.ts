/**
 * Reads the folder of Memory Keeper (`.claude/memory`) and of its successor crabshell (`.crabshell/memory`): facts, the
 * rolling memory or logbook, session files, archives, and copied transcripts.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MemoryDraft, MemoryKind } from '../../core/index.ts';
import { draftOf, draftOfNotes } from './_draft.ts';
import { sectionsIn, sessionsIn } from './_keeper-notes.ts';
import { filesIn, readOrReport, readText } from './_safe-read.ts';
import { text, texts, timeOf, type Loose } from './_values.ts';
import { factsIn } from './markdown-facts.ts';
import type { PeerFound, PeerItem, PeerProject, PeerReader, Surroundings } from './peer.ts';

const FOLDERS = [join('.claude', 'memory'), join('.crabshell', 'memory')];
const ROLLING = /^(?:memory|logbook)(?:_[\w-]+)?\.md$/;
const SESSION = /^\d{4}-\d{2}-\d{2}_\d{4}.*\.md$/;
const RAW = /\.raw\.jsonl$/;
const MONTH = /^\d{4}-\d{2}.*\.md$/;

export const memoryKeeper: PeerReader = {
  name: 'memory-keeper',
  title: 'Memory Keeper',
  find: ({ folders }: Surroundings) =>
    folders.flatMap((folder) => FOLDERS.flatMap((name) => look(join(folder, name)) ?? [])),
  look: (path) => {
    const inside = FOLDERS.map((name) => join(path, name)).find((folder) => existsSync(folder));
    return look(inside ?? path);
  },
  read,
};

function look(folder: string): PeerFound | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const { rolling, sessions, raw, archives, facts } = partsOf(folder);
  const counts = {
    ...(facts === undefined ? {} : { facts: factCount(facts, folder) }),
    notes: rolling.reduce((sum, path) => sum + noteCount(path, folder), 0),
    sessions: sessions.length,
    transcripts: raw.length,
    archives: archives.length,
  };
  const found = facts !== undefined || Object.values(counts).some((n) => n > 0);
  return found ? { name: 'memory-keeper', path: folder, counts } : undefined;
}

async function* read({ path: folder }: PeerFound): AsyncGenerator<PeerItem> {
  const dir = dirname(dirname(folder));
  const place = { dir, name: basename(dir) };
  const { rolling, sessions, raw, archives, facts } = partsOf(folder);
  const once = new Once(place);
  for (const path of raw) yield { kind: 'transcript', path };
  if (facts !== undefined) yield* once.facts(facts, folder);
  for (const path of [...sessions, ...archives]) yield* once.sessions(path, folder);
  for (const path of rolling) yield* once.rolling(path, folder);
}

function partsOf(folder: string) {
  const facts = join(folder, 'facts.json');
  const sessions = join(folder, 'sessions');
  return {
    facts: existsSync(facts) ? facts : undefined,
    rolling: filesIn(folder, ROLLING),
    sessions: filesIn(sessions, SESSION),
    raw: filesIn(sessions, RAW),
    archives: [join(sessions, 'archive'), join(folder, 'archive')].flatMap((name) => filesIn(name, MONTH)),
  };
}

/** Yields each memory once: a session's facts are also listed in facts.json. */
class Once {
  readonly #place: PeerProject;
  readonly #yielded = new Set<string>();

  constructor(place: PeerProject) {
    this.#place = place;
  }

  *facts(path: string, folder: string): Generator<PeerItem> {
    const file = yield* readOrReport(path, folder);
    if (!file) return;
    const lists = listsIn(file.text);
    if (typeof lists === 'string') return yield { kind: 'problem', file: path, reason: lists };
    for (const { kind, rows } of lists) {
      for (const [i, row] of rows.entries()) {
        const draft = factOf(kind, row);
        const at = timeOf(dayOf(text(row, 'date')), file.modifiedAt.toISOString());
        const source = text(row, 'id') || `${kind}:${i + 1}`;
        if (!draft || at === undefined)
          yield { kind: 'problem', file: path, reason: `${kind} ${source}: no content` };
        else yield* this.#memory(draft, at, source);
      }
    }
  }

  /** A session file, or a month of them. */
  *sessions(path: string, folder: string): Generator<PeerItem> {
    const file = yield* readOrReport(path, folder);
    if (!file) return;
    for (const { stamp, text: part } of sessionsIn(file.text, basename(path, '.md'))) {
      const at = timeOf(stamp, file.modifiedAt.toISOString()) ?? file.modifiedAt.toISOString();
      const { drafts } = factsIn(part);
      for (const draft of drafts) {
        const tidy = draftOf(draft);
        if (tidy) yield* this.#memory(tidy, at, basename(path));
      }
      const summary = sectionsIn(part).find(({ title }) => /^(?:session )?summary\b/i.test(title));
      const notes = summary ? draftOfNotes(summary.notes) : undefined;
      if (notes) yield* this.#memory(notes, at, basename(path));
    }
  }

  /** `## 2025-12-21_0300` and the work up to that time. */
  *rolling(path: string, folder: string): Generator<PeerItem> {
    const file = yield* readOrReport(path, folder);
    if (!file) return;
    for (const { title, line, notes, stamp } of sectionsIn(file.text)) {
      if (notes.length === 0) continue;
      const at = timeOf(stamp, file.modifiedAt.toISOString());
      const draft = draftOfNotes(notes);
      if (!draft || at === undefined)
        yield { kind: 'problem', file: path, line, reason: `no time: ${title}` };
      else yield* this.#memory(draft, at, `${basename(path)}:${line}`);
    }
  }

  *#memory(draft: MemoryDraft, at: string, source: string): Generator<PeerItem> {
    const said = `${draft.kind}\n${draft.title}`;
    if (this.#yielded.has(said)) return;
    this.#yielded.add(said);
    const place = this.#place;
    const key = `memory-keeper\n${place.dir}\n${said}\n${draft.body}`;
    yield { kind: 'memory', key, source, at, draft, agent: 'claude-code', session: '', place };
  }
}

const LISTS: readonly (readonly [string, MemoryKind])[] = [
  ['decisions', 'decision'],
  ['patterns', 'pattern'],
  ['issues', 'issue'],
];

type FactList = { readonly kind: MemoryKind; readonly rows: readonly Loose[] };

/** Returns the lists of facts.json, or the reason why there are none. */
function listsIn(json: string): readonly FactList[] | string {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
  return LISTS.map(([key, kind]) => {
    const list = (value as Loose)[key];
    const rows = Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row !== null) : [];
    return { kind, rows: rows as Loose[] }; // objects, by the filter
  });
}

function factOf(kind: MemoryKind, row: Loose): MemoryDraft | undefined {
  const type = text(row, 'type');
  return draftOf({
    kind: type === 'anti-pattern' ? 'dead_end' : kind,
    title: text(row, 'content'),
    reason: text(row, 'reason'),
    facts: [],
    concepts: [...texts(row['concepts']), ...(type === '' || type === 'other' ? [] : [type])],
    files: texts(row['files']),
    ...(text(row, 'status') === 'resolved' ? { state: 'resolved' } : {}),
  });
}

/** A day without a time becomes noon, so that it stays that day in every time zone. */
function dayOf(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T12:00:00Z` : date;
}

function factCount(path: string, folder: string): number {
  const file = readText(path, folder);
  const lists = file.ok ? listsIn(file.text) : '';
  return typeof lists === 'string' ? 0 : lists.reduce((sum, { rows }) => sum + rows.length, 0);
}

function noteCount(path: string, folder: string): number {
  const file = readText(path, folder);
  return file.ok ? sectionsIn(file.text).filter(({ notes }) => notes.length > 0).length : 0;
}
