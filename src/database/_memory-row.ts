/** Converts a memory to a row of its table and back. Pure. */
import type { SQLInputValue } from 'node:sqlite';
import {
  EVIDENCE,
  given,
  ID_PATTERN,
  MEMORY_KINDS,
  timeOfId,
  type Ended,
  type Memory,
  type MemoryState,
} from '../core/index.ts';
import { list, oneOf, optionalNumber, optionalText, parsed, text } from './columns.ts';
import type { Row } from './connection.ts';

/** A memory and its place in the journal: path relative to the journal's root, line counted from 1. */
export interface MemoryEntry {
  readonly memory: Memory;
  readonly journal?: string;
  readonly line?: number;
}

type Value = (entry: MemoryEntry, hash: string) => SQLInputValue;

const COLUMNS: Readonly<Record<string, Value>> = {
  id: ({ memory }) => memory.id,
  kind: ({ memory }) => memory.kind,
  state: ({ memory }) => memory.state,
  title: ({ memory }) => memory.title,
  body: ({ memory }) => memory.body,
  reason: ({ memory }) => memory.reason ?? null,
  facts: ({ memory }) => JSON.stringify(memory.facts),
  concepts: ({ memory }) => JSON.stringify(memory.concepts),
  files: ({ memory }) => JSON.stringify(memory.files),
  project: ({ memory }) => memory.project,
  at: ({ memory }) => memory.at,
  branch: ({ memory }) => memory.branch ?? null,
  agent: ({ memory }) => memory.provenance.agent,
  session: ({ memory }) => memory.provenance.session,
  turn: ({ memory }) => memory.provenance.turn,
  messages: ({ memory }) => JSON.stringify(memory.provenance.messages),
  made_by: ({ memory }) => memory.provenance.by,
  supersedes: ({ memory }) => (memory.supersedes ? JSON.stringify(memory.supersedes) : null),
  superseded_by: ({ memory }) => memory.supersededBy ?? null,
  resolved_by: ({ memory }) => memory.resolvedBy ?? null,
  ended: ({ memory }) => (memory.ended ? JSON.stringify(memory.ended) : null),
  ended_turn: ({ memory }) => memory.ended?.turn ?? null,
  over_at: ({ memory }) => overAt(memory) ?? null,
  evidence: ({ memory }) => memory.evidence ?? null,
  seen: ({ memory }) => memory.seen ?? null,
  author: ({ memory }) => memory.author ?? null,
  also: ({ memory }) => (memory.provenance.also ? JSON.stringify(memory.provenance.also) : null),
  journal: ({ journal }) => journal ?? null,
  line: ({ line }) => line ?? null,
  content_hash: (_, hash) => hash,
};
const NAMES = Object.keys(COLUMNS);
const VALUES = Object.values(COLUMNS);

/** Both statements take `memoryValues`; the second takes the row number after them. */
export const INSERT_MEMORY = `INSERT INTO memory (${NAMES.join(', ')}) VALUES (${NAMES.map(() => '?').join(', ')})`;
export const UPDATE_MEMORY = `UPDATE memory SET ${NAMES.map((name) => `${name} = ?`).join(', ')} WHERE row = ?`;

export function memoryValues(entry: MemoryEntry, hash: string): readonly SQLInputValue[] {
  return VALUES.map((value) => value(entry, hash));
}

/** The time of the turn that ended it, else of the memory that replaced or resolved it. */
function overAt({ ended, supersededBy, resolvedBy, state }: Memory): string | undefined {
  if (state !== 'superseded' && state !== 'resolved') return undefined;
  if (ended) return ended.at;
  const successor = supersededBy ?? resolvedBy;
  return successor !== undefined && ID_PATTERN.test(successor)
    ? timeOfId(successor).toISOString()
    : undefined;
}

const STATES: readonly MemoryState[] = ['current', 'open', 'resolved', 'superseded'];

export function memoryOf(row: Row): Memory {
  return {
    id: text(row, 'id'),
    kind: oneOf(row, 'kind', MEMORY_KINDS),
    state: oneOf(row, 'state', STATES),
    title: text(row, 'title'),
    body: text(row, 'body'),
    facts: list(row, 'facts'),
    concepts: list(row, 'concepts'),
    files: list(row, 'files'),
    project: text(row, 'project'),
    at: text(row, 'at'),
    provenance: {
      agent: text(row, 'agent'),
      session: text(row, 'session'),
      turn: text(row, 'turn'),
      messages: list(row, 'messages'),
      by: text(row, 'made_by'),
      ...(row['also'] === null ? {} : { also: list(row, 'also') }),
    },
    ...given({
      reason: optionalText(row, 'reason'),
      branch: optionalText(row, 'branch'),
      supersedes: row['supersedes'] === null ? undefined : list(row, 'supersedes'),
      supersededBy: optionalText(row, 'superseded_by'),
      resolvedBy: optionalText(row, 'resolved_by'),
      // Only this module writes the column.
      ended: row['ended'] === null ? undefined : (parsed(row, 'ended') as Ended),
      evidence: row['evidence'] === null ? undefined : oneOf(row, 'evidence', EVIDENCE),
      seen: optionalNumber(row, 'seen'),
      author: optionalText(row, 'author'),
    }),
  };
}
