/** Finds out what a user's message is: a prompt, a shell command of the user, or text of the client. Pure. */
import { isObject, textOf, type JsonObject } from '../../reading/json.ts';
import { OWN_COMMAND_KEY, typedCommand } from '../command-mark.ts';

/**
 * `prompt`: the user's words. `shell`: a command that the user ran with `!`; the answer has it. `compaction`: the conversation
 * is summarised. `continue`: the client tells the agent to go on. `task`: a background task reports.
 */
export type UserMessage =
  | { readonly kind: 'prompt'; readonly text: string; readonly raw: string }
  | { readonly kind: 'shell' | 'compaction' | 'continue' | 'task'; readonly raw: string };

const SHELL = 'The following tool was executed by the user';
/** A command that ran as a subagent: the agent goes on with its result. */
const SUBTASK_DONE = 'Summarize the task tool output above and continue with your task.';

export function userMessage(parts: readonly JsonObject[]): UserMessage {
  if (parts.some(({ type }) => type === 'compaction')) return { kind: 'compaction', raw: '' };
  const raw = parts.flatMap((part) => typedText(part) ?? []).join('\n\n');
  if (raw !== '') return { kind: 'prompt', raw, text: commandOf(parts) ?? unquoted(raw) };
  const byClient = parts.filter(({ type }) => type === 'text');
  const text = byClient.map((part) => textOf(part['text']) ?? '').join('\n');
  if (text === SHELL) return { kind: 'shell', raw: '!' };
  const continues = byClient.some(
    ({ metadata }) => isObject(metadata) && metadata['compaction_continue'] === true,
  );
  return { kind: continues || text === SUBTASK_DONE ? 'continue' : 'task', raw: text };
}

/** The command that the user typed, where our plugin noted it: the client stores only the text that it stands for. */
function commandOf(parts: readonly JsonObject[]): string | undefined {
  for (const { metadata } of parts) {
    const command = isObject(metadata) ? textOf(metadata[OWN_COMMAND_KEY]) : undefined;
    if (command !== undefined) return command;
  }
  return undefined;
}

function typedText(part: JsonObject): string | undefined {
  if (part['synthetic'] === true || part['ignored'] === true) return undefined;
  switch (part['type']) {
    case 'text':
      return textOf(textOf(part['text'])?.trim());
    case 'file':
      // Text files are part of the prompt as `@name`.
      return textOf(part['mime'])?.startsWith('image/') ? '[image]' : undefined;
    case 'subtask': {
      // A command that runs as a subagent: its prompt is the text of the command, not of the user.
      const command = textOf(part['command']);
      return command === undefined ? textOf(part['prompt']) : typedCommand(command, '');
    }
    default:
      return undefined;
  }
}

/** `opencode run "fix the bug"` sends the quotes too, with those inside escaped. Text from a pipe follows on the next line. */
export function unquoted(text: string): string {
  const [, quoted, piped = ''] = /^"((?:[^"]|(?<=\\)")+?)(?<!\\)"(\n[\s\S]*)?$/.exec(text) ?? [];
  return quoted?.includes(' ') ? `${quoted.replaceAll('\\"', '"')}${piped}` : text;
}
