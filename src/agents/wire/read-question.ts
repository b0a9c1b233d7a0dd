/** The question after a read, for clients whose hooks have the fields of Claude Code and tools of their own. Pure. */
import { fieldsOf, textOf } from './fields.ts';
import type { HookFields, ToolHookName, ToolQuestion } from './wire.ts';

/** The client's tool that reads a file, and the input that names the file. */
export interface ReadTool {
  readonly tool: string;
  readonly file: string;
}

export function readQuestion(
  hook: ToolHookName,
  input: HookFields,
  { tool, file }: ReadTool,
): ToolQuestion | undefined {
  const [session, cwd] = [textOf(input['session_id']), textOf(input['cwd'])];
  const read = textOf(fieldsOf(input['tool_input'])[file]);
  if (hook !== 'PostToolUse' || input['tool_name'] !== tool) return undefined;
  if (session === '' || cwd === '' || read === '') return undefined;
  const [agent, call] = [textOf(input['agent_id']), textOf(input['tool_call_id'])];
  return {
    session,
    cwd,
    files: [read],
    ...(agent === '' ? {} : { agent }),
    ...(call === '' ? {} : { call }),
  };
}
