/** Who changed what about access, and what was forgotten or withdrawn. For owners. */
import { AuditPage, PageQuery } from '../../exchange/sync/index.ts';
import { requireOwner } from '../access/index.ts';
import { route } from '../http/index.ts';
import { listAudit } from '../store/index.ts';

export const audit = [
  route({
    method: 'GET',
    path: '/v1/audit',
    summary: 'Changes of access, shares, forgets and withdrawals, newest first. Owners.',
    scope: 'admin',
    query: PageQuery,
    answer: AuditPage,
    run: async ({ query, holder, read }) => {
      requireOwner(holder);
      const { items, cursor = null } = await read((work) => listAudit(work, query));
      return { entries: items, cursor };
    },
  }),
];
