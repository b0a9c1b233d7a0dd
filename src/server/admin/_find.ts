/** Finds the team and the member that an operator names, and runs work there as an owner, under the same policies. */
import { TidemarkError } from '../../core/index.ts';
import {
  listMembers,
  memberById,
  teamById,
  teamIds,
  type Member,
  type Team,
  type TeamStore,
  type Work,
} from '../store/index.ts';

/** The id of no member: can read the team's name and members, and change nothing. */
const NO_MEMBER = '00000000-0000-0000-0000-000000000000';

export async function allTeams(store: TeamStore): Promise<readonly Team[]> {
  const ids = await teamIds(store);
  return Promise.all(
    ids.map((id) => store.transaction({ team: id, member: NO_MEMBER }, teamById, { readOnly: true })),
  );
}

/** Returns the team with this id or name, or the only team if none is named. */
export async function findTeam(store: TeamStore, wanted: string | undefined): Promise<Team> {
  const teams = await allTeams(store);
  if (teams.length === 0) {
    throw new TidemarkError('not-found', 'this database has no team yet', {
      hint: 'Run: tidemark server init, or for a trial: tidemark server start --dev',
    });
  }
  const [team, another] =
    wanted === undefined ? teams : teams.filter(({ id, name }) => id === wanted || name === wanted);
  if (team && !another) return team;
  const listed = teams.map(({ id, name }) => `${name} (${id})`).join(', ');
  throw new TidemarkError(
    team ? 'usage' : 'not-found',
    team ? 'the database has several teams' : `there is no team "${wanted}"`,
    { hint: `Choose one with --team <name or id>: ${listed}` },
  );
}

/** Runs `work` in one transaction as an owner of the team. */
export async function asOwner<T>(store: TeamStore, team: Team, work: (work: Work) => Promise<T>): Promise<T> {
  const members = await store.transaction({ team: team.id, member: NO_MEMBER }, (one) => listMembers(one), {
    readOnly: true,
  });
  const owner = members.find(({ role }) => role === 'owner');
  if (!owner) throw new TidemarkError('not-found', `the team ${team.name} has no owner`);
  return store.transaction({ team: team.id, member: owner.id }, work);
}

/**
 * Returns the member with this id, or with this name if only one member has it. `removed`: also one who was removed, if no
 * current member has the name.
 */
export async function findMember(
  work: Work,
  wanted: string,
  { removed = false }: { readonly removed?: boolean } = {},
): Promise<Member> {
  const isId = /^[0-9a-f-]{36}$/i.test(wanted);
  const byId = isId ? await memberById(work, wanted) : undefined;
  const named = byId ? [byId] : (await listMembers(work, { removed })).filter(({ name }) => name === wanted);
  const current = named.filter(({ removedAt }) => removedAt === undefined);
  const [member, another] = current.length > 0 ? current : named;
  if (member && !another) return member;
  const ids = named.map(({ id }) => id).join(', ');
  throw new TidemarkError(
    member ? 'usage' : 'not-found',
    member ? `several members are called "${wanted}"` : `there is no member "${wanted}"`,
    { hint: member ? `Give the id: ${ids}` : 'List them with their ids: tidemark server member list' },
  );
}
