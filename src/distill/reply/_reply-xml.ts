/**
 * Parses a reply of XML blocks, for models without structured output. A scanner, not an XML parser, because models write
 * `Array<string>`, bare ampersands and code inside the elements. A block that is not closed makes the reply invalid.
 */
import {
  MEMORY_KINDS,
  SUMMARY_FIELDS,
  type MemoryDraft,
  type MemoryKind,
  type SessionSummary,
} from '../../core/index.ts';
import { tidyText, titleFrom, toDraft } from './_tidy-draft.ts';
import type { Parsed } from './parse-reply.ts';

const NOTHING = /<none\s*\/>|<none>\s*<\/none>/;

export function memoriesFromXml(reply: string): Parsed<readonly MemoryDraft[]> {
  const blocks = blocksOf(reply, 'observation');
  if (!blocks) return invalid('an <observation> that does not end');
  if (blocks.length === 0) {
    return NOTHING.test(reply) ? { valid: true, value: [] } : invalid('neither JSON nor <observation>');
  }
  const drafts: MemoryDraft[] = [];
  for (const block of blocks) {
    const draft = draftOf(block);
    if (typeof draft === 'string') return invalid(draft);
    drafts.push(draft);
  }
  return { valid: true, value: drafts };
}

export function summaryFromXml(reply: string): Parsed<SessionSummary> {
  const blocks = blocksOf(reply, 'summary');
  const [block] = blocks ?? [];
  if (block === undefined) return invalid('no whole <summary>');
  const fields: [string, string][] = [];
  for (const field of SUMMARY_FIELDS) {
    const content = element(block, field);
    if (content === undefined) return invalid(`<${field}> is missing`);
    const files = field.startsWith('files_') ? listOf(content, 'file') : [];
    fields.push([field, tidyText(files.length > 0 ? files.join(', ') : decoded(content))]);
  }
  return { valid: true, value: Object.fromEntries(fields) as SessionSummary };
}

/** The short form has type and text, the long one title, narrative and lists. Returns a string for an error. */
function draftOf(block: string): MemoryDraft | string {
  const type = decoded(element(block, 'type') ?? '').trim();
  const kind = MEMORY_KINDS.find((known): known is MemoryKind => known === type);
  if (!kind) return 'an unknown type';
  const text = decoded(element(block, 'text') ?? element(block, 'narrative') ?? '').trim();
  const title = decoded(element(block, 'title') ?? '').trim() || titleFrom(text);
  if (title === '') return 'an <observation> without a title or a text';
  const list = (name: string, item: string) => listOf(element(block, name) ?? '', item);
  const state = decoded(element(block, 'state') ?? '').trim();
  return toDraft({
    kind,
    title,
    body: text || title,
    reason: decoded(element(block, 'reason') ?? ''),
    facts: list('facts', 'fact'),
    concepts: list('concepts', 'concept'),
    files: ['files', 'files_edited', 'files_modified', 'files_read'].flatMap((name) => list(name, 'file')),
    state: state === 'open' || state === 'resolved' ? state : '',
  });
}

/** The contents of every `<name>…</name>`; undefined if one is not closed. */
function blocksOf(text: string, name: string): readonly string[] | undefined {
  const blocks: string[] = [];
  const open = new RegExp(`<${name}(?:\\s[^>]*)?>`, 'g');
  for (let match = open.exec(text); match; match = open.exec(text)) {
    const start = open.lastIndex;
    const end = text.indexOf(`</${name}>`, start);
    if (end < 0) return undefined;
    blocks.push(text.slice(start, end));
    open.lastIndex = end;
  }
  return blocks;
}

/** The content of the first `<name>` of a block; undefined if it is missing or not closed. */
function element(block: string, name: string): string | undefined {
  const empty = new RegExp(`<${name}\\s*/>`).exec(block);
  const open = new RegExp(`<${name}(?:\\s[^>/]*)?>`).exec(block);
  if (!open || (empty && empty.index < open.index)) return empty ? '' : undefined;
  const start = open.index + open[0].length;
  const end = block.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : block.slice(start, end);
}

/** `<fact>…</fact>` items, or bullets or lines if the model forgot the tags. */
function listOf(content: string, item: string): readonly string[] {
  const found = blocksOf(content, item);
  const items = found?.length ? found : content.split('\n').map((line) => line.replace(/^\s*[-*•]\s+/, ''));
  return items
    .map((text) => decoded(text).trim())
    .filter((text) => text !== '' && !/^<\/?[a-z_]+\/?>$/.test(text));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function decoded(text: string): string {
  return text
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/gi, (whole, hex, decimal, name) => {
      if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole;
      const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
        ? String.fromCodePoint(code)
        : '';
    });
}

function invalid(reason: string): { readonly valid: false; readonly reason: string } {
  return { valid: false, reason };
}
