/** Finds base64 text whose content is a secret. The content is judged by the other detectors, once. */
import { shapeOf } from './_shape.ts';
import type { Span } from './_span.ts';

const TYPE = 'encoded-secret';
const MIN = 12;
const MIN_ALONE = 20; // without a hint that it is base64, a shorter run is a word
const MAX = 16_384;
const PROBE = 24; // enough characters to see that the content is text
const RUN = /[A-Za-z0-9+/_-]{12,}={0,2}/g;
const DECODED_BEFORE =
  /(?:base64["']?[ :,=]{1,3}["']?|atob\(\s?\\?["'`]|b64decode\(\s?b?\\?["']|(?:echo|printf|<<<)\s{1,2}(?:-n )?\\?["']?|decode\w*\(?[:\s]{0,2}\\?["']?)$/i;
const DECODED_AFTER = /^\\?["'`]?\)?[\s,|]{0,4}(?:base64|b64|openssl enc|["']base64)/i;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;

/** `spansOf` finds secrets in the decoded text. */
export function encodedSpans(text: string, spansOf: (text: string) => readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  RUN.lastIndex = 0;
  for (let run = RUN.exec(text); run !== null; run = RUN.exec(text)) {
    const [value] = run;
    if (value.length > MAX || !looksEncoded(value)) continue;
    const decoded = decode(value);
    if (decoded === undefined) continue;
    const isMarked =
      DECODED_BEFORE.test(text.slice(Math.max(0, run.index - 24), run.index)) &&
      (DECODED_AFTER.test(text.slice(RUN.lastIndex, RUN.lastIndex + 24)) || value.length >= MIN_ALONE);
    if (value.length < MIN_ALONE && !isMarked) continue;
    const isSecret = spansOf(decoded).length > 0 || (isMarked && shapeOf(decoded.trim()) !== 'none');
    if (isSecret) spans.push({ start: run.index, end: RUN.lastIndex, type: TYPE });
  }
  return spans;
}

/** Rejects most words and paths before anything is decoded. */
function looksEncoded(value: string): boolean {
  if (/^[0-9a-f]+$|^[a-z]+$|^[A-Z_]+$|^[0-9-]+$/.test(value)) return false;
  const probe = decode(value.slice(0, PROBE - (PROBE % 4)));
  return probe !== undefined && /[A-Za-z0-9]{3}/.test(probe);
}

function decode(value: string): string | undefined {
  const body = value.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (body.length % 4 === 1) return undefined;
  try {
    const decoded = atob(body);
    return PRINTABLE.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
