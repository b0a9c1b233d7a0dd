/** A text as lines, with where each stands. A byte order mark and carriage returns are no part of a line's text. */

export interface Line {
  readonly text: string;
  readonly start: number;
  /** After the line break. */
  readonly end: number;
}

export function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at + 1;
    const from = start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : start;
    const to = at < 0 ? text.length : text.charCodeAt(at - 1) === 13 && at > start ? at - 1 : at;
    lines.push({ text: text.slice(from, to), start, end });
    start = end;
  }
  return lines;
}
