/** The wire of pi. Our extension sends our own form, so nothing is translated but the tool that read a file. */
import type { HookFields, ToolHookName, ToolQuestion, Wire } from '../wire/wire.ts';

export const piWire: Wire = {
  agent: 'pi',
  variables: ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR'],
  toInput: (event, input) => ({ ...input, hook_event_name: event }),
  toQuestion,
  toOutput: (_hook, answer) => answer,
};

function toQuestion(
  hook: ToolHookName,
  { session_id: session, cwd, file, call }: HookFields,
): ToolQuestion | undefined {
  if (hook !== 'PostToolUse' || typeof session !== 'string' || typeof cwd !== 'string') return undefined;
  if (typeof file !== 'string' || file === '') return undefined;
  return { session, cwd, files: [file], ...(typeof call === 'string' ? { call } : {}) };
}
