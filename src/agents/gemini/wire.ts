/**
 * The wire of Gemini CLI. Without a terminal the client puts what SessionStart injected in front of the prompt, so it is
 * removed from every prompt. A summary of the conversation drops what was injected, and no SessionStart follows: the hook
 * before it is registered as our SessionStart.
 */
import type { HookName } from '../../core/index.ts';
import { readQuestion } from '../wire/read-question.ts';
import type { HookAnswer, HookFields, ToolHookName, ToolQuestion, Wire } from '../wire/wire.ts';
import { withoutHookContext } from './hook-context.ts';
import { asTyped } from '../reading/own-command.ts';

export const geminiWire: Wire = {
  agent: 'gemini',
  variables: ['GEMINI_CLI_HOME'],
  droppedStarts: ['compact'],
  toInput,
  toQuestion,
  toOutput,
};

/** The client's names of the events whose answer reaches the model. */
const EVENTS: Readonly<Partial<Record<HookName | ToolHookName, string>>> = {
  SessionStart: 'SessionStart',
  UserPromptSubmit: 'BeforeAgent',
  PostToolUse: 'AfterTool',
};

/** The answer is left out of a Stop: the transcript has it by then, in the parts that the model said. */
function toInput(event: HookName, input: HookFields): HookFields | string {
  const { prompt, prompt_response: _, ...fields } = input;
  const typed = typeof prompt === 'string' ? { prompt: asTyped(withoutHookContext(prompt)) } : {};
  if (input['hook_event_name'] !== 'PreCompress') return { ...fields, ...typed, hook_event_name: event };
  // The client asks before every step of the model whether to summarise; only the user's order does so for certain.
  if (input['trigger'] !== 'manual') return 'a summary that may not happen';
  return { ...fields, hook_event_name: event, ...(event === 'SessionStart' ? { source: 'compact' } : {}) };
}

function toQuestion(hook: ToolHookName, input: HookFields): ToolQuestion | undefined {
  return readQuestion(hook, input, { tool: 'read_file', file: 'file_path' });
}

function toOutput(hook: HookName | ToolHookName, answer: HookAnswer): object | undefined {
  const { systemMessage, hookSpecificOutput } = answer;
  const additionalContext = hookSpecificOutput?.additionalContext;
  const hookEventName = EVENTS[hook];
  const context = additionalContext !== undefined && hookEventName !== undefined;
  if (!context && systemMessage === undefined) return undefined;
  return {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(context ? { hookSpecificOutput: { hookEventName, additionalContext } } : {}),
  };
}
