/** Converts between a sync entry, a database row and a memory. Pure. */
import { EVIDENCE, given, MEMORY_KINDS, type Memory, type MemoryState } from '../../core/index.ts';
import { searchableHash } from '../../database/index.ts';
import { clockStoredAt, type Version, type WireEntry } from '../../exchange/sync/index.ts';
import { lexemesOf, type Lexemes } from './search/lexemes.ts';
import { list, number, oneOf, optionalNumber, optionalText, text, time } from './values.ts';
import type { Row } from './work.ts';

export const MEMORY_STATES: readonly MemoryState[] = ['current', 'open', 'resolved', 'superseded'];

/** All columns of a memory except the tokens. */
const ENTRY_COLUMNS = `id, project_id, kind, title, body, reason, facts, concepts, files, state, at, branch, agent,
  session, turn, messages, made_by, supersedes, superseded_by, resolved_by, evidence, seen, author_id, machine, clock, version_machine`;

/** The columns `entryOfRow` needs. */
export const READ_COLUMNS = `${ENTRY_COLUMNS}, changed_at`;

/** Returns the columns with the alias of their table. */
export function of(alias: string, columns: string): string {
  return columns
    .split(',')
    .map((name) => `${alias}.${name.trim()}`)
    .join(', ');
}

/** The columns of `columnsOf`. */
export const WRITTEN = `team_id, ${ENTRY_COLUMNS}, content_hash, tokens, token_count`;

export function memoryOfEntry(project: string, entry: WireEntry): Memory {
  const { machine: _machine, version: _version, ...rest } = entry;
  return { ...rest, project };
}

/** Returns the row of an entry as `json_populate_recordset` takes it, and its words. */
export function columnsOf(
  { team, project, author }: { readonly team: string; readonly project: string; readonly author: string },
  entry: WireEntry,
): { readonly columns: Readonly<Record<string, unknown>>; readonly terms: Lexemes['terms'] } {
  const memory = memoryOfEntry(project, entry);
  const { vector, count, terms } = lexemesOf(team, memory);
  const { provenance } = entry;
  const columns = {
    team_id: team,
    project_id: project,
    id: entry.id,
    kind: entry.kind,
    title: entry.title,
    body: entry.body,
    reason: entry.reason ?? null,
    facts: entry.facts,
    concepts: entry.concepts,
    files: entry.files,
    state: entry.state,
    at: entry.at,
    branch: entry.branch ?? null,
    agent: provenance.agent,
    session: provenance.session,
    turn: provenance.turn,
    messages: provenance.messages,
    made_by: provenance.by,
    supersedes: entry.supersedes ?? null,
    superseded_by: entry.supersededBy ?? null,
    resolved_by: entry.resolvedBy ?? null,
    evidence: entry.evidence ?? null,
    seen: entry.seen ?? null,
    author_id: author,
    machine: entry.machine,
    clock: entry.version.clock,
    version_machine: entry.version.machine,
    content_hash: searchableHash(memory),
    tokens: vector,
    token_count: count,
  };
  return { columns, terms };
}

export function entryOfRow(row: Row): WireEntry {
  return {
    id: text(row, 'id'),
    kind: oneOf(row, 'kind', MEMORY_KINDS),
    title: text(row, 'title'),
    body: text(row, 'body'),
    facts: list(row, 'facts'),
    concepts: list(row, 'concepts'),
    files: list(row, 'files'),
    state: oneOf(row, 'state', MEMORY_STATES),
    at: text(row, 'at'),
    provenance: {
      agent: text(row, 'agent'),
      session: text(row, 'session'),
      turn: text(row, 'turn'),
      messages: list(row, 'messages'),
      by: text(row, 'made_by'),
    },
    machine: text(row, 'machine'),
    version: versionOf(row),
    ...given({
      reason: optionalText(row, 'reason'),
      branch: optionalText(row, 'branch'),
      supersedes: row['supersedes'] === null ? undefined : list(row, 'supersedes'),
      supersededBy: optionalText(row, 'superseded_by'),
      resolvedBy: optionalText(row, 'resolved_by'),
      evidence: row['evidence'] === null ? undefined : oneOf(row, 'evidence', EVIDENCE),
      seen: optionalNumber(row, 'seen'),
    }),
  };
}

export function memoryOfRow(row: Row): Memory {
  return memoryOfEntry(text(row, 'project_id'), entryOfRow(row));
}

/**
 * Returns the version of a row. Older servers stored any clock, even ones that clients refuse. A clock that was out of
 * bounds when its row was stored counts as the time of storing.
 */
export function versionOf(row: Row): Version {
  const storedAt = Date.parse(time(row, 'changed_at'));
  return { clock: clockStoredAt(number(row, 'clock'), storedAt), machine: text(row, 'version_machine') };
}
