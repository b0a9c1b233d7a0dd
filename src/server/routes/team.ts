/** The caller, the members of the team and the audit log. Every member may read; only owners change members. */
import { VERSION } from '../../core/index.ts';
import {
  AuditPage,
  Me,
  MemberChange,
  MemberList,
  NewMember,
  Nothing,
  PageQuery,
  TeamMember,
} from '../../exchange/sync/index.ts';
import { requireOwner } from '../access/index.ts';
import { route } from '../http/index.ts';
import { addMember, changeMember, listAudit, listMembers, memberById, removeMember } from '../store/index.ts';
import { MemberParam } from './_params.ts';

export const team = [
  route({
    method: 'GET',
    path: '/v1/me',
    summary: 'Your name, role and team, what your key may do, and which vector search this server has.',
    scope: 'read',
    answer: Me,
    run: async ({ holder: { team: of, member, key }, store }) => ({
      team: of,
      member,
      key,
      server: { version: VERSION, vectors: store.vectors },
    }),
  }),
  route({
    method: 'GET',
    path: '/v1/members',
    summary: 'The members of your team.',
    scope: 'read',
    answer: MemberList,
    run: async ({ read }) => ({ members: await read((work) => listMembers(work)) }),
  }),
  route({
    method: 'POST',
    path: '/v1/members',
    summary: 'Add a member to the team. Owners only.',
    scope: 'admin',
    body: NewMember,
    answer: TeamMember,
    status: 201,
    refuses: [409],
    run: async ({ body, holder, change }) => {
      requireOwner(holder);
      return change(async (work, record) => {
        const member = await addMember(work, body);
        await record('member.add', member.id, { name: member.name, role: member.role });
        return member;
      });
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/members/:member',
    summary: 'Change the name or the role of a member. Owners only.',
    scope: 'admin',
    params: MemberParam,
    body: MemberChange,
    answer: TeamMember,
    refuses: [409],
    run: async ({ params, body, holder, change }) => {
      requireOwner(holder);
      return change(async (work, record) => {
        // Recorded first: an owner who becomes a reader may not record it any more.
        const before = await memberById(work, params.member);
        if (before)
          await record('member.change', before.id, { name: before.name, role: before.role, ...body });
        return changeMember(work, params.member, body);
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/members/:member',
    summary: 'Remove a member. Their keys stop working at once; what they shared stays. Owners only.',
    scope: 'admin',
    params: MemberParam,
    answer: Nothing,
    refuses: [409],
    run: async ({ params, holder, change }) => {
      requireOwner(holder);
      return change(async (work, record) => {
        await record('member.remove', params.member);
        await removeMember(work, params.member);
        return {};
      });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/audit',
    summary: 'Changes of access, shares, forgotten and withdrawn memories, newest first. Owners only.',
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
