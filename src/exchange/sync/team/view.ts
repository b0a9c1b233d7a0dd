/** Shared projects and the state of the exchange, for CLI and hub. Only reads; never returns the key. */
import { existsSync } from 'node:fs';
import { teamValuesIn, type TeamValues } from '../../../config/index.ts';
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
  /** Name of this machine in the team. */
  readonly machine?: string;
  readonly projects: readonly {
    readonly project: string;
    readonly name: string;
    readonly since: string;
    readonly leaving: boolean;
    /** The user's entries on the server. */
    readonly sent: number;
    /** Entries received, by author. */
    readonly from: Readonly<Record<string, number>>;
    readonly waiting: number;
    /** New entries that wait before they are sent; until then the user can hold them back. */
    readonly delayed: readonly { readonly id: string; readonly title: string; readonly until: string }[];
    /** New entries that stay on this machine, and why. */
    readonly held: readonly { readonly id: string; readonly title: string; readonly why: string }[];
    /** The user has only read access there, so nothing is sent. */
    readonly mayNotWrite: boolean;
    readonly exchangedAt: string | null;
    readonly refused: readonly { readonly id: string; readonly reason: string }[];
    /** Changes of the team that this version cannot read. Every exchange asks for them again. */
    readonly skipped: readonly Skipped[];
  }[];
  /** Settings that the team makes stricter on this machine. */
  readonly settings: TeamValues;
  readonly waiting: number;
  readonly lastGoodAt: string | null;
  readonly problem: (NonNullable<ExchangeState['problem']> & { readonly nextTryAt?: string }) | null;
  /** Replaced texts, newest first. */
  readonly conflicts: readonly (Conflict & {
    /** Member whose machine the other text came from, if an entry of theirs is here. */
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
      delayed: titled(index, last?.delayed ?? []),
      held: titled(index, last?.held ?? []),
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
    settings: teamValuesIn(places.teamSettings),
    waiting: projects.reduce((sum, { waiting }) => sum + waiting, 0),
    lastGoodAt: lastGoodAt ?? null,
    problem: problem ? { ...problem, ...(nextTryAt ? { nextTryAt } : {}) } : null,
    conflicts: index.conflicts().map((one) => {
      const who = whose.get(one.machine);
      return who === undefined ? one : { ...one, who };
    }),
  };
}

/** With the title of each entry; without those that are gone since. */
function titled<T extends { readonly id: string }>(index: MemoryIndex, entries: readonly T[]) {
  return entries.flatMap((one) => {
    const title = index.memory(one.id)?.title;
    return title === undefined ? [] : [{ ...one, title }];
  });
}

/** Undefined if the file is missing or damaged. The exchange checks it before use. */
function readFile(path: string): TeamFile | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readTextSync(path, STATE_BYTES)) as TeamFile; // written by src/exchange/sync/team-file.ts
  } catch {
    return undefined;
  }
}
