/** Extracts the user's own text from a prompt: removes what the client, an editor or a hook added. Pure. */
import { isObject, textOf } from '../../reading/json.ts';

const INJECTED =
  /<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook|local-command-[a-z]+)>[\s\S]*?<\/\1>/g;

/** Returns the text of a message's content: text blocks joined, images named, injected blocks removed. */
export function promptText(content: unknown): string {
  if (typeof content === 'string') return withoutInjected(content);
  if (!Array.isArray(content)) return '';
  return content.map(blockText).filter(Boolean).join('\n\n');
}

function withoutInjected(text: string): string {
  return text.replace(INJECTED, '').trim();
}

/** `tagged('<command-name>/clear</command-name>', 'command-name')` → `/clear` */
export function tagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  if (open === -1) return undefined;
  const from = open + tag.length + 2;
  const close = text.indexOf(`</${tag}>`, from);
  return close === -1 ? undefined : text.slice(from, close).trim();
}

function blockText(block: unknown): string {
  if (!isObject(block)) return '';
  if (block['type'] === 'text') return withoutInjected(textOf(block['text']) ?? '');
  if (block['type'] === 'image') return '[image]';
  if (block['type'] === 'document') return '[document]';
  return '';
}
