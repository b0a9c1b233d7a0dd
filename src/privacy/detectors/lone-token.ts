/**
 * Finds tokens that nothing names: a long, random word of letters and digits in a sentence, a string or a command. It needs
 * no word for a secret near it and so works in every language. Ids, hashes, data and parts of addresses are not taken.
 */
import { entropy, variety } from '../secrets/secret-value.ts';
import type { Span } from '../secrets/span.ts';

const TYPE = 'high-entropy';
const MIN = 20;
const MAX = 128; // longer ones are data
const MIN_VARIETY = 0.4; // changes between letters, digits and cases per character; random base62 has about 0.6
const MIN_ENTROPY = 3.9; // bits per character
const MIN_DIGITS = 1;
const TOKEN = /(?<![\w+/.=@#$%:~-])[A-Za-z0-9][A-Za-z0-9_-]{19,4096}(?![\w+/@~%=-]|[.:](?=\w))/g;
/** Public keys of SSH, and ids of services, which begin with their kind: `msg_…`, `run-…`. Issuers' keys are in a table. */
const ID = /^AAAA[A-Z]|^(?:[a-z]{2,12}_){1,2}(?:\d{1,3}_)?(?=[A-Za-z0-9]+$)|^[a-z]{2,10}-(?=[A-Za-z0-9]+$)/;
/** The word before says that it is no secret. */
const HARMLESS_BEFORE =
  /(?:hash|hashes|digest|checksum|sha\d*|md5|etag|integrity|commit|revision|rev|version|cursor|nonce|fingerprint|trace|request|req|span|message|msg|build|artifact|blob|object|cache|page|doc|document|sheet|video|file|public|pub|image|layer|container|upload|id|ids|uid|uuid|guid|ulid|cid|kid|jti|x5t|x5c|thumbprint|slug|etags|_id|Id|ID)["'`]?[)\]]?\s{0,3}(?:is|=|:|=>|->|\(|==|,)?\s{0,3}["'`(]?$/;
const LOOK_BACK = 40;

export function loneTokenSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [value] = match;
    if (!isLoneToken(value)) continue;
    if (HARMLESS_BEFORE.test(text.slice(Math.max(0, match.index - LOOK_BACK), match.index))) continue;
    spans.push({ start: match.index, end: match.index + value.length, type: TYPE });
  }
  return spans;
}

function isLoneToken(value: string): boolean {
  if (value.length < MIN || value.length > MAX || ID.test(value)) return false;
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || (value.match(/\d/g)?.length ?? 0) < MIN_DIGITS)
    return false;
  const words = value.match(/[A-Z]?[a-z]{4,}/g)?.join('').length ?? 0;
  if (words > value.length / 3) return false; // an identifier: `handleOAuth2CallbackV2Request`
  return variety(value) >= MIN_VARIETY && entropy(value) >= MIN_ENTROPY;
}
