/** Prints a request to the model in a readable form: our parts complete and in place, the client's own left out. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../support/claude.ts';
import { contextsOf } from '../support/hook-context.ts';
import { personsText, textOf, type Block, type Message, type ModelRequest } from '../support/mock-model.ts';

const FOLDER = join(import.meta.dirname, '..', 'golden', 'claude-code');

/** Compares a request with the golden file; `UPDATE_GOLDEN=1` rewrites the file. */
export function assertGolden(
  name: string,
  title: string,
  stage: Stage,
  request: ModelRequest | undefined,
): void {
  assert.ok(request, `no request for ${name}`);
  const file = join(FOLDER, `${name}.md`);
  const actual = `# ${title}\n\n${steady(readable(request), stage)}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, actual);
  }
  assert.equal(actual, readFileSync(file, 'utf8'), name);
}

function readable({ messages }: ModelRequest): string {
  const calls = new Map(
    messages.flatMap(blocksOf).flatMap(({ id, name }) => (id && name ? [[id, name]] : [])),
  );
  return messages
    .map((message) => ({ role: message.role, parts: partsOf(message, calls) }))
    .filter(({ parts }) => parts.length > 0)
    .map(({ role, parts }) => `**${role}**\n\n${parts.join('\n\n')}`)
    .join('\n\n');
}

function partsOf(message: Message, calls: ReadonlyMap<string, string>): readonly string[] {
  const contexts = contextsOf({ model: '', messages: [message] });
  const own = contexts.reduce((rest, { text }) => rest.replace(text, ''), textOf(message));
  const person = message.role === 'user' ? spoken(personsText(message)) : '';
  const isClients =
    message.role === 'system'
      ? /Environment|Available/.test(own)
      : own.includes('<system-reminder>\n') && /currentDate|git commits/.test(own);
  return [
    ...(isClients ? ["(the client's own words)"] : []),
    ...(person ? [person] : []),
    ...(message.role === 'assistant' && textOf(message) ? [textOf(message)] : []),
    ...blocksOf(message).flatMap((block) => toolPart(block, calls)),
    ...contexts.map(({ event, text }) => `The ${event} hook:\n\n${text.trim()}`),
  ];
}

/** Returns the user's text without the client's own, which is about a compaction or its commands. */
function spoken(text: string): string {
  return text
    .replace(
      /^This session is being continued from a previous conversation[\s\S]*/,
      '(the summary of the client)',
    )
    .replaceAll(/<(local-command-\w+|command-\w+)>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function toolPart(
  block: Block & { readonly tool_use_id?: string },
  calls: ReadonlyMap<string, string>,
): readonly string[] {
  if (block.type === 'tool_use') {
    const { file_path: file = '' } = (block.input ?? {}) as { file_path?: string };
    return [`calls ${block.name} ${file}`.trim()];
  }
  return block.type === 'tool_result'
    ? [`(what ${calls.get(block.tool_use_id ?? '') ?? 'a tool'} answered)`]
    : [];
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [] : content;
}

/** Replaces ids, ages and paths, which differ from run to run, by fixed names. */
function steady(text: string, stage: Stage): string {
  const names = new Map<string, string>();
  const named = (prefix: string) => (found: string) => {
    const name =
      names.get(found) ??
      `${prefix}-${[...names.values()].filter((one) => one.startsWith(prefix)).length + 1}`;
    names.set(found, name);
    return name;
  };
  return text
    .replaceAll(stage.project, '/project')
    .replaceAll(/(?<=, |\bid )[0-9a-hjkmnp-tv-z]{7}(?=[);\n]|$)/g, named('id'))
    .replaceAll(/(?<=session )[0-9a-f]{8}\b/g, named('s'))
    .replaceAll(/\b(?:just now|\d+m ago)\b/g, 'just now')
    .replaceAll(/(?<=, )\d+ min(?=[,;)])/g, 'now');
}
