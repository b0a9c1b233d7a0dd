/**
 * Records of Tidemark's own export, one JSON object per line: everything needed to rebuild the memory elsewhere, and
 * nothing of the machine. The fields are documented in docs/export.md.
 */
import * as v from 'valibot';
import { AGENTS, EVIDENCE, ID_PATTERN, MEMORY_KINDS, type Memory, type Project } from '../../core/index.ts';

export const EXPORT_FORMAT = 1;

const text = v.string();
const texts = v.pipe(v.array(text), v.readonly());
const maybe = v.exactOptional(text);
const folder = v.pipe(text, v.regex(/^[^./\\\0][^/\\\0]*$/, 'not the name of a project'));
const time = v.pipe(text, v.isoTimestamp());
const agent = v.picklist(AGENTS);

const summary = v.object({
  request: text,
  investigated: text,
  learned: text,
  completed: text,
  next_steps: text,
  files_read: text,
  files_edited: text,
  notes: text,
});

const memory = v.object({
  id: v.pipe(text, v.regex(ID_PATTERN, 'not an id')),
  project: folder,
  at: time,
  kind: v.picklist(MEMORY_KINDS),
  title: text,
  body: text,
  reason: maybe,
  facts: texts,
  concepts: texts,
  files: texts,
  state: v.picklist(['current', 'open', 'resolved', 'superseded']),
  branch: maybe,
  supersedes: v.exactOptional(texts),
  supersededBy: maybe,
  resolvedBy: maybe,
  ended: v.exactOptional(v.object({ at: time, turn: text, maker: text, by: maybe })),
  evidence: v.exactOptional(v.picklist(EVIDENCE)),
  seen: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  author: maybe,
  provenance: v.object({
    agent: text,
    session: text,
    turn: text,
    messages: texts,
    by: text,
    also: v.exactOptional(texts),
  }),
});

const RECORDS = v.variant('record', [
  v.object({ record: v.literal('tidemark-export'), format: v.literal(EXPORT_FORMAT) }),
  v.object({ record: v.literal('project'), id: folder, name: text, keys: texts }),
  v.object({
    record: v.literal('session'),
    project: folder,
    id: text,
    agent: text,
    startedAt: time,
    title: text,
    branch: maybe,
    status: v.exactOptional(v.picklist(['active', 'completed', 'interrupted', 'failed'])),
    summary: v.exactOptional(summary),
  }),
  /** `edited`: the user wrote or changed its text; `held`: the user set its state. */
  v.object({
    record: v.literal('memory'),
    memory,
    edited: v.exactOptional(v.literal(true)),
    held: v.exactOptional(v.literal(true)),
  }),
  /** The complete redacted turn, and its distiller. */
  v.object({
    record: v.literal('turn'),
    by: maybe,
    turn: v.looseObject({ id: text, session: text, project: folder, agent, startedAt: time, endedAt: time }),
  }),
  /** A forgotten memory, without its text. */
  v.object({
    record: v.literal('forgotten'),
    at: time,
    memory: text,
    turn: text,
    hash: text,
    project: v.exactOptional(folder),
  }),
]);

export type ExportRecord = v.InferOutput<typeof RECORDS>;

type RecordRead =
  | { readonly ok: true; readonly record: ExportRecord }
  | { readonly ok: false; readonly reason: string };

export function readRecord(line: string): RecordRead {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, reason: 'not JSON' };
  }
  const { record, format } = Object(value) as { record?: unknown; format?: unknown };
  if (record === 'tidemark-export' && typeof format === 'number' && format > EXPORT_FORMAT)
    return { ok: false, reason: `made by a newer Tidemark (format ${format}): update this one first` };
  const parsed = v.safeParse(RECORDS, value);
  if (parsed.success) return { ok: true, record: parsed.output };
  const [issue] = parsed.issues;
  return { ok: false, reason: `${v.getDotPath(issue) ?? 'record'}: ${issue.message}` };
}

/** Returns the same bytes for the same content: fields are sorted by name. */
export function writeRecord(record: ExportRecord): string {
  return `${JSON.stringify(sorted(record))}\n`;
}

/** Leaves out keys that name a place on this machine. */
export function portableKeys({ keys }: Pick<Project, 'keys'>): readonly string[] {
  return keys.filter((key) => !/^(?:path|inode|git):/.test(key)).toSorted();
}

export function byTime(a: Memory, b: Memory): number {
  return a.at.localeCompare(b.at) || a.id.localeCompare(b.id);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
