/** How wide text is on a terminal, and cutting and breaking it there. Chinese, Japanese, Korean and most emoji take two columns. */
import { stripVTControlCharacters } from 'node:util';

/** Ranges of code points that take two columns (East Asian Width W and F, without the rare ones). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26a1, 0x26a1],
  [0x26bd, 0x26be],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2795, 0x2797],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];
/** Marks that sit on the character before them, joiners and variation selectors. */
const NO_WIDTH = /^[\p{Mn}\p{Me}\u200b-\u200d]$/u;
const ELLIPSIS = '…';

export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += widthOfOne(character);
  return width;
}

/** Cut to that many columns, with an ellipsis where something is missing. Not for text with colours in it. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const character of text) {
    width += widthOfOne(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns > 0 ? `${kept.trimEnd()}${ELLIPSIS}` : '';
}

/** Filled up with spaces to that many columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Broken into lines at spaces, and anywhere in what has none (a path, Chinese). Not for text with colours in it. */
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

/** Each line broken at spaces; code (indented or fenced) is left as it is. */
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
  let piece = '';
  for (const character of word) {
    if (piece !== '' && widthOf(piece) + widthOfOne(character) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

function widthOfOne(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xad ? 0 : 1;
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}
