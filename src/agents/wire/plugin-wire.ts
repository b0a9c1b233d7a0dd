/** The wire of agents that run our own code, which sends our own form: only a read has to be made a question. Pure. */
import type { Agent } from '../../core/index.ts';
import type { HookFields, ToolHookName, ToolQuestion, Wire } from './wire.ts';

export function pluginWire(agent: Agent, variables: readonly string[]): Wire {
  return {
    agent,
    variables,
    toInput: (event, input) => ({ ...input, hook_event_name: event }),
    toQuestion,
    toOutput: (_hook, answer) => answer,
  };
}

/** `file`: the file that was read. `call`: the client's id of the call. `agent_id`: the subagent that calls. */
function toQuestion(
  hook: ToolHookName,
  { session_id: session, cwd, file, call, agent_id: agent }: HookFields,
): ToolQuestion | undefined {
  if (hook !== 'PostToolUse' || typeof session !== 'string' || typeof cwd !== 'string') return undefined;
  if (typeof file !== 'string' || file === '') return undefined;
  return {
    session,
    cwd,
    files: [file],
    ...(typeof call === 'string' ? { call } : {}),
    ...(typeof agent === 'string' && agent !== '' ? { agent } : {}),
  };
}
