/** Finds secrets in tables: Markdown, ASCII and box tables, aligned columns, CSV and TSV. A cell names the secret. */
import { secretName, type Strength } from '../secrets/secret-name.ts';
import { wordOf, type SecretWord } from '../secrets/secret-words.ts';
import { isSecretValue } from '../secrets/secret-value.ts';
import { shapeOf } from '../secrets/shape.ts';
import type { Span } from '../secrets/span.ts';

const MAX_LINE = 4096;
const RULE_LINE = /^[\s|+:=─│┼├┤┌┐└┘┬┴╞╡═╪╔╗╚╝║╠╣╬-]*$/;
const BAR = /[|│║]/;
const DECORATION = /^[\s*_`"'~]+|[\s*_`"'~]+$/g;
const LABEL = /^[\p{L}\p{N}_ ./()-]{2,60}$/u; // not code
const CSV_HEADER =
  /^"?\p{L}[\p{L}\p{N}_ .()/-]{0,40}"?([,;]) ?"?\p{L}[\p{L}\p{N}_ .()/-]{0,40}"?(?:\1[\p{L}\p{N}_ .()/"-]{0,44})*$/u;
const CSV_CELL = {
  ',': /"((?:[^"]|"")*)"|[^,]+|(?<=,|^)(?=,|$)/g,
  ';': /"((?:[^"]|"")*)"|[^;]+|(?<=;|^)(?=;|$)/g,
};

interface Cell {
  readonly text: string;
  readonly start: number;
}
type Split = (line: string, offset: number) => readonly Cell[];
interface Column {
  readonly index: number;
  readonly strength: Strength;
  readonly type: string;
}

export function tableSpans(text: string, words: readonly SecretWord[]): readonly Span[] {
  const spans: Span[] = [];
  let done = 0;
  for (const word of words) {
    if (word.start < done) continue;
    const from = Math.max(done, word.start - MAX_LINE);
    const start = from + text.slice(from, word.start).lastIndexOf('\n') + 1;
    const end = endOfLine(text, word.end);
    done = end;
    if (end - start > MAX_LINE) continue;
    const header = text.slice(start, end);
    const split = splitter(header);
    if (split === undefined) continue;
    const cells = split(header, start);
    if (cells.length < 2) continue;
    const columns = cells.flatMap((cell, index) => columnOf(cell, index));
    if (columns.length === 0) continue;
    const isRow = !CSV_HEADER.test(header.trim()) && sideBySide(cells, columns, spans);
    if (!isRow) done = rows(text, end + 1, split, cells, columns, spans);
  }
  return spans;
}

/** `| Password | X |`: the name is on the left of its value. */
function sideBySide(cells: readonly Cell[], columns: readonly Column[], spans: Span[]): boolean {
  let isRow = false;
  for (const { index, strength, type } of columns) {
    const value = trimmed(cells[index + 1]);
    if (value === undefined || secretName(value.text) !== undefined) continue;
    const shape = shapeOf(value.text);
    if (shape === 'none' || (shape === 'weak' && strength === 'token' && value.text.length < 20)) continue;
    spans.push({ start: value.start, end: value.start + value.text.length, type });
    isRow = true;
  }
  return isRow;
}

/** Reads the rows below a header. Returns the end of the table. */
function rows(
  text: string,
  from: number,
  split: Split,
  header: readonly Cell[],
  columns: readonly Column[],
  spans: Span[],
): number {
  let start = from;
  while (start < text.length) {
    const end = endOfLine(text, start);
    const line = text.slice(start, Math.min(end, start + MAX_LINE));
    if (!RULE_LINE.test(line) || line.trim() === '') {
      const cells = split(line, start);
      if (line.trim() === '' || cells.length !== header.length) break;
      for (const { index, strength, type } of columns) {
        const value = trimmed(cells[index]);
        if (value === undefined || !isSecretCell(value.text, strength)) continue;
        spans.push({ start: value.start, end: value.start + value.text.length, type });
      }
    }
    start = end + 1;
  }
  return Math.min(start, text.length);
}

function isSecretCell(value: string, strength: Strength): boolean {
  if (/\s/.test(value) || !isSecretValue(value, strength, 'env') || secretName(value) !== undefined)
    return false;
  return (
    /\d|[!@#$%^&*?]/.test(value) && (strength === 'password' ? value.length >= 4 : shapeOf(value) !== 'none')
  );
}

function columnOf(cell: Cell, index: number): readonly Column[] {
  const label = cell.text.replace(DECORATION, '').replace(/:$/, '').replace(DECORATION, '');
  if (!LABEL.test(label) || label.split(' ').length > 4) return [];
  const name = secretName(label);
  if (name !== undefined) return [{ index, strength: name.strength, type: name.type }];
  const word = wordOf(label);
  return word === undefined
    ? []
    : [{ index, strength: word.strength, type: word.strength === 'password' ? 'password' : 'secret' }];
}

function splitter(header: string): Split | undefined {
  if (BAR.test(header)) return (line, offset) => cellsBetween(line, offset, /[|│║]/g, true);
  if (/\S\t/.test(header) && !/^\s|[{}();]/.test(header))
    return (line, offset) => cellsBetween(line, offset, /\t/g, false);
  const separator = CSV_HEADER.exec(header.trim())?.[1];
  if (separator === ',' || separator === ';')
    return (line, offset) =>
      [...line.trimEnd().matchAll(CSV_CELL[separator])].map((match) => ({
        text: match[0],
        start: offset + match.index,
      }));
  if (/^\S+(?: \S+)?(?: {2,}\S+(?: \S+)?)+\s*$/.test(header) && header === header.toUpperCase())
    return (line, offset) => cellsBetween(line, offset, / {2,}/g, false);
  return undefined;
}

/** `hasEdges`: bars at both ends are the frame of the table. */
function cellsBetween(line: string, offset: number, separator: RegExp, hasEdges: boolean): readonly Cell[] {
  const cells: Cell[] = [];
  let from = 0;
  for (const match of line.matchAll(separator)) {
    cells.push({ text: line.slice(from, match.index), start: offset + from });
    from = match.index + match[0].length;
  }
  cells.push({ text: line.slice(from), start: offset + from });
  return hasEdges
    ? cells.filter(({ text }, i) => text.trim() !== '' || (i > 0 && i < cells.length - 1))
    : cells;
}

function trimmed(cell: Cell | undefined): Cell | undefined {
  if (cell === undefined) return undefined;
  const lead = /^[\s*_`"'~]*/.exec(cell.text)?.[0].length ?? 0;
  const text = cell.text
    .slice(lead)
    .replace(/[\s`"'~]+$/, '')
    .replace(/\*\*$/, '');
  return { text, start: cell.start + lead };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
