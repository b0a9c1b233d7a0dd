/** Which team and which member an operator means, and acting as an owner there: bound by the same policies as everybody. */
import { TidemarkError } from '../../core/index.ts';
import {
  listMembers,
  memberById,
  teamById,
  teamIds,
  type Caller,
  type Member,
  type Team,
  type TeamStore,
  type Work,
} from '../store/index.ts';

/** Of nobody: enough to look into a team, never to change it. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

export async function teamsOf(store: TeamStore): Promise<readonly Team[]> {
  const ids = await teamIds(store);
  return Promise.all(
    ids.map((id) => store.transaction({ team: id, member: NOBODY }, teamById, { readOnly: true })),
  );
}

/** The team meant by its id or name; the only one there is if none is named. */
export async function teamMeant(store: TeamStore, wanted: string | undefined): Promise<Team> {
  const teams = await teamsOf(store);
  if (teams.length === 0) {
    throw new TidemarkError('not-found', 'this database has no team yet', {
      hint: 'Run: tidemark server init',
    });
  }
  const [team, another] =
    wanted === undefined ? teams : teams.filter(({ id, name }) => id === wanted || name === wanted);
  if (team && !another) return team;
  const listed = teams.map(({ id, name }) => `${name} (${id})`).join(', ');
  throw new TidemarkError(
    team ? 'usage' : 'not-found',
    team ? 'which team is meant?' : `there is no team "${wanted}"`,
    { hint: `Say it with --team <name or id>: ${listed}` },
  );
}

/** All of `work` as an owner of the team, or nothing. */
export async function asOwner<T>(store: TeamStore, team: Team, work: (work: Work) => Promise<T>): Promise<T> {
  return store.transaction(await ownerOf(store, team), work);
}

/** A member by id, or by a name that only one of them has. */
export async function memberMeant(work: Work, wanted: string): Promise<Member> {
  const isId = /^[0-9a-f-]{36}$/i.test(wanted);
  const byId = isId ? await memberById(work, wanted) : undefined;
  const [member, another] = byId ? [byId] : (await listMembers(work)).filter(({ name }) => name === wanted);
  if (member && !another) return member;
  throw new TidemarkError(
    member ? 'usage' : 'not-found',
    member ? `several members are called "${wanted}"` : `there is no member "${wanted}"`,
    { hint: 'See them with their ids: tidemark server member list' },
  );
}

async function ownerOf(store: TeamStore, team: Team): Promise<Caller> {
  const members = await store.transaction({ team: team.id, member: NOBODY }, (work) => listMembers(work), {
    readOnly: true,
  });
  const owner = members.find(({ role }) => role === 'owner');
  if (!owner) throw new TidemarkError('not-found', `the team ${team.name} has no owner`);
  return { team: team.id, member: owner.id };
}
