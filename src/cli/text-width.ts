/** Measures, cuts and wraps text for a terminal. Chinese, Japanese, Korean and most emoji take two columns. */
import { stripVTControlCharacters } from 'node:util';
import { wholeWords } from '../core/index.ts';

/** Characters of two columns (East Asian Width W and F, without the rare ones). */
const WIDE = new RegExp(
  [
    '[\\u1100-\\u115f\\u231a\\u231b\\u23e9-\\u23ec\\u2614\\u2615\\u2648-\\u2653\\u26a1\\u26bd\\u26be\\u2705\\u274c',
    '\\u2753-\\u2755\\u2795-\\u2797\\u2b1b\\u2b1c\\u2b50\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\ua4cf',
    '\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1f64f}',
    '\\u{1f680}-\\u{1f6ff}\\u{1f7e0}-\\u{1f7eb}\\u{1f900}-\\u{1faff}\\u{20000}-\\u{3fffd}]',
  ].join(''),
  'u',
);
/** Combining marks, joiners and variation selectors. */
const NO_WIDTH = /^[\p{Mn}\p{Me}\u200b-\u200d]$/u;
const ELLIPSIS = '…';

export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += widthOfOne(character);
  return width;
}

/** Cuts text to that many columns, after a whole word, and adds an ellipsis. Not for coloured text. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const kept = wholeWords(fitting(text, columns - 1), text);
  return columns > 0 ? `${kept.trimEnd()}${ELLIPSIS}` : '';
}

/** Pads text with spaces to that many columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Wraps text at spaces, and between the names and characters of what has none (a path, Chinese). Not for coloured text. */
export function wrap(text: string, columns: number): readonly string[] {
  const room = Math.max(1, columns);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= room) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = widthOf(word) <= room ? [word] : chop(word, room);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line];
}

/** Wraps each line at spaces; leaves code (indented or fenced) unchanged. */
export function wrapText(text: string, columns: number): string {
  let isCode = false;
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      return isCode || /^\s/.test(line) ? [line] : wrap(line, columns);
    })
    .join('\n');
}

function chop(word: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let rest = word;
  for (let head = fitting(rest, columns); head !== rest; head = fitting(rest, columns)) {
    const piece = wholeWords(head || firstOf(rest), rest);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** The beginning of a text that fits, in whole characters. */
function fitting(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOfOne(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** A wide character is wider than a line of one column. */
function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

function widthOfOne(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xad ? 0 : 1;
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
