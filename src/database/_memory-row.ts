/** A memory as a row of its table, and back. Pure. */
import type { SQLInputValue } from 'node:sqlite';
import { MEMORY_KINDS, type Memory, type MemoryState } from '../core/index.ts';
import { defined, list, oneOf, optionalNumber, optionalText, text } from './columns.ts';
import type { Row } from './connection.ts';

const FIELDS = [
  'id',
  'kind',
  'state',
  'title',
  'body',
  'reason',
  'facts',
  'concepts',
  'files',
  'project',
  'at',
  'branch',
  'agent',
  'session',
  'turn',
  'messages',
  'made_by',
  'supersedes',
  'superseded_by',
  'resolved_by',
  'seen',
  'author',
  'also',
  'journal',
  'line',
  'content_hash',
] as const;
/** Both take `memoryValues`, the second the row after them. */
export const INSERT_MEMORY = `INSERT INTO memory (${FIELDS.join(', ')}) VALUES (${FIELDS.map(() => '?').join(', ')})`;
export const UPDATE_MEMORY = `UPDATE memory SET ${FIELDS.map((name) => `${name} = ?`).join(', ')} WHERE row = ?`;

const STATES: readonly MemoryState[] = ['current', 'open', 'resolved', 'superseded'];

export function memoryValues(
  memory: Memory,
  journal: string | undefined,
  line: number | undefined,
  hash: string,
): readonly SQLInputValue[] {
  const fields = fieldsOf(memory, journal, line, hash);
  return FIELDS.map((name) => fields[name]);
}

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
    ...defined({
      reason: optionalText(row, 'reason'),
      branch: optionalText(row, 'branch'),
      supersedes: row['supersedes'] === null ? undefined : list(row, 'supersedes'),
      supersededBy: optionalText(row, 'superseded_by'),
      resolvedBy: optionalText(row, 'resolved_by'),
      seen: optionalNumber(row, 'seen'),
      author: optionalText(row, 'author'),
    }),
  };
}

function fieldsOf(
  memory: Memory,
  journal: string | undefined,
  line: number | undefined,
  hash: string,
): Readonly<Record<(typeof FIELDS)[number], SQLInputValue>> {
  const { provenance } = memory;
  return {
    id: memory.id,
    kind: memory.kind,
    state: memory.state,
    title: memory.title,
    body: memory.body,
    reason: memory.reason ?? null,
    facts: JSON.stringify(memory.facts),
    concepts: JSON.stringify(memory.concepts),
    files: JSON.stringify(memory.files),
    project: memory.project,
    at: memory.at,
    branch: memory.branch ?? null,
    agent: provenance.agent,
    session: provenance.session,
    turn: provenance.turn,
    messages: JSON.stringify(provenance.messages),
    made_by: provenance.by,
    supersedes: memory.supersedes ? JSON.stringify(memory.supersedes) : null,
    superseded_by: memory.supersededBy ?? null,
    resolved_by: memory.resolvedBy ?? null,
    seen: memory.seen ?? null,
    author: memory.author ?? null,
    also: provenance.also ? JSON.stringify(provenance.also) : null,
    journal: journal ?? null,
    line: line ?? null,
    content_hash: hash,
  };
}
