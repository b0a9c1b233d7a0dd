/**
 * The text of an entry ⇄ its fields. Bullets are facts, `Reason:`, `Files:` and `Concepts:` are lines, the rest is the
 * body; a field goes on over the lines indented under it. Where the body itself holds bullets or such lines, a comment
 * that says where the text ends keeps them apart.
 */
import type { MemoryDraft } from '../../../core/index.ts';
import { decodeBody, decodeFence, encodeBody, encodeFence } from './escape.ts';
import { markFences, type FencedLine } from './fence.ts';
import { parseNames, renderConcepts, renderFiles } from './names.ts';
import { tidyBody, tidyText } from './normalise.ts';

export const END_OF_TEXT = '<!-- tidemark end of text -->';

const BULLET = /^[-*+](?:[ \t]+|$)/;
const LABEL = /^(reason|files|concepts):[ \t]*/i;
/** How far the further lines of a field stand in. */
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

/** The value of a field that starts a line: its further lines are indented, and hold no fence. */
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

/** What a line begins: a kind of field, and how many characters say so. */
export type LineKind = (line: string) => readonly [kind: string, length: number] | undefined;

/** Cuts lines into fields and body, fence-aware; a field takes in lines as a Markdown list item does. */
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
    } else if (last && (last.kind === 'body' || goesOn(line, fence, gap))) {
      last.lines.push(...gap, last.kind === 'body' ? line : unindent(line));
      gap = [];
    } else {
      blocks.push({ kind: 'body', lines: [line] });
      gap = [];
    }
  }
  return blocks;
}

function goesOn(line: string, fence: FencedLine['fence'], gap: readonly string[]): boolean {
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
