/** Who did what, when, with which key. Written in the same transaction as what it tells of; read by owners only. */
import { given } from '../../core/index.ts';
import { strangeCursor } from './errors.ts';
import { json, number, optionalText, text, time } from './values.ts';
import type { Page, Work } from './work.ts';

export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly member?: string;
  readonly key?: string;
  /** `member.add`, `key.revoke`, `project.share` … */
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
  await work.run(
    `INSERT INTO tidemark.audit (team_id, member_id, key_id, action, object, detail) VALUES ($1, $2, $3, $4, $5, $6)`,
    [work.team, work.member, entry.key ?? null, entry.action, entry.object ?? '', json(entry.detail ?? {})],
  );
}

/** Newest first. */
export async function listAudit(
  work: Work,
  { cursor, limit = DEFAULT_LIMIT }: { readonly cursor?: string; readonly limit?: number } = {},
): Promise<Page<AuditEntry>> {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw strangeCursor();
  const rows = await work.rows(
    `SELECT * FROM tidemark.audit WHERE team_id = $1 AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [work.team, cursor ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map((row): AuditEntry => {
    const member = optionalText(row, 'member_id');
    const key = optionalText(row, 'key_id');
    return {
      id: number(row, 'id'),
      at: time(row, 'at'),
      ...given({ member, key }),
      action: text(row, 'action'),
      object: text(row, 'object'),
      // The column holds what recordAudit wrote there: an object.
      detail: row['detail'] as Readonly<Record<string, unknown>>,
    };
  });
  const last = items.at(-1);
  return rows.length > limit && last ? { items, cursor: String(last.id) } : { items };
}
