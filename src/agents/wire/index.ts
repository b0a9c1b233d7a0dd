/** The wires of all agents. The hook client imports this file, so it stays free of readers and installers. */
import { FIRST_AGENT, type Agent, type HookName } from '../../core/index.ts';
import { claudeCodeWire } from '../claude-code/wire.ts';
import { codexWire } from '../codex/wire.ts';
import { copilotWire } from '../copilot/wire.ts';
import { geminiWire } from '../gemini/wire.ts';
import { openCodeWire } from '../opencode/wire.ts';
import { piWire } from '../pi/wire.ts';
import { qwenWire } from '../qwen/wire.ts';
import type { CallFacts, HookAnswer, HookFields, ToolHookName, Wire } from './wire.ts';

export type { CallFacts, HookAnswer, HookFields, ToolHookName, ToolQuestion, Wire } from './wire.ts';

const WIRES: readonly Wire[] = [
  claudeCodeWire,
  codexWire,
  copilotWire,
  qwenWire,
  openCodeWire,
  piWire,
  geminiWire,
];

/** Environment variables that name the folders of clients. */
export const FOLDER_VARIABLES: readonly string[] = WIRES.flatMap(({ variables }) => variables);

export function isToolHook(name: string): name is ToolHookName {
  return name === 'PreToolUse' || name === 'PostToolUse';
}

/**
 * Returns the wire of a hook. Hooks of the plugin name no agent: other agents load the plugin made for Claude Code, and
 * only their input tells who they are. Undefined for an agent that this version does not know.
 */
export function wireOf(name: string, input: HookFields): Wire | undefined {
  if (name !== '') return WIRES.find(({ agent }) => agent === name);
  return WIRES.find((wire) => wire.isOwn?.(input)) ?? claudeCodeWire;
}

/** Returns the session that started an MCP server of this agent; empty if the client does not say. */
export function sessionIn(env: NodeJS.ProcessEnv, agent: string): string {
  const variable = wireOf(agent, {})?.sessionVariable;
  return (variable && env[variable]) || '';
}

/** Translates the input of a hook of this agent into our fields, and names the agent. */
export function translatorOf(name: string, event: HookName) {
  return (input: HookFields): { readonly agent: Agent; readonly fields: HookFields | string } => {
    const wire = wireOf(name, input);
    return wire
      ? { agent: wire.agent, fields: wire.toInput(event, input) }
      : { agent: FIRST_AGENT, fields: 'an agent that this version does not know' };
  };
}

/** Whether the client drops the answer to a SessionStart with this source. */
export function isStartDropped(agent: Agent, source: string | undefined): boolean {
  return wireOf(agent, {})?.droppedStarts?.includes(source ?? '') ?? false;
}

/** Translates a line of our hook JSON into the form of an agent; empty if nothing is to be printed. */
export function outputFor(agent: Agent, hook: HookName | ToolHookName, line: string): string {
  const wire = wireOf(agent, {});
  if (line === '' || !wire) return '';
  const output = wire.toOutput(hook, JSON.parse(line) as HookAnswer); // made by us
  return output === undefined ? '' : JSON.stringify(output);
}

/** Returns what the client says about a call of our MCP server. */
export function callFacts(meta: HookFields): CallFacts {
  for (const wire of WIRES) {
    const facts = wire.toCall?.(meta);
    if (facts) return facts;
  }
  return { session: '', thread: '', call: '', folders: [] };
}
