/** Who is in the team. Anyone in it may look; owners change it. */
import { MemberChange, MemberList, NewMember, Nothing, TeamMember } from '../../exchange/sync/index.ts';
import { requireOwner } from '../access/index.ts';
import { route } from '../http/index.ts';
import { addMember, changeMember, listMembers, recordAudit, removeMember } from '../store/index.ts';
import { MemberParam } from './_params.ts';

export const members = [
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
    summary: 'Take somebody into the team. Owners.',
    scope: 'admin',
    body: NewMember,
    answer: TeamMember,
    status: 201,
    run: async ({ body, holder, change }) => {
      requireOwner(holder);
      return change(async (work) => {
        const member = await addMember(work, body);
        await recordAudit(work, {
          action: 'member.add',
          object: member.id,
          key: holder.key.id,
          detail: { name: member.name, role: member.role },
        });
        return member;
      });
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/members/:member',
    summary: 'Change the name or the role of a member. Owners.',
    scope: 'admin',
    params: MemberParam,
    body: MemberChange,
    answer: TeamMember,
    refuses: [409],
    run: async ({ params, body, holder, change }) => {
      requireOwner(holder);
      return change(async (work) => {
        const member = await changeMember(work, params.member, body);
        await recordAudit(work, {
          action: 'member.change',
          object: member.id,
          key: holder.key.id,
          detail: { name: member.name, role: member.role },
        });
        return member;
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/members/:member',
    summary: 'Take somebody out of the team: their keys stop at once, what they shared stays. Owners.',
    scope: 'admin',
    params: MemberParam,
    answer: Nothing,
    refuses: [409],
    run: async ({ params, holder, change }) => {
      requireOwner(holder);
      return change(async (work) => {
        await removeMember(work, params.member);
        await recordAudit(work, { action: 'member.remove', object: params.member, key: holder.key.id });
        return {};
      });
    },
  }),
];
