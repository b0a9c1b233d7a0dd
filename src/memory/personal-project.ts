/** The project of memories that follow the user everywhere. */
import { PERSONAL_PROJECT, type Project } from '../core/index.ts';
import type { Stores } from './stores.ts';

/** Returns the project for memories about the user, and records it in the ledger the first time. */
export async function personalProject(stores: Stores, at: string): Promise<Project> {
  const known = stores.index.project(PERSONAL_PROJECT);
  if (known) return known;
  const project = { id: PERSONAL_PROJECT, name: PERSONAL_PROJECT, keys: [], paths: [] };
  await stores.ledger.append({ kind: 'project', at, project });
  stores.index.upsertProject(project);
  return project;
}
