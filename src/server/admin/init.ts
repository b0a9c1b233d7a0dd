/** The first start on a new database: schema, first team, its owner and a key that is shown once. Harmless to repeat. */
import type { MadeKey } from '../../exchange/sync/index.ts';
import {
  createTeam,
  newestMigration,
  recordAudit,
  type Caller,
  type TeamStore,
  type VectorMode,
} from '../store/index.ts';
import { teamsOf } from './_meant.ts';
import { issueKey } from './keys.ts';

export interface Initialised {
  readonly vectors: VectorMode;
  /** At which migration the database was, and is; 0 where there was nothing of ours. */
  readonly schema: { readonly from: number; readonly to: number };
  /** Teams that were there already; then nothing was made. */
  readonly teams: readonly string[];
  readonly made?: NewTeam;
}

export interface NewTeam {
  readonly team: { readonly id: string; readonly name: string };
  readonly owner: { readonly id: string; readonly name: string };
  readonly key: MadeKey;
}

export async function initialise(
  store: TeamStore,
  { team, owner }: { readonly team: string; readonly owner: string },
  before: number,
): Promise<Initialised> {
  const teams = await teamsOf(store);
  const facts = { vectors: store.vectors, schema: { from: before, to: newestMigration() } };
  if (teams.length > 0) return { ...facts, teams: teams.map(({ name }) => name) };
  return { ...facts, teams: [], made: await makeTeam(store, { team, owner }) };
}

export async function makeTeam(
  store: TeamStore,
  { team, owner }: { readonly team: string; readonly owner: string },
): Promise<NewTeam> {
  const caller: Caller = await createTeam(store, { name: team, owner });
  const key = await store.transaction(caller, async (work) => {
    await recordAudit(work, { action: 'team.create', object: caller.team, detail: { name: team, owner } });
    const scopes = ['read', 'write', 'admin'] as const;
    return issueKey(work, { member: caller.member, name: 'first key', scopes });
  });
  return { team: { id: caller.team, name: team }, owner: { id: caller.member, name: owner }, key };
}
