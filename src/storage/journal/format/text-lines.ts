/** Decodes files and splits texts into lines. */
import { isUtf8 } from 'node:buffer';

export interface Line {
  /** Without byte order mark and carriage return. */
  readonly text: string;
  readonly start: number;
  /** After the line break. */
  readonly end: number;
}

/** Returns the text of a file in the encoding an editor chose. It is written back as UTF-8, without losing characters. */
export function decodeText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le');
  return new TextDecoder('windows-1252').decode(bytes);
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
