/** The caller, the members of the team and the audit log. Every member may read; only owners change members. */
import { TidemarkError, VERSION } from '../../core/index.ts';
import {
  AuditPage,
  Me,
  MemberChange,
  MemberList,
  NewMember,
  PageQuery,
  Removal,
  Removed,
  TeamMember,
  TeamSettings,
} from '../../exchange/sync/index.ts';
import { requireOwner } from '../access/index.ts';
import { changeSettings, eraseNext, offboard, settingsOf } from '../admin/index.ts';
import { route } from '../http/index.ts';
import { addMember, changeMember, listAudit, listMembers, memberById } from '../store/index.ts';
import { MemberParam } from './_params.ts';

/** 500 memories each: a few seconds, less than a client waits. */
const MOST_BATCHES = 20;

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
    summary:
      'Remove a member. Their keys stop working at once; what they shared stays, unless erase=true. Owners only.',
    scope: 'admin',
    params: MemberParam,
    query: Removal,
    answer: Removed,
    refuses: [409],
    run: async ({ params: { member }, query, holder, change }) => {
      requireOwner(holder);
      if (query.erase && member === holder.member.id)
        throw new TidemarkError('invalid', 'you cannot erase your own memories while you leave', {
          hint: 'Another owner removes you with erase=true.',
        });
      const { handedOver } = await change((work, record) => offboard(work, member, query, record));
      let [erased, more] = [0, query.erase === 'true'];
      for (let batch = 0; more && batch < MOST_BATCHES; batch++) {
        const { memories, isDone } = await change((work, record) => eraseNext(work, member, record));
        erased += memories;
        more = !isDone;
      }
      return { handedOver, erased, more };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/team/settings',
    summary: 'The settings that your team makes stricter on the machines of its members.',
    scope: 'read',
    answer: TeamSettings,
    run: async ({ read }) => ({ settings: { ...(await read(settingsOf)) } }),
  }),
  route({
    method: 'PUT',
    path: '/v1/team/settings',
    summary: 'Change settings of the team; null removes one. Owners only.',
    scope: 'admin',
    body: TeamSettings,
    answer: TeamSettings,
    run: async ({ body, holder, change }) => {
      requireOwner(holder);
      return { settings: await change((work, record) => changeSettings(work, body.settings, record)) };
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
