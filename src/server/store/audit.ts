/** The audit log: member, key, action and time. An entry is written in the transaction of its action; only owners read it. */
import { given } from '../../core/index.ts';
import { invalidCursor } from './errors.ts';
import { json, number, optionalText, pageOf, text, time } from './values.ts';
import type { Page, Row, Work } from './work.ts';

interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly member?: string;
  readonly key?: string;
  /** For example `member.add`, `key.revoke`, `project.create`. */
  readonly action: string;
  readonly object: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const DEFAULT_LIMIT = 100;

export async function recordAudit(
  work: Work,
  entry: {
    readonly action: string;
    readonly object?: string;
    readonly key?: string;
    readonly detail?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await work.run('SELECT tidemark.record_audit($1, $2, $3, $4)', [
    entry.key ?? null,
    entry.action,
    entry.object ?? '',
    json(entry.detail ?? {}),
  ]);
}

/** Records an action of the current transaction. */
export type RecordAction = (action: string, object: string, detail?: AuditEntry['detail']) => Promise<void>;

/** `key`: the id of the caller's key; left out for an operator. */
export function auditLog(work: Work, key?: string): RecordAction {
  return (action, object, detail) => recordAudit(work, { action, object, ...given({ key, detail }) });
}

/** Returns the newest entries first. */
export async function listAudit(
  work: Work,
  { cursor, limit = DEFAULT_LIMIT }: { readonly cursor?: string; readonly limit?: number } = {},
): Promise<Page<AuditEntry>> {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidCursor();
  const rows = await work.rows(
    'SELECT * FROM tidemark.audit WHERE team_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3',
    [work.team, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
  );
  const entryOf = (row: Row): AuditEntry => ({
    id: number(row, 'id'),
    at: time(row, 'at'),
    ...given({ member: optionalText(row, 'member_id'), key: optionalText(row, 'key_id') }),
    action: text(row, 'action'),
    object: text(row, 'object'),
    // recordAudit writes an object into this column.
    detail: row['detail'] as AuditEntry['detail'],
  });
  return pageOf(rows.map(entryOf), limit, ({ id }) => String(id));
}
