/** Finds the values of a Kubernetes Secret: everything under `data` and `stringData`, whatever its key. */
import { isNeverSecret } from '../secrets/secret-value.ts';
import type { Span } from '../secrets/span.ts';

const TYPE = 'kubernetes-secret';
const KIND = /\bkind\\{0,7}["']?\s{0,4}:\s{0,4}\\{0,7}["']?(?:Sealed)?Secret(?:List)?\b/g;
const MAX_DOCUMENT = 65_536;
const DATA = /(?:^|\n|\\n)([ \t-]*)(?:data|stringData):[ \t]*(?:\r?\n|\\n)/g;
const ENTRY = /^([ \t]+)["']?[\w.-]{1,253}["']?:[ \t]*(?:([|>][-+]?[ \t]*)$|["']?([^\s"'#][^\n"']*)["']?$)/;
const JSON_DATA = /(?:data|stringData)\\{0,7}["']\s{0,4}:\s{0,4}\{/g;
const JSON_ENTRY = /(\\{0,7}["'])[\w.-]{1,253}\1\s{0,4}:\s{0,4}\1((?:(?!\1)[^\n]){1,32768})\1/g;

export function kubernetesSpans(text: string): readonly Span[] {
  if (!text.includes('Secret') || !text.includes('kind')) return [];
  const spans: Span[] = [];
  let done = 0;
  KIND.lastIndex = 0;
  for (let kind = KIND.exec(text); kind !== null; kind = KIND.exec(text)) {
    if (kind.index < done) continue;
    const from = Math.max(done, kind.index - MAX_DOCUMENT, text.lastIndexOf('\n---', kind.index));
    const next = text.indexOf('\n---', kind.index);
    const to = Math.min(next < 0 ? text.length : next, kind.index + MAX_DOCUMENT);
    yaml(text.slice(from, to), from, spans);
    json(text.slice(from, to), from, spans);
    done = to;
  }
  return spans;
}

function yaml(document: string, offset: number, spans: Span[]): void {
  const lineBreak = document.includes('\n') ? '\n' : '\\n';
  let done = 0;
  for (const data of document.matchAll(DATA)) {
    if (data.index < done) continue;
    const base = data[1]?.length ?? 0;
    let block = Infinity; // indentation of the key of a block
    for (let at = data.index + data[0].length; at < document.length;) {
      const found = document.indexOf(lineBreak, at);
      const end = found < 0 ? document.length : found;
      const line = document.slice(at, end).trimEnd();
      const indent = line.search(/\S/);
      if (indent >= 0 && indent <= base) break;
      done = end;
      if (indent > block)
        spans.push({ start: offset + at + indent, end: offset + at + line.length, type: TYPE });
      else if (indent >= 0) {
        const entry = ENTRY.exec(line);
        block = entry?.[2] === undefined ? Infinity : indent;
        const value = entry?.[3];
        if (value !== undefined && !isNeverSecret(value)) {
          const start = offset + at + line.lastIndexOf(value);
          spans.push({ start, end: start + value.length, type: TYPE });
        }
      }
      at = end + lineBreak.length;
    }
  }
}

function json(document: string, offset: number, spans: Span[]): void {
  let done = 0;
  for (const data of document.matchAll(JSON_DATA)) {
    if (data.index < done) continue;
    const from = data.index + data[0].length;
    const end = document.indexOf('}', from);
    done = end < 0 ? document.length : end;
    const map = document.slice(from, done);
    for (const entry of map.matchAll(JSON_ENTRY)) {
      const value = entry[2] ?? '';
      if (isNeverSecret(value)) continue;
      const start = offset + from + entry.index + entry[0].length - (entry[1]?.length ?? 0) - value.length;
      spans.push({ start, end: start + value.length, type: TYPE });
    }
  }
}
