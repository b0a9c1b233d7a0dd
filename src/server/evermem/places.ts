/** Which projects of the team a group stands for, for one member: to write to, and to read from. */
import { TidemarkError } from '../../model/index.ts';
import type { SharedProject } from '../../sync/index.ts';
import { ensureProject, nameProject, projectsWithKeys, type Work } from '../store/index.ts';
import { keysOf } from './group.ts';

export interface Place {
  readonly project: string;
  /** The key of the project by which it was found: what messages are taken once within. */
  readonly key: string;
}

/** The project of a group; made when nothing was said in it yet, and then shared with nobody. */
export async function placeFor(work: Work, group: string, name: string | undefined): Promise<Place> {
  const { common, own } = keysOf(group, work.member);
  const known = await projectsWithKeys(work, [common, own]);
  for (const key of [own, common]) {
    const found = known.find(({ keys, access }) => access === 'write' && keys.includes(key));
    if (!found) continue;
    // Messages may come before the client has told what the group is called.
    if (name !== undefined && found.name === group) await nameProject(work, found.id, name);
    return { project: found.id, key };
  }
  const made = await newProject(work, group, name ?? group);
  return { project: made.id, key: made.keys.includes(own) ? own : common };
}

/** The same path on two machines gives the same group: who may not write to the one that is there gets one of their own. */
async function newProject(work: Work, group: string, name: string): Promise<SharedProject> {
  const { common, own } = keysOf(group, work.member);
  try {
    const project = await ensureProject(work, { name, keys: [common] });
    if (project.access === 'write') return project;
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.code !== 'forbidden') throw error;
  }
  const project = await ensureProject(work, { name, keys: [own] });
  if (project.access === 'write') return project;
  throw new TidemarkError('forbidden', 'you may read here, not write', {
    hint: 'Ask an owner of the team for the role "member".',
  });
}

/** Project → the group as the client named it. None where nothing was ever said in any of them. */
export async function placesOf(work: Work, groups: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = groups.flatMap((group) => {
    const { common, own } = keysOf(group, work.member);
    return [[common, group] as const, [own, group] as const];
  });
  const known = await projectsWithKeys(
    work,
    named.map(([key]) => key),
  );
  return new Map(
    known.map(({ id, keys }) => [id, named.find(([key]) => keys.includes(key))?.[1] ?? ''] as const),
  );
}
