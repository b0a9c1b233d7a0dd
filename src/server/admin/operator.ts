/**
 * The operator's commands, run on the database without a key: as an owner of the team, in one transaction each, audited
 * like requests but without a key id.
 */
import type { TeamValues } from '../../config/index.ts';
import { TidemarkError } from '../../core/index.ts';
import type { MadeKey, TeamKey, TeamMember } from '../../exchange/sync/index.ts';
import { scopesOfRole } from '../access/index.ts';
import {
  addMember,
  auditLog,
  changeMember,
  createTeam,
  listKeys,
  listMembers,
  newestMigration,
  type RecordAction,
  type Role,
  type Team,
  type TeamStore,
  type VectorMode,
  type Work,
} from '../store/index.ts';
import { allTeams, asOwner, findMember, findTeam } from './_find.ts';
import { issueKey, withdrawKey, type WantedKey } from './keys.ts';
import {
  eraseNext,
  exportPage,
  leavingMember,
  offboard,
  type Erasing,
  type Leaving,
  type Left,
  type MemberExport,
} from './offboarding.ts';
import { KEPT_DAYS } from './pruning.ts';
import { statusOf, type Rows, type Status } from './status.ts';
import { changeSettings, previewRetention, settingsOf, type Aged } from './team-settings.ts';

/** A team by name or id; can be left out if the database has only one. */
interface InTeam {
  readonly team?: string | undefined;
}

/** A member by id, or by a name that only one member has. */
interface InTeamWho extends InTeam {
  readonly who: string;
}

export interface NewTeam {
  readonly team: { readonly id: string; readonly name: string };
  readonly owner: { readonly id: string; readonly name: string };
  readonly key: MadeKey;
}

export interface Initialised {
  readonly vectors: VectorMode;
  /** The migration number before and after; 0 for an empty database. */
  readonly schema: { readonly from: number; readonly to: number };
  /** Names of the existing teams; if there are any, no team is created. */
  readonly teams: readonly string[];
  readonly made?: NewTeam;
}

/** Runs statements of the status with the rights of the login, which sees the addresses of other connections. */
type Inspect = <T>(work: (rows: Rows) => Promise<T>) => Promise<T>;

interface OperatorOptions {
  /** The migration number of the database before it was opened. */
  readonly before?: number;
  /** The server's own transactions without it: those of a trial. */
  readonly inspect?: Inspect;
}

export class Operator {
  readonly #store: TeamStore;
  readonly #before: number;
  readonly #inspect: Inspect;

  constructor(store: TeamStore, { before = newestMigration(), inspect }: OperatorOptions = {}) {
    this.#store = store;
    this.#before = before;
    this.#inspect = inspect ?? ((work) => store.outside(({ rows }) => work(rows)));
  }

  /** Figures of the whole database. */
  status({ keptDays = KEPT_DAYS }: { readonly keptDays?: number } = {}): Promise<Status> {
    return this.#inspect((rows) => statusOf(rows, this.#store, { keptDays, now: new Date() }));
  }

