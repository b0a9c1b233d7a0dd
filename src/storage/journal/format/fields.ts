/**
 * Renders and parses the text of an entry. Bullets are facts, `Reason:`, `Files:` and `Concepts:` are lines, the rest is
 * the body; a field continues on the lines indented under it. When the body itself contains such lines, a comment marks
 * its end.
 */
import type { MemoryDraft } from '../../../core/index.ts';
import { decodeBody, decodeFence, encodeBody, encodeFence } from './escape.ts';
import { markFences, type FencedLine } from './fence.ts';
import { tidyBody, tidyText } from './normalise.ts';

const END_OF_TEXT = '<!-- tidemark end of text -->';

const BULLET = /^[-*+](?:[ \t]+|$)/;
const LABEL = /^(reason|files|concepts):[ \t]*/i;
/** Indentation of the continuation lines of a field. */
const INDENT = '  ';

export type Fields = Pick<MemoryDraft, 'body' | 'reason' | 'facts' | 'files' | 'concepts'>;

export function renderFields(fields: Fields): string {
  const body = encodeBody(fields.body);
  const facts = fields.facts.map((fact) => `- ${indent(fact)}`).join('\n');
  const parts = [
    body + (needsEnd(body) ? `\n\n${END_OF_TEXT}` : ''),
    fields.reason ? `Reason: ${indent(fields.reason)}` : '',
    facts,
    fields.files.length > 0 ? `Files: ${renderFiles(fields.files)}` : '',
    fields.concepts.length > 0 ? `Concepts: ${renderConcepts(fields.concepts)}` : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

export function parseFields(lines: readonly string[]): Fields {
  const marked = markFences(lines);
  const end = marked.findIndex(({ line, fence }) => fence === 'none' && line.trimEnd() === END_OF_TEXT);
  const bodies = end < 0 ? [] : [tidyBody(decodeBody(lines.slice(0, end).join('\n')))];
  const blocks = splitBlocks(marked.slice(end + 1), lineKind);
  bodies.push(...take(blocks, 'body').map((block) => tidyBody(decodeBody(block.join('\n')))));
  const reason = take(blocks, 'reason').map(fieldText).join('\n');
  const names = (kind: string) => take(blocks, kind).flatMap((block) => parseNames(block.join(' ')));
  return {
    body: bodies.filter((body) => body !== '').join('\n\n'),
    ...(reason ? { reason } : {}),
    facts: take(blocks, 'fact')
      .map(fieldText)
      .filter((fact) => fact !== ''),
    files: names('files'),
    concepts: names('concepts'),
  };
}

/** Indents the continuation lines of a field and escapes its fences. */
export function indent(text: string): string {
  return text
    .split('\n')
    .map((line, at) => (at > 0 && line !== '' ? INDENT : '') + encodeFence(line))
    .join('\n');
}

export function fieldText(lines: readonly string[]): string {
  return tidyText(lines.map(decodeFence).join('\n'));
}

export interface Block {
  readonly kind: string;
  readonly lines: string[];
}

/** Returns the kind of field that a line starts, and the length of its label. */
export type LineKind = (line: string) => readonly [kind: string, length: number] | undefined;

/** Splits lines into fields and body and respects fences; a field continues like a Markdown list item. */
export function splitBlocks(lines: readonly FencedLine[], kindOf: LineKind): readonly Block[] {
  const blocks: Block[] = [];
  let gap: string[] = [];
  for (const { line, fence } of lines) {
    const last = blocks.at(-1);
    const starts = fence === 'inside' ? undefined : kindOf(line);
    if (starts) {
      blocks.push({ kind: starts[0], lines: [line.slice(starts[1])] });
      gap = [];
    } else if (line.trim() === '' && fence !== 'inside') {
      gap.push(line);
    } else if (last && (last.kind === 'body' || continues(line, fence, gap))) {
      last.lines.push(...gap, last.kind === 'body' ? line : unindent(line));
      gap = [];
    } else {
      blocks.push({ kind: 'body', lines: [line] });
      gap = [];
    }
  }
  return blocks;
}

function continues(line: string, fence: FencedLine['fence'], gap: readonly string[]): boolean {
  if (/^(?: {2}|\t)/.test(line)) return true;
  if (fence === 'inside') return gap.length === 0;
  return fence === 'none' && gap.length === 0;
}

function unindent(line: string): string {
  return line.replace(/^(?: {1,2}|\t)/, '');
}

function lineKind(line: string): readonly [string, number] | undefined {
  const bullet = BULLET.exec(line);
  if (bullet) return ['fact', bullet[0].length];
  const label = LABEL.exec(line);
  return label?.[1] ? [label[1].toLowerCase(), label[0].length] : undefined;
}

function needsEnd(body: string): boolean {
  return markFences(body.split('\n')).some(
    ({ line, fence }) => fence !== 'inside' && lineKind(line) !== undefined,
  );
}

function take(blocks: readonly Block[], kind: string): readonly (readonly string[])[] {
  return blocks.filter((block) => block.kind === kind).map((block) => block.lines);
}

/** Renders names in one line: a name with a comma or a backtick is a code span. */
function renderFiles(names: readonly string[]): string {
  return names.map(codeSpan).join(', ');
}

function renderConcepts(names: readonly string[]): string {
  return names.map((name) => (/[`,]/.test(name) ? codeSpan(name) : name)).join(', ');
}

/** Reads the output of `renderFiles` and `renderConcepts`, and what the user types in their place. */
function parseNames(text: string): readonly string[] {
  const names: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [name, length] = codeSpanAt(rest) ?? plainAt(rest);
    if (name !== '') names.push(name);
    const comma = rest.indexOf(',', length);
    rest = comma < 0 ? '' : rest.slice(comma + 1).trimStart();
  }
  return names;
}

function codeSpan(name: string): string {
  let longest = 0;
  for (const [run] of name.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const ticks = '`'.repeat(longest + 1);
  const blank = name.startsWith('`') || name.endsWith('`') ? ' ' : '';
  return ticks + blank + name + blank + ticks;
}

function codeSpanAt(text: string): readonly [string, number] | undefined {
  const ticks = /^`+/.exec(text)?.[0];
  if (!ticks) return undefined;
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    if (index === 0 || run.length !== ticks.length) continue;
    return [text.slice(ticks.length, index).trim(), index + ticks.length];
  }
  return undefined;
}

function plainAt(text: string): readonly [string, number] {
  const comma = text.indexOf(',');
  const length = comma < 0 ? text.length : comma;
  return [text.slice(0, length).trim(), length];
}
