/** Which projects may leave this machine at all: never the personal one, never what is ignored here. Only reads. */
import { homedir } from 'node:os';
import { EVERYWHERE, lookUpProject, resolveProject } from '../../../capture/index.ts';
import { loadConfig } from '../../../config/index.ts';
import { TidemarkError, type Places, type Project } from '../../../core/index.ts';
import type { Stores } from '../../../memory/index.ts';
import type { Sync } from './access.ts';

export interface Settings {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
}

/** By its id, or by a folder of it: who has just joined a team remembers nothing of the project yet. */
export type AskedProject = { readonly project: string } | { readonly dir: string };

/** The project, or why it may not be shared. */
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
    throw new TidemarkError('not-found', `no project ${id}`, {
      hint: 'Projects are listed by: tidemark projects',
    });
  if (isIgnored(settings, index, project))
    throw new TidemarkError(
      'team.ignored',
      `${project.name} is ignored on this machine (capture.ignore, capture.enabled)`,
      { hint: 'What is not captured is not shared either.' },
    );
  return project;
}

/** Changes with everything the outbox looks at; none for a project that is not to leave (any more). */
export function stampOf(settings: Settings, { index, journal }: Stores, project: string): string | undefined {
  const known = index.project(project);
  if (!known || isIgnored(settings, index, known)) return undefined;
  return `${journal.stampOf(project)} ${index.tombstones('erased').length}`;
}

function isIgnored({ places, env }: Settings, index: Stores['index'], { paths }: Project): boolean {
  const { values } = loadConfig({ places, env });
  const known = { byKey: (key: string) => index.projectByKey(key) };
  return paths.some((path) => {
    const found = resolveProject(path, known, { userHome: homedir(), ignore: values['capture.ignore'] });
    return found.ignored || !loadConfig({ places, env, projectDir: found.root }).values['capture.enabled'];
  });
}
