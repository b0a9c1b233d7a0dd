/** What is shared, with whom, and how the exchange goes: for people to look at. Only reads, and never gives the key away. */
import { existsSync } from 'node:fs';
import type { Places } from '../../../core/index.ts';
import type { Conflict, MemoryIndex, Skipped } from '../../../database/index.ts';
import { readTextSync, STATE_BYTES } from '../../../files/index.ts';
import type { TeamFile } from '../index.ts';
import { readState, type ExchangeState } from './state.ts';

export interface TeamView {
  readonly configured: boolean;
  readonly server?: string;
  readonly team?: string;
  readonly member?: string;
  /** What this machine is called in the team. */
  readonly machine?: string;
  readonly projects: readonly {
    readonly project: string;
    readonly name: string;
    readonly since: string;
    readonly leaving: boolean;
    /** One's own entries that are there. */
    readonly sent: number;
    /** Entries of others that are here, by author. */
    readonly from: Readonly<Record<string, number>>;
    readonly waiting: number;
    /** One may only read there: what waits stays here. */
    readonly mayNotWrite: boolean;
    readonly exchangedAt: string | null;
    readonly refused: readonly { readonly id: string; readonly reason: string }[];
    /** Changes of the team that this version cannot read. They are asked for again with every exchange. */
    readonly skipped: readonly Skipped[];
  }[];
  readonly waiting: number;
  readonly lastGoodAt: string | null;
  readonly problem: (NonNullable<ExchangeState['problem']> & { readonly nextTryAt?: string }) | null;
  /** Texts that gave way to others, newest first. */
  readonly conflicts: readonly (Conflict & {
    /** Whose machine the other text came from, where an entry of theirs is here. */
    readonly who?: string;
  })[];
}

export function teamView(places: Places, index: MemoryIndex): TeamView {
  const file = readFile(places.team);
  const state = readState(places);
  const whose = new Map<string, string>();
  const projects = index.shares().map(({ project, remote, name, at, state: share }) => {
    const put = index.exchanged(remote).filter((one) => one.state === 'put');
    for (const { home, author } of put) if (home && author) whose.set(home, author);
    const theirs = Map.groupBy(
      put.filter(({ author }) => author !== undefined),
      ({ author }) => author ?? '',
    );
    const last = state.projects[remote];
    return {
      project,
      name,
      since: at,
      leaving: share === 'leaving',
      sent: put.filter(({ author }) => author === undefined).length,
      from: Object.fromEntries([...theirs].map(([author, some]) => [author, some.length])),
      waiting: last?.waiting ?? 0,
      mayNotWrite: last?.mayNotWrite ?? false,
      exchangedAt: last?.at ?? null,
      refused: last?.refused ?? [],
      skipped: index.teamSkipped(remote),
    };
  });
  const { login, machine } = file ?? {};
  const { problem, nextTryAt, lastGoodAt } = state;
  return {
    configured: login !== undefined,
    ...(login ? { server: login.server, team: login.team.name, member: login.member.name } : {}),
    ...(machine ? { machine } : {}),
    projects,
    waiting: projects.reduce((sum, { waiting }) => sum + waiting, 0),
    lastGoodAt: lastGoodAt ?? null,
    problem: problem ? { ...problem, ...(nextTryAt ? { nextTryAt } : {}) } : null,
    conflicts: index.conflicts().map((one) => {
      const who = whose.get(one.machine);
      return who === undefined ? one : { ...one, who };
    }),
  };
}

/** The exchange checks it before it is used; here a file nobody understands is none. */
function readFile(path: string): TeamFile | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readTextSync(path, STATE_BYTES)) as TeamFile; // written by src/exchange/sync/team-file.ts
  } catch {
    return undefined;
  }
}
