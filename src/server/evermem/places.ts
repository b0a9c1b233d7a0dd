/** Which projects of the team a group stands for, for one member: to write to, and to read from. */
import { TidemarkError } from '../../core/index.ts';
import type { SharedProject } from '../../exchange/sync/index.ts';
import { ensureProject, nameProject, projectsWithKeys, recordAudit, type Work } from '../store/index.ts';
import { isDerived, keysOf } from './group.ts';

export interface Place {
  readonly project: string;
  /** The key of the project by which it was found: what messages are taken once within. */
  readonly key: string;
}

interface Wanted {
  readonly group: string;
  readonly name?: string | undefined;
  /** Whose use the audit log names where a project is made. */
  readonly apiKey: string;
}

/** The project of a group; made when nothing was said in it yet, and then shared with nobody. */
export async function placeFor(work: Work, { group, name, apiKey }: Wanted): Promise<Place> {
  const { common, own } = keysOf(group, work.member);
  const known = await projectsWithKeys(work, [common, own]);
  for (const key of [own, common]) {
    const found = known.find(({ keys }) => keys.includes(key));
    if (!found || !isPlaceFor(work, group, found)) continue;
    // Messages may come before the client has told what the group is called.
    if (name !== undefined && found.name === group) await nameProject(work, found.id, name);
    return { project: found.id, key };
  }
  const made = await newProject(work, { group, name: name ?? group, apiKey });
  return { project: made.id, key: made.keys.includes(own) ? own : common };
}

/**
 * Many work in a folder of the same path, and a share with everyone must not draw in what others say in theirs: a group
 * nobody chose leads only to a project of one's own. One that was named on purpose leads to whatever is shared by it.
 */
function isPlaceFor(work: Work, group: string, { access, createdBy }: SharedProject): boolean {
  return access === 'write' && (createdBy.id === work.member || !isDerived(group));
}

/** Where the group is somebody else's, one gets a project of one's own. */
async function newProject(
  work: Work,
  { group, name, apiKey }: Wanted & { name: string },
): Promise<SharedProject> {
  const { common, own } = keysOf(group, work.member);
  const made = (key: string): Promise<SharedProject> =>
    ensureProject(work, { name, keys: [key] }, (project) =>
      recordAudit(work, {
        action: 'project.create',
        object: project,
        key: apiKey,
        detail: { name, with: 'nobody' },
      }),
    );
  try {
    const project = await made(common);
    if (isPlaceFor(work, group, project)) return project;
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.code !== 'forbidden') throw error;
  }
  const project = await made(own);
  if (project.createdBy.id === work.member && project.access === 'write') return project;
  throw new TidemarkError('forbidden', 'somebody else holds the key of your group', {
    hint: 'Choose another group with EVERMEM_GROUP_ID, or ask an owner of the team.',
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
