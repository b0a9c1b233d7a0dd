/**
 * Sharing a project: checks that it may leave this machine, previews what would be sent, and finds or creates its project
 * in the team. Never the personal project, never one that is ignored here.
 */
import { homedir } from 'node:os';
import { EVERYWHERE, lookUpProject, resolveProject } from '../../../capture/index.ts';
import { loadConfig, type ConfigSources } from '../../../config/index.ts';
import {
  TidemarkError,
  type Memory,
  type MemoryKind,
  type Places,
  type Project,
} from '../../../core/index.ts';
import type { Stores } from '../../../memory/index.ts';
import type { HeldBack, NewProject, SharedProject, SharedStore, TeamServer } from '../index.ts';
import type { Sync } from './access.ts';

const MINUTE_MS = 60_000;

export interface Settings {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
}

/** By id, or by a folder: on a machine that has just joined a team the project is not stored yet. */
export type AskedProject = { readonly project: string } | { readonly dir: string };

/** Returns the project. Throws if it may not be shared. */
export async function shareable(
  { refusePersonal }: Pick<Sync, 'refusePersonal'>,
  settings: Settings,
  stores: Stores,
  asked: AskedProject,
): Promise<Project> {
  const { index } = stores;
  const here = 'dir' in asked ? (await lookUpProject(stores, asked.dir, EVERYWHERE)).project : undefined;
  const id = 'dir' in asked ? (here?.id ?? '') : asked.project;
  refusePersonal(id);
  const project = here ?? index.project(id);
  if (!project)
    throw new TidemarkError('not-found', `there is no project ${id}`, {
      hint: 'List the projects with: tidemark projects',
    });
  if (isIgnored(settings, index, project))
    throw new TidemarkError(
      'team.ignored',
      `${project.name} is ignored on this machine (capture.ignore, capture.enabled)`,
      { hint: 'A project that is not captured is not shared either.' },
    );
  return project;
}

/**
 * Changes with everything the outbox depends on; undefined for a project that the user ignores, which is not exchanged.
 * One that only the team ignores is: the team's settings come with a pull, so it could not take this one back.
 */
export function stampOf(settings: Settings, { index, journal }: Stores, project: string): string | undefined {
  const known = index.project(project);
  const { places, env } = settings;
  const own = { places: { config: places.config }, env };
  if (!known || isIgnored(own, index, known)) return undefined;
  const sends = !isIgnored(settings, index, known);
  return `${journal.stampOf(project)} ${index.tombstones('erased').length} ${delayOf(settings)} ${sends}`;
}

/** Whether nothing of the project may be sent. Without `teamSettings`: whether the user wants that. */
export function isIgnored(
  { places, env }: Pick<ConfigSources, 'places' | 'env'>,
  index: Stores['index'],
  { paths }: Project,
): boolean {
  const { values } = loadConfig({ places, env });
  const known = { byKey: (key: string) => index.projectByKey(key) };
  return paths.some((path) => {
    const found = resolveProject(path, known, { userHome: homedir(), ignore: values['capture.ignore'] });
    return found.ignored || !loadConfig({ places, env, projectDir: found.root }).values['capture.enabled'];
  });
}

/** How long a new entry waits. Reads the setting each time, so that a change takes effect at once. */
export function delayOf({ places, env }: Settings): number {
  return loadConfig({ places, env }).values['share.delayMinutes'] * MINUTE_MS;
}

/** Titles shown in a preview. */
const MOST_TITLES = 10;

/** The content that would be sent if the project were shared, after the outbound filter. */
export interface SharePreview {
  readonly project: string;
  readonly name: string;
  /** Keys the team will recognise the project by. */
  readonly keys: readonly string[];
  readonly server: string;
  readonly team: string;
  readonly entries: number;
  readonly kinds: Readonly<Partial<Record<MemoryKind, number>>>;
  readonly titles: readonly string[];
  /** Number of redacted secrets by type. */
  readonly redactions: Readonly<Record<string, number>>;
  /** Entries from which paths of this machine are removed. */
  readonly withPaths: number;
  /** Entries in review, which are not sent. */
  readonly inReview: number;
  /** Entries that stay on this machine: held back by the user, or of a kind that the team never gets. */
  readonly held: readonly (HeldBack & { readonly title: string })[];
}

export function previewOf(
  { filterProject, filterOutbound }: Pick<Sync, 'filterProject' | 'filterOutbound'>,
  project: Project,
  all: readonly Memory[],
  store: SharedStore,
  whyHeld: (memory: Memory) => string | undefined,
): Omit<SharePreview, 'server' | 'team' | 'inReview'> {
  const { name, keys } = filterProject(project);
  const kinds: Partial<Record<MemoryKind, number>> = {};
  const redactions: Record<string, number> = {};
  const titles: string[] = [];
  let withPaths = 0;
  const held = all.flatMap((memory) => {
    const why = whyHeld(memory);
    return why === undefined ? [] : [{ id: memory.id, title: memory.title, why }];
  });
  const heldIds = new Set(held.map(({ id }) => id));
  const own = all.filter(({ id }) => !heldIds.has(id));
  for (const memory of own) {
    const filtered = filterOutbound(memory, store.paths(project.id));
    kinds[memory.kind] = (kinds[memory.kind] ?? 0) + 1;
    if (titles.length < MOST_TITLES) titles.push(filtered.content.title);
    if (filtered.changed) withPaths++;
    for (const [type, n] of Object.entries(filtered.redactions))
      redactions[type] = (redactions[type] ?? 0) + n;
  }
  return { project: project.id, name, keys, entries: own.length, kinds, titles, redactions, withPaths, held };
}

export interface Wish {
  /** An existing project of the team, by name or id. */
  readonly join?: string;
  /** Create a new project even if the team has one of this name. */
  readonly fresh?: boolean;
}

/**
 * Returns the project of the team that shares a key, the one the user names, or a new one. The same name alone is not
 * enough: the user has to confirm that.
 */
export async function teamProject(
  server: Pick<TeamServer, 'projects' | 'makeProject' | 'me'>,
  mine: NewProject,
  { join, fresh = false }: Wish,
): Promise<SharedProject> {
  const there = await server.projects();
  const named = (name: string) => there.find((one) => one.id === name || one.name === name);
  const byKey = there.find(({ keys }) => keys.some((key) => mine.keys.includes(key)));
  const chosen = join === undefined ? byKey : named(join);
  if (join !== undefined && !chosen)
    throw new TidemarkError('not-found', `the team has no project ${join}`, {
      hint: there.length > 0 ? `It has: ${there.map(({ name }) => name).join(', ')}` : 'It has none yet.',
    });
  const twin = chosen || fresh ? undefined : named(mine.name);
  if (twin)
    throw new TidemarkError('team.same-name', `the team has another project named ${twin.name}`, {
      hint: `If it is the same project: --join ${twin.name}. If not: --new`,
    });
  if (chosen) return chosen;
  const { member, key } = await server.me();
  if (member.role === 'reader' || !key.scopes.includes('write'))
    throw new TidemarkError('team.refused', 'the team does not have this project, and you can only read', {
      hint: 'Ask an owner of the team for a role and a key that may write. Nothing was sent.',
    });
  return server.makeProject(mine);
}
