/** Classifies a `user` line: a prompt, a tool's result, an interrupt, a local command or a message of the client. */
import { isObject, objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import { promptText, tagged } from './_prompt-text.ts';
import type { Head, TranscriptRecord } from './_records.ts';
import type { ToolResult } from '../../reading/tool-facts.ts';

const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/;
const HOOK_FEEDBACK = /^(?:Subagent)?Stop hook feedback:/;
const TASK_NOTIFICATION = '<task-notification>';

export function userRecords(
  head: Head,
  json: JsonObject,
  content: unknown,
  results: readonly ToolResult[],
): readonly TranscriptRecord[] {
  if (json['isCompactSummary'] === true || json['isVisibleInTranscriptOnly'] === true) return [];
  const texts = rawTexts(content);
  if (texts.some((text) => INTERRUPTED.test(text))) {
    const escape = textOf(json['interruptedMessageId']) !== undefined;
    return [...resultRecord(head, results), { kind: 'interrupt', head, escape }];
  }
  if (results.length > 0) return [...resultRecord(head, results), ...saidOnDenial(head, results)];
  return talk(head, json, content, texts.join('\n'));
}

function talk(head: Head, json: JsonObject, content: unknown, raw: string): readonly TranscriptRecord[] {
  const output = tagged(raw, 'local-command-stdout') ?? tagged(raw, 'local-command-stderr');
  if (output !== undefined && raw.startsWith('<local-command-'))
    return [{ kind: 'command-output', head, text: output }];
  const text = promptText(content);
  const byTool = textOf(json['sourceToolUseID']) !== undefined;
  if (json['isMeta'] === true || byTool || HOOK_FEEDBACK.test(text)) return [{ kind: 'aside', head, text }];
  const shell = raw.startsWith('<bash-input>') ? tagged(raw, 'bash-input') : undefined;
  if (shell !== undefined) return [{ kind: 'shell', head, command: shell }];
  if (raw.startsWith('<bash-stdout>') || raw.startsWith('<bash-stderr>')) {
    return [
      {
        kind: 'shell-output',
        head,
        stdout: tagged(raw, 'bash-stdout') ?? '',
        stderr: tagged(raw, 'bash-stderr') ?? '',
      },
    ];
  }
  const command = tagged(raw, 'command-name');
  if (command !== undefined && /^<command-(?:name|message)>/.test(raw))
    return slashCommand(head, raw, command);
  if (text === '') return [];
  return [{ kind: 'prompt', head, text, origin: originOf(json, text), command: false }];
}

/** A skill that the agent called itself has no slash and is not a prompt. */
function slashCommand(head: Head, raw: string, name: string): readonly TranscriptRecord[] {
  if (!name.startsWith('/')) return [{ kind: 'aside', head, text: '' }];
  const text = `${name} ${tagged(raw, 'command-args') ?? ''}`.trim();
  return [{ kind: 'prompt', head, text, origin: 'person', command: true }];
}

/** Old versions do not record who wrote a prompt; then only its text identifies a task. */
function originOf(json: JsonObject, text: string): 'person' | 'task' {
  if (text.startsWith(TASK_NOTIFICATION)) return 'task';
  const kind = isObject(json['origin']) ? json['origin']['kind'] : undefined;
  if (kind !== undefined) return kind === 'human' ? 'person' : 'task';
  if (json['promptSource'] !== undefined) return json['promptSource'] === 'system' ? 'task' : 'person';
  return 'person';
}

function resultRecord(head: Head, results: readonly ToolResult[]): readonly TranscriptRecord[] {
  return results.length === 0 ? [] : [{ kind: 'results', head, results }];
}

function saidOnDenial(head: Head, results: readonly ToolResult[]): readonly TranscriptRecord[] {
  return results.flatMap(({ said }) =>
    said === undefined ? [] : [{ kind: 'added' as const, head, text: said }],
  );
}

function rawTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content.trim()];
  return objectsIn(content).flatMap((block) =>
    block['type'] === 'text' ? [textOf(block['text'])?.trim() ?? ''] : [],
  );
}
