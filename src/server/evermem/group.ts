/** The project of an EverMem group, for one member: the one to write to, and the ones to read from. */
import { TidemarkError } from '../../core/index.ts';
import type { SharedProject } from '../../exchange/sync/index.ts';
import { auditLog, ensureProject, nameProject, projectsWithKeys, type Work } from '../store/index.ts';

const PREFIX = 'evermem:';
/** Older clients joined name and hash without an underscore; the project key has one. */
const JOINED = /^([a-z0-9]{1,4})([0-9a-f]{5})$/;
/** A group that the client derived from the path of a folder. */
const DERIVED = /^[a-z0-9]{1,4}_?[0-9a-f]{5}$/;

interface GroupProject {
  readonly project: string;
  /** The project key that matched. A message id is stored once per key. */
  readonly key: string;
}

interface WantedGroup {
  readonly group: string;
  readonly name?: string | undefined;
  /** The id of the API key, for the audit log. */
  readonly apiKey: string;
}

/** Returns the project that messages of a group are written to. A new project is shared with no one. */
export async function projectOfGroup(work: Work, wanted: WantedGroup): Promise<GroupProject> {
  const { group, name } = wanted;
  const { common, own } = keysOf(group, work.member);
  const known = await projectsWithKeys(work, [common, own]);
  for (const key of [own, common]) {
    const found = known.find(({ keys }) => keys.includes(key));
    if (!found || !mayUse(work, group, found)) continue;
    // Messages can arrive before the client sends the name of the group.
    if (name !== undefined && found.name === group) await nameProject(work, found.id, name);
    return { project: found.id, key };
  }
  const made = await newProject(work, wanted);
  return { project: made.id, key: made.keys.includes(own) ? own : common };
}

/** Returns the readable projects of the groups, each with the group as the client named it. */
export async function projectsOfGroups(
  work: Work,
  groups: readonly string[],
): Promise<ReadonlyMap<string, string>> {
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

/**
 * Returns the keys of a group's project: `keysOf('ever1a3f2', member)` → `evermem:ever_1a3f2`,
 * `evermem:ever_1a3f2/<member>`. Tidemark's own clients use the common key for the same folder. The member's own key is
 * for a member without access to that project, since the same path on two machines is not the same project.
 */
export function keysOf(group: string, member: string): { readonly common: string; readonly own: string } {
  const common = `${PREFIX}${group.replace(JOINED, '$1_$2').replaceAll('/', '%2F')}`;
  return { common, own: `${common}/${member}` };
}

/** Returns the group of a project with these keys, if it has one. */
export function groupOf(keys: readonly string[]): string | undefined {
  const key = keys.find((one) => one.startsWith(PREFIX));
  return key?.slice(PREFIX.length).split('/', 1)[0]?.replaceAll('%2F', '/');
}

/** Returns the group of messages without a group; EverMem stores those by sender. */
export function groupOfSender(sender: string): string {
  return `user:${sender}`;
}

/**
 * A derived group leads only to the member's own project: many members work in a folder with the same path, and their
 * messages must not end up in a project that one of them shared with everyone. A chosen group leads to any project.
 */
function mayUse(work: Work, group: string, { access, createdBy }: SharedProject): boolean {
  return access === 'write' && (createdBy.id === work.member || !DERIVED.test(group));
}

/** Creates the project with the common key or, if another member has that, with the member's own key. */
async function newProject(work: Work, { group, name = group, apiKey }: WantedGroup): Promise<SharedProject> {
  const { common, own } = keysOf(group, work.member);
  const create = (key: string): Promise<SharedProject> =>
    ensureProject(work, { name, keys: [key] }, (project) =>
      auditLog(work, apiKey)('project.create', project, { name, with: 'nobody' }),
    );
  try {
    const project = await create(common);
    if (mayUse(work, group, project)) return project;
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.code !== 'forbidden') throw error;
  }
  const project = await create(own);
  if (project.createdBy.id === work.member && project.access === 'write') return project;
  throw new TidemarkError('forbidden', 'another member has the key of your group', {
    hint: 'Choose another group with EVERMEM_GROUP_ID, or ask an owner of the team.',
  });
}
