/** Which project of the team one of ours is: the same by its keys, the one a person names, or a new one. */
import { TidemarkError } from '../../../core/index.ts';
import type { NewProject, SharedProject, TeamServer } from '../index.ts';

export interface Wish {
  /** A project the team has already, by name or id. */
  readonly join?: string;
  /** Another one, although the team has one of this name. */
  readonly fresh?: boolean;
}

/** Made there where the team has none yet. A name alone is not taken for the same project: a person says that. */
export async function teamProject(
  server: Pick<TeamServer, 'projects' | 'makeProject'>,
  mine: NewProject,
  { join: wanted, fresh = false }: Wish,
): Promise<SharedProject> {
  const there = await server.projects();
  const named = (name: string) => there.find((one) => one.id === name || one.name === name);
  const byKey = there.find(({ keys }) => keys.some((key) => mine.keys.includes(key)));
  const chosen = wanted === undefined ? byKey : named(wanted);
  if (wanted !== undefined && !chosen)
    throw new TidemarkError('not-found', `the team has no project ${wanted}`, {
      hint: there.length > 0 ? `It has: ${there.map(({ name }) => name).join(', ')}` : 'It has none yet.',
    });
  const twin = chosen || fresh ? undefined : named(mine.name);
  if (twin)
    throw new TidemarkError('team.same-name', `the team has a project ${twin.name} that may be another one`, {
      hint: `If it is the same: --join ${twin.name}. If not: --new`,
    });
  return chosen ?? server.makeProject(mine);
}