  /** Creates the first team, its owner and a key, unless the database already has a team. */
  async init(wanted: { readonly team: string; readonly owner: string }): Promise<Initialised> {
    const teams = await this.teams();
    const facts = {
      vectors: this.#store.vectors,
      schema: { from: this.#before, to: newestMigration() },
      teams: teams.map(({ name }) => name),
    };
    return teams.length > 0 ? facts : { ...facts, made: await this.createTeam(wanted) };
  }

  teams(): Promise<readonly Team[]> {
    return allTeams(this.#store);
  }

  async createTeam({ team, owner }: { readonly team: string; readonly owner: string }): Promise<NewTeam> {
    const caller = await createTeam(this.#store, { name: team, owner });
    const key = await this.#store.transaction(caller, async (work) => {
      const record = auditLog(work);
      await record('team.create', caller.team, { name: team, owner });
      const scopes = ['read', 'write', 'admin'] as const;
      return issueKey(work, { member: caller.member, name: 'first key', scopes }, record);
    });
    return { team: { id: caller.team, name: team }, owner: { id: caller.member, name: owner }, key };
  }

  members({ team }: InTeam): Promise<readonly TeamMember[]> {
    return this.#in(team, (work) => listMembers(work));
  }

  addMember({
    team,
    name,
    role,
  }: InTeam & { readonly name: string; readonly role: Role }): Promise<TeamMember> {
    return this.#in(team, async (work, record) => {
      const member = await addMember(work, { name, role });
      await record('member.add', member.id, { name, role });
      return member;
    });
  }

  setRole({ team, who, role }: InTeamWho & { readonly role: Role }): Promise<TeamMember> {
    return this.#in(team, async (work, record) => {
      const { id } = await findMember(work, who);
      // Recorded first: the operator acts as an owner, who may be the one that changes.
      await record('member.change', id, { role });
      return changeMember(work, id, { role });
    });
  }

  /** Returns what a member has. Also of a removed member, whose memories may remain. */
  memberHoldings({ team, who }: InTeamWho): Promise<Leaving> {
    return this.#in(team, async (work) =>
      leavingMember(work, await findMember(work, who, { removed: true })),
    );
  }

  removeMember({ team, who, handOver }: InTeamWho & { readonly handOver?: string }): Promise<Left> {
    return this.#in(team, async (work, record) => {
      const { id } = await findMember(work, who, { removed: true });
      const to = handOver === undefined ? undefined : (await findMember(work, handOver)).id;
      return offboard(work, id, { handOver: to }, record);
    });
  }

  /** Forgets the next batch of a removed member's memories; repeat it until it is done. */
  eraseMember({ team, who }: InTeamWho): Promise<Erasing> {
    return this.#in(team, async (work, record) =>
      eraseNext(work, (await findMember(work, who, { removed: true })).id, record),
    );
  }

  /** Returns one page of a member's memories as records of Tidemark's export. */
  exportMember({
    team,
    who,
    from,
  }: InTeamWho & { readonly from?: MemberExport['next'] }): Promise<MemberExport> {
    return this.#in(team, async (work, record) =>
      exportPage(work, await findMember(work, who, { removed: true }), from, record),
    );
  }

  settings({ team }: InTeam): Promise<TeamValues> {
    return this.#in(team, settingsOf);
  }

  /** Changes settings of a team; null removes one. */
  setSettings({
    team,
    changes,
  }: InTeam & { readonly changes: Readonly<Record<string, unknown>> }): Promise<TeamValues> {
    return this.#in(team, (work, record) => changeSettings(work, changes, record));
  }

  /** Returns the memories that a period would forget now, by project. */
  previewRetention({ team, days }: InTeam & { readonly days: number }): Promise<Aged> {
    return this.#in(team, (work) => previewRetention(work, days, new Date()));
  }

  keys({ team }: InTeam): Promise<readonly TeamKey[]> {
    return this.#in(team, (work) => listKeys(work));
  }

  /** Without scopes the key may read and, if the role allows it, write. */
  createKey({
    team,
    who,
    scopes,
    ...key
  }: InTeamWho &
    Omit<WantedKey, 'member' | 'scopes'> &
    Partial<Pick<WantedKey, 'scopes'>>): Promise<MadeKey> {
    return this.#in(team, async (work, record) => {
      const { id, role } = await findMember(work, who);
      const usual = scopesOfRole(role).filter((scope) => scope !== 'admin');
      return issueKey(work, { ...key, scopes: scopes ?? usual, member: id }, record);
    });
  }

  revokeKey({ team, id }: InTeam & { readonly id: string }): Promise<void> {
    return this.#in(team, async (work, record) => {
      const known = (await listKeys(work)).some((key) => key.id === id);
      if (!known)
        throw new TidemarkError('not-found', `there is no key ${id}`, {
          hint: 'List the keys with their ids: tidemark server key list',
        });
      await withdrawKey(work, id, record);
    });
  }

  async #in<T>(team: string | undefined, work: (work: Work, record: RecordAction) => Promise<T>): Promise<T> {
    return asOwner(this.#store, await findTeam(this.#store, team), (one) => work(one, auditLog(one)));
  }
}
