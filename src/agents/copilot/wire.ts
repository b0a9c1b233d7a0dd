/**
 * The wire of GitHub Copilot CLI. Events with the names of Claude Code (`SessionStart`) have its fields too, and tools its
 * names; the other style (`sessionStart`) is not used. Injected text must be at the top level of the answer. The client
 * shows no message of a hook to the user. A summary of the conversation drops the brief, and no SessionStart follows: the hook
 * before it is registered as our SessionStart.
 */
import type { HookName } from '../../core/index.ts';
import { readQuestion } from '../wire/read-question.ts';
import type { HookAnswer, HookFields, ToolHookName, ToolQuestion, Wire } from '../wire/wire.ts';

/** `source` of SessionStart, in our words. */
const SOURCES: Readonly<Record<string, string>> = { new: 'startup' };
/** Messages of the client that begin a turn. */
const NOTIFICATION = /^\s*<system_notification>/;
/** The text that replaces `/skill arguments`. The arguments are its end: the skill itself may contain the same word. */
const SKILL = /^The user explicitly invoked the "(\/[^"\n]+)" skill\./;
const ARGUMENTS = /^[\s\S]*\nARGUMENTS: ([\s\S]*?)\s*<\/skill-context>/;
const TRANSCRIPT = /[\\/]session-state[\\/][^\\/]+[\\/]events\.jsonl$/;

export const copilotWire: Wire = {
  agent: 'copilot',
  variables: ['COPILOT_HOME'],
  sessionVariable: 'COPILOT_AGENT_SESSION_ID',
  droppedStarts: ['compact'],
  isOwn: ({ transcript_path: path, timestamp, initial_prompt: first, parent_agent_id: parent }) =>
    typeof path === 'string'
      ? TRANSCRIPT.test(path)
      : typeof timestamp === 'string' || first !== undefined || parent !== undefined,
  toInput,
  toQuestion,
  toOutput,
};

/**
 * A subagent sends events under a session id of its own. Its turns are in the transcript of the session that started it,
 * whose Stop follows.
 */
function toInput(event: HookName, input: HookFields): HookFields | string {
  if (typeof input['agent_id'] === 'string') return 'an event of a subagent';
  const { prompt, source } = input;
  if (event === 'SessionStart' && input['hook_event_name'] === 'PreCompact')
    return { ...input, hook_event_name: event, source: 'compact' };
  if (event === 'SessionStart' && typeof source === 'string')
    return { ...input, source: SOURCES[source] ?? source };
  if (event !== 'UserPromptSubmit' || typeof prompt !== 'string') return input;
  if (NOTIFICATION.test(prompt)) return 'a message of the client';
  return { ...input, prompt: typed(prompt) };
}

function typed(prompt: string): string {
  const name = SKILL.exec(prompt)?.[1];
  return name === undefined ? prompt : `${name} ${ARGUMENTS.exec(prompt)?.[1] ?? ''}`.trim();
}

/** A subagent's session is the one that started it, so that a file is explained once. */
function toQuestion(hook: ToolHookName, input: HookFields): ToolQuestion | undefined {
  const { parent_agent_id: parent, session_id } = input;
  return readQuestion(hook, { ...input, session_id: parent ?? session_id }, { tool: 'Read', file: 'path' });
}

function toOutput(_hook: HookName | ToolHookName, { hookSpecificOutput }: HookAnswer): object | undefined {
  const { additionalContext } = hookSpecificOutput ?? {};
  return additionalContext === undefined ? undefined : { additionalContext };
}
