/** Finds the password in `scheme://user:password@host`, also with its slashes escaped or the whole URL encoded. */
import { isRandom, isSecretValue } from '../secrets/secret-value.ts';
import type { Span } from '../secrets/span.ts';

const TYPE = 'connection-password';
const MIN_TOKEN = 20;
const MAX_USER_INFO = 512;
const STOP = /[\s"'`<>]|\\[nrt"']/;
// Passwords in these are often not encoded, including `/` and `@`.
const DATABASE =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|cockroachdb|clickhouse|snowflake|jdbc:\w+|ldaps?|smtps?|kafka|nats|couchbase|neo4j(?:\+s)?|bolt)(?:\+\w+)?$/i;
const ENCODED = /%3A%2F%2F([^\s%"']{0,128})%3A((?:(?!%40)[^\s"'&]){1,256})%40/gi;
const DSN_HOST = /^[\w.-]*(?:sentry|ingest)[\w.-]*/;

export function credentialUrlSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const mark of ['://', ':\\/\\/']) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      const span = inUserInfo(text, at, at + mark.length);
      if (span !== undefined) spans.push(span);
    }
  }
  if (/%3a%2f%2f/i.test(text)) encoded(text, spans);
  if (text.includes('@tcp(') || text.includes('@unix(')) goDsn(text, spans);
  return spans;
}

function inUserInfo(text: string, schemeEnd: number, from: number): Span | undefined {
  const window = text.slice(from, from + MAX_USER_INFO);
  const stop = window.search(STOP);
  const chunk = stop < 0 ? window : window.slice(0, stop);
  const isDatabase = DATABASE.test(text.slice(Math.max(0, schemeEnd - 24), schemeEnd));
  const [authority = ''] = chunk.split(isDatabase ? /[?#](?=\w+=)/ : /[/?#]/, 1);
  const end = authority.lastIndexOf('@');
  if (end < 0) return undefined;
  const colon = chunk.indexOf(':');
  if (colon < 0 || colon > end) return keyOfDsn(chunk, from, end);
  const password = chunk.slice(colon + 1, end);
  if (!isSecretValue(password, 'password', 'env')) return undefined;
  return { start: from + colon + 1, end: from + end, type: TYPE };
}

function keyOfDsn(chunk: string, from: number, end: number): Span | undefined {
  const key = chunk.slice(0, end);
  // A token in the place of the user.
  if (/^[0-9a-f]{32}$/.test(key) && DSN_HOST.test(chunk.slice(end + 1)))
    return { start: from, end: from + end, type: 'sentry-dsn' };
  if (key.length < MIN_TOKEN || !/^[\w.~%-]+$/.test(key) || !isRandom(key)) return undefined;
  return { start: from, end: from + end, type: TYPE };
}

/** `user:password@tcp(host:3306)/db` */
function goDsn(text: string, spans: Span[]): void {
  for (const match of text.matchAll(/(?<![\w.-])[\w.-]{1,64}:([^\s"'`@:/[\]]{3,128})@(?:tcp|unix)\(/g)) {
    const password = match[1] ?? '';
    const start = match.index + match[0].indexOf(':') + 1;
    if (isSecretValue(password, 'password', 'env'))
      spans.push({ start, end: start + password.length, type: TYPE });
  }
}

function encoded(text: string, spans: Span[]): void {
  ENCODED.lastIndex = 0;
  for (let match = ENCODED.exec(text); match !== null; match = ENCODED.exec(text)) {
    const password = match[2] ?? '';
    const end = ENCODED.lastIndex - '%40'.length;
    if (isSecretValue(password, 'password', 'env'))
      spans.push({ start: end - password.length, end, type: TYPE });
  }
}
