/** Who is in the team, what is shared with whom, the keys one may know of, and for owners what happened. Only reads. */
import { given } from '../../core/index.ts';
import type { AuditList, Members } from '../../http/index.ts';
import { allShares, listAudit, listKeys, listMembers, type Work } from '../store/index.ts';

const AUDIT_ROWS = 50;

export async function members(work: Work, team: string): Promise<Members> {
  const everybody = await listMembers(work, { removed: true });
  return {
    team,
    members: everybody.filter(({ removedAt }) => removedAt === undefined),
    former: everybody
      .filter(({ removedAt }) => removedAt !== undefined)
      .map(({ id, name }) => ({ id, name })),
    keys: await listKeys(work),
    projects: await allShares(work),
  };
}

export async function auditList(work: Work, before: string | undefined): Promise<AuditList> {
  const { items, cursor = null } = await listAudit(work, {
    limit: AUDIT_ROWS,
    ...given({ cursor: before }),
  });
  return { entries: items, next: cursor };
}
