/**
 * What an operator does on the database itself, without a key: as an owner of the team, audited like all else, with no key
 * named. Everything is one transaction.
 */
import { TidemarkError } from '../../core/index.ts';
import type { MadeKey, TeamKey, TeamMember } from '../../exchange/sync/index.ts';
import {
  addMember,
  changeMember,
  listKeys,
  listMembers,
  newestMigration,
  recordAudit,
  removeMember,
  type Role,
  type Scope,
  type Team,
  type TeamStore,
} from '../store/index.ts';
import { asOwner, memberMeant, teamMeant, teamsOf } from './_meant.ts';
import { initialise, makeTeam, type Initialised, type NewTeam } from './init.ts';
import { issueKey, withdrawKey } from './keys.ts';

/** A team by name or id; none needs to be named where there is only one. */
export interface InTeam {
  readonly team?: string | undefined;
}

export class Operator {
  readonly #store: TeamStore;
  readonly #before: number;

  /** `before`: at which migration the database was when it was opened. */
  constructor(store: TeamStore, before = newestMigration()) {
    this.#store = store;
    this.#before = before;
  }

  init(wanted: { readonly team: string; readonly owner: string }): Promise<Initialised> {
    return initialise(this.#store, wanted, this.#before);
  }

  teams(): Promise<readonly Team[]> {
    return teamsOf(this.#store);
  }

  createTeam(wanted: { readonly team: string; readonly owner: string }): Promise<NewTeam> {
    return makeTeam(this.#store, wanted);
  }

  async members({ team }: InTeam): Promise<readonly TeamMember[]> {
    return this.#in(team, (work) => listMembers(work));
  }

  async addMember({
    team,
    name,
    role,
  }: InTeam & { readonly name: string; readonly role: Role }): Promise<TeamMember> {
    return this.#in(team, async (work) => {
      const member = await addMember(work, { name, role });
      await recordAudit(work, { action: 'member.add', object: member.id, detail: { name, role } });
      return member;
    });
  }

  /** `who`: a name that only one has, or an id. */
  async setRole({
    team,
    who,
    role,
  }: InTeam & { readonly who: string; readonly role: Role }): Promise<TeamMember> {
    return this.#in(team, async (work) => {
      const { id } = await memberMeant(work, who);
      const member = await changeMember(work, id, { role });
      await recordAudit(work, { action: 'member.change', object: id, detail: { role } });
      return member;
    });
  }

  async removeMember({ team, who }: InTeam & { readonly who: string }): Promise<TeamMember> {
    return this.#in(team, async (work) => {
      const member = await memberMeant(work, who);
      await removeMember(work, member.id);
      await recordAudit(work, { action: 'member.remove', object: member.id });
      return member;
    });
  }

  async keys({ team }: InTeam): Promise<readonly TeamKey[]> {
    return this.#in(team, (work) => listKeys(work));
  }

  async createKey(
    wanted: InTeam & {
      readonly who: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly expiresAt?: string;
    },
  ): Promise<MadeKey> {
    const { team, who, ...key } = wanted;
    return this.#in(team, async (work) => {
      const { id } = await memberMeant(work, who);
      return issueKey(work, { ...key, member: id });
    });
  }

  async revokeKey({ team, id }: InTeam & { readonly id: string }): Promise<void> {
    await this.#in(team, async (work) => {
      const known = (await listKeys(work)).some((key) => key.id === id);
      if (!known)
        throw new TidemarkError('not-found', `there is no key ${id}`, {
          hint: 'See them with their ids: tidemark server key list',
        });
      await withdrawKey(work, id);
    });
  }

  async #in<T>(team: string | undefined, work: Parameters<typeof asOwner<T>>[2]): Promise<T> {
    return asOwner(this.#store, await teamMeant(this.#store, team), work);
  }
}
