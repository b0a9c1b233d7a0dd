/** Finds the past sessions of all agents on this machine. Only lists them; their content is read later. */
import type { Agent } from '../core/index.ts';
import { whyNot } from './reading/listing.ts';
import { CODING_AGENTS, readerOf } from './registry.ts';
import type { FoundFiles, RefusedFile, TranscriptFile, TranscriptReader } from './transcript.ts';

/** A client's folder with its sessions. Only the user's environment says where it is. */
export interface SessionSource {
  readonly agent: Agent;
  readonly folder: string;
}

export interface SessionFile extends TranscriptFile {
  readonly agent: Agent;
}

/** The folders of all agents, or of some. */
export function sessionSources(
  env: NodeJS.ProcessEnv,
  only: readonly Agent[] = CODING_AGENTS.map(({ id }) => id),
): readonly SessionSource[] {
  return CODING_AGENTS.filter(({ id }) => only.includes(id)).flatMap(({ id, reader }) =>
    foldersOf(reader, env).map((folder) => ({ agent: id, folder })),
  );
}

/** Returns where the sessions of an agent are stored. */
export function foldersOf(reader: TranscriptReader, env: NodeJS.ProcessEnv): readonly string[] {
  return [reader.folder(env), ...(reader.more?.(env) ?? [])];
}

/** The sessions in these folders, newest first, whatever agent they are of. */
export function findSessions(sources: readonly SessionSource[]): {
  readonly files: readonly SessionFile[];
  readonly refused: readonly RefusedFile[];
} {
  const found = sources.map(({ agent, folder }) => ({ agent, ...foundIn(agent, folder) }));
  return {
    files: found
      .flatMap(({ agent, files }) => files.map((file) => ({ ...file, agent })))
      .toSorted((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime()),
    refused: found.flatMap(({ refused }) => refused),
  };
}

/** A client whose folder cannot be listed does not keep the others from being read. */
function foundIn(agent: Agent, folder: string): FoundFiles {
  try {
    return readerOf(agent).find(folder);
  } catch (error) {
    return { files: [], refused: [{ path: folder, reason: whyNot(error) }] };
  }
}
