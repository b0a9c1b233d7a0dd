/**
 * Answers command hooks at tool calls, for agents that cannot call our MCP server from a hook. The wire of the agent tells
 * which files are concerned. Nothing is stored but what was injected; without an answer the agent continues.
 */
import {
  outputFor,
  wireOf,
  type HookFields,
  type ToolHookName,
  type ToolQuestion,
} from '../../agents/wire/index.ts';
import { pathIn, printedFiles } from '../../core/index.ts';
import { inputIn } from './envelope.ts';
import type { ToolCallHooks } from './tool-call-hooks.ts';

/** The daemon's part of the budget; the shell and the socket need the rest. */
const LIMIT_MS = 90;
/** A patch of more files is a refactoring: memories about the first ones are enough. */
const MAX_EDITED = 5;

export interface ToolHookOptions {
  readonly hooks: Pick<ToolCallHooks, 'afterRead' | 'beforeEdit' | 'beforeCommand'>;
  /** Whether `recall.stopOnce` is on. */
  readonly stopsOnce: () => boolean;
  readonly limitMs?: number;
}

/** Returns the line to print in the client's form, or nothing. `agent`: as the hook names it. */
export async function answerToolHook(
  options: ToolHookOptions,
  name: ToolHookName,
  agent: string,
  body: Buffer,
): Promise<string> {
  const input = inputIn(body);
  return input ? answerToolInput(options, name, agent, input) : '';
}

/** The same for input that is parsed already. */
export async function answerToolInput(
  options: ToolHookOptions,
  name: ToolHookName,
  agent: string,
  input: HookFields,
): Promise<string> {
  const wire = wireOf(agent, input);
  const question = wire?.toQuestion?.(name, input);
  if (!wire || !question) return '';
  const output =
    name === 'PostToolUse' ? await afterRead(options, question) : await before(options, question);
  return outputFor(wire.agent, name, output);
}

async function afterRead({ hooks, limitMs }: ToolHookOptions, question: ToolQuestion): Promise<string> {
  const { files, command = '', cwd } = question;
  const read = files.length > 0 ? files.map((file) => pathIn(cwd, file)) : printedFiles(command, cwd);
  return read.length === 0 ? '' : hooks.afterRead({ ...callOf(question, limitMs), files: read });
}

async function before(
  { hooks, stopsOnce, limitMs }: ToolHookOptions,
  question: ToolQuestion,
): Promise<string> {
  const { files, command, change, cwd, mode = '' } = question;
  const from = callOf(question, limitMs);
  if (files.length === 0)
    return command !== undefined && stopsOnce() ? hooks.beforeCommand({ ...from, command, cwd, mode }) : '';
  const stop = change && stopsOnce() ? { change, mode } : {};
  for (const file of files.slice(0, MAX_EDITED)) {
    const answer = await hooks.beforeEdit({ ...from, file: pathIn(cwd, file), ...stop });
    if (answer !== '') return answer;
  }
  return '';
}

function callOf({ session, cwd, agent = '', call = '' }: ToolQuestion, limitMs = LIMIT_MS) {
  return { session, dir: cwd, agent, call, limitMs };
}
