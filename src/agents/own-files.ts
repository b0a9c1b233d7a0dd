/** Lists the files that coding agents load themselves, for the user and for a project. A file of several agents is listed once. */
import { join } from 'node:path';
import type { Agent } from '../core/index.ts';
import { CODING_AGENTS } from './registry.ts';

/** The writer of a file: the user, the authors of a project (it comes with the clone), or the client itself. */
export type OwnFileWriter = 'user' | 'project' | 'client';

export interface OwnFile {
  readonly path: string;
  readonly by: OwnFileWriter;
  /** For users: `CLAUDE.md`, `.github/copilot-instructions.md`, "Claude Code's memory". */
  readonly name: string;
  /** The project's folder; missing for rules for every project. */
  readonly root?: string;
}

/** A file, or the beginning of one, that a client loads at the start of a session. */
export interface LoadedFile extends OwnFile {
  readonly lines?: number;
}

export function ownFilesOfUser(env: NodeJS.ProcessEnv): readonly OwnFile[] {
  return distinct(CODING_AGENTS.flatMap((agent) => filesOfUser(agent, env)));
}

export function ownFilesOfProject(env: NodeJS.ProcessEnv, root: string): readonly OwnFile[] {
  return distinct(
    CODING_AGENTS.flatMap((agent) => [...filesOfProject(agent, root), ...notesOf(agent, env, root)]),
  );
}

/** The files that one agent loads at the start of a session in these folders. */
export function loadedFiles(
  id: Agent,
  env: NodeJS.ProcessEnv,
  roots: readonly string[],
): readonly LoadedFile[] {
  const agent = CODING_AGENTS.find((one) => one.id === id);
  if (!agent) return [];
  const notes = roots.flatMap((root) =>
    notesOf(agent, env, root).flatMap((file) => {
      const lines = agent.ownFiles?.loadedLines?.(env, root, file.path) ?? 0;
      return lines > 0 ? [{ ...file, lines }] : [];
    }),
  );
  return distinct([
    ...filesOfUser(agent, env),
    ...roots.flatMap((root) => filesOfProject(agent, root)),
    ...notes,
  ]);
}

type Owner = (typeof CODING_AGENTS)[number];

function filesOfUser({ ownFiles }: Owner, env: NodeJS.ProcessEnv): readonly OwnFile[] {
  return (ownFiles?.ofUser(env) ?? []).map((path) => ({ path, by: 'user', name: nameOf(path) }));
}

function filesOfProject({ ownFiles }: Owner, root: string): readonly OwnFile[] {
  return (ownFiles?.ofProject ?? []).map((name) => ({ path: join(root, name), by: 'project', name, root }));
}

function notesOf({ ownFiles, title }: Owner, env: NodeJS.ProcessEnv, root: string): readonly OwnFile[] {
  const notes = ownFiles?.notes?.(env, root) ?? [];
  return notes.map((path) => ({ path, by: 'client', name: `${title}'s memory`, root }));
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function distinct<T extends OwnFile>(files: readonly T[]): readonly T[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
