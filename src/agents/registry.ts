/** All coding agents, in the order in which users see them. */
import { statSync } from 'node:fs';
import { FIRST_AGENT, type Agent } from '../core/index.ts';
import type { CodingAgent } from './agent.ts';
import { claudeCode } from './claude-code/index.ts';
import { cline } from './cline/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { gemini } from './gemini/index.ts';
import { openCode } from './opencode/index.ts';
import { pi } from './pi/index.ts';
import { qwen } from './qwen/index.ts';
import { fileState } from './reading/file-state.ts';
import type { TranscriptReader, TranscriptState } from './transcript.ts';

export const CODING_AGENTS: readonly CodingAgent[] = [
  claudeCode,
  codex,
  copilot,
  qwen,
  openCode,
  pi,
  gemini,
  cline,
];

/** Names for users, by id. */
export const AGENT_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  CODING_AGENTS.map(({ id, title }) => [id, title]),
);

/** The slash commands that clients answer themselves. */
export const CLIENT_COMMANDS: ReadonlySet<string> = new Set(
  CODING_AGENTS.flatMap(({ commands = [] }) => commands),
);

/** The command that undoes the last turn: one of the client, or in a shell. */
export function undoCommand(id: Agent): string {
  return codingAgent(id)?.undo ?? 'tidemark undo';
}

/** Undefined for an agent that this version cannot read. */
export function codingAgent(id: Agent): CodingAgent | undefined {
  return CODING_AGENTS.find((agent) => agent.id === id);
}

export function readerOf(id: Agent): TranscriptReader {
  const agent = codingAgent(id) ?? codingAgent(FIRST_AGENT);
  if (!agent) throw new Error('the list of agents is empty');
  return agent.reader;
}

/** Undefined for a missing transcript and for anything that is none: hook input may name a pipe or a device. */
export function transcriptState(agent: Agent, path: string): TranscriptState | undefined {
  const { stateOf = fileState } = readerOf(agent);
  return stateOf(path);
}

/** The size and time of a transcript, without opening a file: opening one may hang or end the process. */
export function transcriptStamp(
  agent: Agent,
  path: string,
): Pick<TranscriptState, 'size' | 'mtime'> | undefined {
  const { stateOf } = readerOf(agent);
  if (stateOf) return stateOf(path);
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? { size: stat.size, mtime: stat.mtimeMs } : undefined;
}
