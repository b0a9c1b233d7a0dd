/**
 * Parses a reply of XML blocks, for models without structured output. A scanner, not an XML parser, because models write
 * `Array<string>`, bare ampersands and code inside the elements. A block that is not closed makes the reply invalid.
 */
import { MEMORY_KINDS, SUMMARY_FIELDS, type SessionSummary } from '../../core/index.ts';
import { OPERATION_NAMES } from '../prompts.ts';
import { tidyText, titleFrom, toReplyOperation, type ReplyOperation } from './_tidy-draft.ts';
import type { Parsed } from './parse-reply.ts';

const NOTHING = /<none\s*\/>|<none>\s*<\/none>/;

export function operationsFromXml(reply: string): Parsed<readonly ReplyOperation[]> {
  const blocks = blocksOf(reply, 'operation');
  if (!blocks) return invalid('an <operation> that does not end');
  if (blocks.length === 0) {
    return NOTHING.test(reply) ? { valid: true, value: [] } : invalid('neither JSON nor <operation>');
  }
  const operations: ReplyOperation[] = [];
  for (const block of blocks) {
    const operation = operationOf(block);
    if (typeof operation === 'string') return invalid(operation);
    operations.push(operation);
  }
  return { valid: true, value: operations };
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

/** Returns a string for an error. */
function operationOf(block: string): ReplyOperation | string {
  const [head, ...lists] = splitLists(block);
  const text = (name: string): string => decoded(element(head, name) ?? '').trim();
  const list = (name: string, item: string): readonly string[] => {
    const content = lists.find((one) => one.name === name)?.content ?? '';
    return listOf(content, item);
  };
  const op = OPERATION_NAMES.find((known) => known === (text('op') || 'add'));
  if (!op) return 'an unknown operation';
  const kind = MEMORY_KINDS.find((known) => known === text('kind')) ?? '';
  if (kind === '' && text('kind') !== '') return 'an unknown kind';
  const body = text('body');
  const title = text('title') || (op === 'add' ? titleFrom(body) : '');
  if (op === 'add' && (kind === '' || title === '')) return 'an add without a kind or a title';
  return toReplyOperation({
    op,
    id: text('id'),
    ends: list('ends', 'id'),
    kind,
    title,
    body,
    reason: text('reason'),
    quote: text('quote'),
    facts: list('facts', 'fact'),
    concepts: list('concepts', 'concept'),
    files: list('files', 'file'),
  });
}

const LISTS = ['ends', 'facts', 'concepts', 'files'];

/** The block without its lists, then the lists: `<ends>` contains elements that the block has too. */
function splitLists(block: string): [string, ...{ readonly name: string; readonly content: string }[]] {
  let head = block;
  const lists = LISTS.map((name) => {
    const content = element(head, name) ?? '';
    head = head.replace(new RegExp(`<${name}(?:\\s[^>]*)?>[\\s\\S]*?</${name}>`), '');
    return { name, content };
  });
  return [head, ...lists];
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
