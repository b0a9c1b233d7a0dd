/**
 * The wire of Qwen Code. Its hooks have the events, fields and answers of Claude Code, with tools of other names. It fires
 * UserPromptSubmit again after every step of the model, with an empty prompt.
 */
import type { HookName } from '../../core/index.ts';
import { asTyped } from '../reading/own-command.ts';
import { textOf } from '../wire/fields.ts';
import { readQuestion } from '../wire/read-question.ts';
import type { HookFields, Wire } from '../wire/wire.ts';

const PROMPT_ID = /#{8}\d+/;
const TRANSCRIPT = /[\\/](?:chats|subagents[\\/][^\\/]+)[\\/][^\\/]+\.jsonl$/;

export const qwenWire: Wire = {
  agent: 'qwen',
  variables: ['QWEN_HOME', 'QWEN_RUNTIME_DIR'],
  sessionVariable: 'QWEN_CODE_SESSION_ID',
  isOwn: ({ transcript_path: path, prompt_id: prompt, timestamp }) =>
    typeof timestamp === 'string' &&
    ((typeof path === 'string' && TRANSCRIPT.test(path)) ||
      (typeof prompt === 'string' && PROMPT_ID.test(prompt))),
  toInput,
  toQuestion: (hook, input) => readQuestion(hook, input, { tool: 'read_file', file: 'file_path' }),
  toOutput: (_hook, answer) => answer,
};

/** `submitted_prompt` is what the user typed; `prompt` may be the text that a command was replaced by. */
function toInput(event: HookName, input: HookFields): HookFields | string {
  if (event !== 'UserPromptSubmit') return input;
  const prompt = textOf(input['submitted_prompt']) || textOf(input['prompt']);
  return prompt.trim() === ''
    ? 'a step of the model without a prompt'
    : { ...input, prompt: asTyped(prompt) };
}
