/** The store of a team's hub, for one member: each method is one transaction that sees what the member may read. */
import { AGENT_TITLES } from '../../agents/index.ts';
import { given, VERSION } from '../../core/index.ts';
import type { TeamHubStore } from '../../http/index.ts';
import { requireOwner, requireScope } from '../access/index.ts';
import type { KeyHolder, TeamStore, Work } from '../store/index.ts';
import { edit, forget, present, settle, supersede } from './changes.ts';
import { mayWrite, memoryDetail } from './memory-detail.ts';
import {
  auditList,
  home,
  listPage,
  members,
  overview,
  projectCards,
  projectDetail,
  searchPage,
} from './reads.ts';

export interface TeamHubOptions {
  readonly store: TeamStore;
  readonly isTrial: boolean;
  readonly now: () => Date;
}

export function teamStore({ store, isTrial, now }: TeamHubOptions, holder: KeyHolder): TeamHubStore {
  const { team, member } = holder;
  const caller = { team: team.id, member: member.id };
  const read = <T>(work: (work: Work) => Promise<T>): Promise<T> => store.read(caller, holder.position, work);
  const change = async <T>(work: (work: Work) => Promise<T>): Promise<T> => {
    requireScope(holder, 'write');
    return store.transaction(caller, work);
  };

  return {
    here: async () => ({
      kind: 'team',
      version: VERSION,
      agents: AGENT_TITLES,
      team: team.name,
      member,
      mayWrite: mayWrite(holder),
      isTrial,
    }),
    overview: ({ zone }) => read((work) => overview(work, zone, now())),
    home: () => read((work) => home(work)),
    projects: () => read((work) => projectCards(work)),
    project: (id) => read((work) => projectDetail(work, id)),
    memories: (query) => read((work) => listPage(work, query)),
    memory: (id) => read((work) => memoryDetail(work, holder, id)),
    search: async (query, limit) => {
      const vector = await store.vectorOf(query);
      const options = { limit, now: now(), ...given({ vector }) };
      return read((work) => searchPage(work, store.vectors, query, options));
    },

    present: (id) => read((work) => present(work, id)),
    edit: (id, request) => change((work) => edit(work, holder, { id, ...request }, now())),
    settle: (id, request) => change((work) => settle(work, holder, { id, ...request }, now())),
    supersede: (id, request) => change((work) => supersede(work, holder, { id, ...request }, now())),
    forget: (id, request) => change((work) => forget(work, holder, { id, ...request }, now())),

    members: () => read((work) => members(work, team.name)),
    audit: async ({ before }) => {
      requireScope(holder, 'admin');
      requireOwner(holder);
      return read((work) => auditList(work, before));
    },
  };
}
