/**
 * The wire of Codex. Its hooks have Claude Code's form with other fields: `turn_id` names the prompt, `apply_patch` carries
 * a patch of several files. An answer with a key that Codex does not know is lost as a whole, so only known ones are sent.
 */
import type { HookName } from '../../core/index.ts';
import type { CallFacts, HookAnswer, HookFields, ToolHookName, ToolQuestion, Wire } from '../wire/wire.ts';
import { fieldsOf, textOf } from '../wire/fields.ts';
import { filesInPatch } from '../reading/patch.ts';

/** `rollout-2026-11-16T03-56-19-<id>.jsonl` */
const TRANSCRIPT = /(?:^|[\\/])rollout-[^\\/]+\.jsonl$/;
/** The key of the facts that Codex sends with every call that a model makes. */
const TURN = 'x-codex-turn-metadata';

export const codexWire: Wire = {
  agent: 'codex',
  variables: ['CODEX_HOME'],
  isOwn: ({ transcript_path: path, turn_id: turn }) =>
    (typeof path === 'string' && TRANSCRIPT.test(path)) || typeof turn === 'string',
  toInput,
  toQuestion,
  toOutput,
  toCall,
};

/**
 * Subagents send events under the session of their parent, with prompts that the model wrote. Only their end is an event of
 * ours. An interrupted turn sends `Interrupt` instead of `Stop`; its hook is registered as our Stop.
 */
function toInput(event: HookName, input: HookFields): HookFields | string {
  if (typeof input['agent_id'] === 'string' && event !== 'SubagentStop') return 'an event of a subagent';
  const { turn_id, ...fields } = input;
  return {
    ...fields,
    hook_event_name: event,
    ...(typeof turn_id === 'string' ? { prompt_id: turn_id } : {}),
  };
}

function toQuestion(hook: ToolHookName, input: HookFields): ToolQuestion | undefined {
  const [session, cwd] = [textOf(input['session_id']), textOf(input['cwd'])];
  const text = textOf(fieldsOf(input['tool_input'])['command']);
  if (session === '' || cwd === '' || text === '') return undefined;
  const agent = textOf(input['agent_id']);
  // Codex has no question for the user in a hook's answer, so the permission mode is left out: a call is denied once.
  const from = { session, cwd, call: textOf(input['tool_use_id']), ...(agent === '' ? {} : { agent }) };
  switch (input['tool_name']) {
    case 'Bash':
      return { ...from, files: [], command: text };
    case 'apply_patch':
      return hook === 'PreToolUse' ? { ...from, ...editOf(text) } : undefined;
    default:
      return undefined;
  }
}

function editOf(patch: string): Pick<ToolQuestion, 'files' | 'change'> {
  const files = filesInPatch(patch);
  const removed = files.map((file) => file.removed).join('\n');
  const added = files.map((file) => file.added).join('\n');
  return { files: files.map(({ path }) => path), change: { removed, added } };
}

function toOutput(hook: HookName | ToolHookName, answer: HookAnswer): object | undefined {
  const { systemMessage, hookSpecificOutput } = answer;
  const { additionalContext, permissionDecision, permissionDecisionReason } = hookSpecificOutput ?? {};
  const denied =
    hook === 'PreToolUse' && permissionDecision !== undefined
      ? { permissionDecision: 'deny', permissionDecisionReason }
      : {};
  const specific = { ...(additionalContext === undefined ? {} : { additionalContext }), ...denied };
  const output = {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(Object.keys(specific).length === 0
      ? {}
      : { hookSpecificOutput: { hookEventName: hook, ...specific } }),
  };
  return Object.keys(output).length === 0 ? undefined : output;
}

/** A hook's call names only the thread: a subagent's own, or the session itself. */
function toCall(meta: HookFields): CallFacts | undefined {
  const turn = fieldsOf(meta[TURN]);
  const thread = textOf(turn['thread_id']) || textOf(meta['threadId']);
  const session = textOf(turn['session_id']) || textOf(meta['sessionId']);
  if (thread === '') return undefined;
  return {
    session,
    thread,
    call: textOf(meta['callId']),
    folders: Object.keys(fieldsOf(turn['workspaces'])),
  };
}
