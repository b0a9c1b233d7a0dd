/** The personal project: what is about the user, wherever it was said. Written down where every project is. */
import { PERSONAL_PROJECT, type Project } from '../core/index.ts';
import type { Stores } from './stores.ts';

export async function personalProject(stores: Stores, at: string): Promise<Project> {
  const known = stores.index.project(PERSONAL_PROJECT);
  if (known) return known;
  const project = { id: PERSONAL_PROJECT, name: PERSONAL_PROJECT, keys: [], paths: [] };
  await stores.ledger.append({ kind: 'project', at, project });
  stores.index.upsertProject(project);
  return project;
}
