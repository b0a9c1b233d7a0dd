/** Changes single parts of JSON text, with or without comments, and keeps every other byte. Pure. */

/** Returns the text without the member at `path`; the same text if there is none. Throws if it is not JSON. */
export function withoutMember(text: string, path: readonly string[]): string {
  const found = find(text, path);
  if (!found) return text;
  const { key, end, before, after } = found;
  if (before !== undefined)
    return text.slice(0, before) + noteBetween(text, before + 1, key, end) + text.slice(end);
  if (after !== undefined) return text.slice(0, key) + text.slice(after);
  // The only member: nothing is left between the braces.
  return text.slice(0, found.open + 1) + text.slice(found.close);
}

/** A comment after the comma is about the member before it, so it stays. `end`: where the text continues. */
function noteBetween(text: string, from: number, to: number, end: number): string {
  const note = text.slice(from, to).trimEnd();
  const runsOn = note !== '' && !note.endsWith('*/') && !/^[ \t]*\r?\n/.test(text.slice(end));
  return runsOn ? `${note}\n` : note;
}

/** Adds items to the list at `path`, which is created if it is missing. Throws if the text is not JSON. */
export function withItems(text: string, path: readonly string[], items: readonly unknown[]): string {
  const found = placeOf(text, path);
  if (found.kind === 'missing') return inserted(text, found, items);
  if (found.kind === 'blocked' || text[found.at] !== '[') return text;
  const listed = itemsOf(text, found.at);
  const last = listed.at(-1);
  const gap = last ? text.slice(listed[0]?.gap, listed[0]?.start) : ' ';
  const space = /^\s*$/.test(gap) ? gap : (/\n[ \t]*$/.exec(gap)?.[0] ?? ' ');
  const added = items.map((item) => JSON.stringify(item)).join(`,${space}`);
  if (!last) return `${text.slice(0, found.at + 1)}${added}${text.slice(found.at + 1)}`;
  return `${text.slice(0, last.end)},${space}${added}${text.slice(last.end)}`;
}

/** Removes texts from the list at `path`. */
export function withoutItems(text: string, path: readonly string[], items: readonly string[]): string {
  return withoutMatching(text, path, (item) => typeof item === 'string' && items.includes(item));
}

/** Removes the items of the list at `path` that match. The rest keeps its form. */
export function withoutMatching(
  text: string,
  path: readonly string[],
  matches: (item: unknown) => boolean,
): string {
  const found = placeOf(text, path);
  if (found.kind !== 'there' || text[found.at] !== '[') return text;
  const items = itemsOf(text, found.at);
  const kept = items.filter(({ start, end }) => !matches(parseJson(text.slice(start, end))));
  if (kept.length === items.length) return text;
  const close = endOfValue(text, found.at) - 1;
  if (kept.length === 0) return `${text.slice(0, found.at + 1)}${text.slice(close)}`;
  // Each item takes the space before it along; the first one kept has that of the first one of all.
  const spaced = kept.map((item, at) => {
    const before = at === 0 ? items[0] : item;
    return text.slice(before?.gap, before?.start) + text.slice(item.start, item.end);
  });
  const tail = text.slice(items.at(-1)?.end, close);
  return `${text.slice(0, found.at + 1)}${spaced.join(',')}${tail}${text.slice(close)}`;
}

/** Sets the member at `path`, which is created or replaced. The same text if something on the way is not an object. */
export function withMember(text: string, path: readonly string[], value: unknown): string {
  const found = placeOf(text, path);
  switch (found.kind) {
    case 'missing':
      return inserted(text, found, value);
    case 'blocked':
      return text;
    case 'there': {
      const end = endOfValue(text, found.at);
      return text.slice(0, found.at) + printedValue(text, value, path.length) + text.slice(end);
    }
  }
}

/** Changes the text; the same text if it is not JSON. */
export function orSame(text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch {
    return text;
  }
}

/** Parses JSON with comments and trailing commas, as clients read their settings. Throws if it is neither. */
export function parseJson(text: string): unknown {
  let plain = '';
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length;) {
    const next = skipSpace(text, at);
    if (next > at) plain += ' ';
    const end = text[next] === '"' ? endOfString(text, next) : next + 1;
    plain += text.slice(next, end);
    at = end;
  }
  return JSON.parse(withoutTrailingCommas(plain));
}

function withoutTrailingCommas(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length;) {
    const end = text[at] === '"' ? endOfString(text, at) : at + 1;
    const isTrailing = text[at] === ',' && /^\s*[}\]]/.test(text.slice(end, end + 200));
    kept += isTrailing ? ' ' : text.slice(at, end);
    at = end;
  }
  return kept;
}

type Place =
  | { readonly kind: 'there'; readonly at: number }
  /** `open`: the innermost object that exists. `rest`: the names below it. */
  | {
      readonly kind: 'missing';
      readonly open: number;
      readonly rest: readonly string[];
      readonly depth: number;
    }
  | { readonly kind: 'blocked' };

/** Finds the value at `path`. Throws if the text is not JSON. */
function placeOf(text: string, path: readonly string[]): Place {
  parseJson(text);
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0);
  for (const [depth, name] of path.entries()) {
    if (text[at] !== '{') return { kind: 'blocked' };
    const inside = memberOf(text, at, name);
    if (!inside) return { kind: 'missing', open: at, rest: path.slice(depth), depth: depth + 1 };
    at = inside.value;
  }
  return { kind: 'there', at };
}

/** Inserts a member into the object at `open`, as its last one. */
function inserted(
  text: string,
  { open, rest, depth }: Extract<Place, { kind: 'missing' }>,
  value: unknown,
): string {
  const close = endOfValue(text, open) - 1;
  const nested = rest
    .slice(1)
    .toReversed()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value);
  const { unit, newline } = formOf(text);
  const indent = unit.repeat(depth);
  const member = `${indent}${JSON.stringify(rest[0])}: ${printedValue(text, nested, depth)}`;
  const last = endOfLastMember(text, open);
  const comma = last === open + 1 || text[last - 1] === ',' ? '' : ',';
  // Comments after the last member stay where they are.
  const between = text.slice(last, close).trimEnd();
  return `${text.slice(0, last)}${comma}${between}${newline}${member}${newline}${unit.repeat(depth - 1)}${text.slice(close)}`;
}

function printedValue(text: string, value: unknown, depth: number): string {
  const { unit, newline } = formOf(text);
  return JSON.stringify(value, null, unit)
    .split('\n')
    .join(newline + unit.repeat(depth));
}

function formOf(text: string): { readonly unit: string; readonly newline: string } {
  return { unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The end of the last member of the object at `open`, or of the comma after it; behind the brace if it is empty. */
function endOfLastMember(text: string, open: number): number {
  let last = open + 1;
  let at = skipSpace(text, last);
  while (text[at] === '"') {
    const value = skipSpace(text, skipSpace(text, endOfString(text, at)) + 1);
    last = endOfValue(text, value);
    at = skipSpace(text, last);
    if (text[at] !== ',') break;
    last = at + 1;
    at = skipSpace(text, last);
  }
  return last;
}

/** The items of the list at `open`. `gap`: where the space before an item begins. */
function itemsOf(text: string, open: number) {
  const items: { readonly gap: number; readonly start: number; readonly end: number }[] = [];
  let gap = open + 1;
  let start = skipSpace(text, gap);
  while (start < text.length && text[start] !== ']') {
    const end = endOfValue(text, start);
    items.push({ gap, start, end });
    const comma = skipSpace(text, end);
    if (text[comma] !== ',') break;
    gap = comma + 1;
    start = skipSpace(text, gap);
  }
  return items;
}

interface Member {
  /** Start of its key and end of its value. */
  readonly key: number;
  readonly end: number;
  /** The comma before it, or the start of the next key if it is the first of several. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** The braces around it. */
  readonly open: number;
  readonly close: number;
}

const SPACE = /\s/;

function find(text: string, path: readonly string[]): Member | undefined {
  parseJson(text);
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0);
  let member: Member | undefined;
  for (const name of path) {
    if (text[at] !== '{') return undefined;
    const inside = memberOf(text, at, name);
    if (!inside) return undefined;
    member = inside.member;
    at = inside.value;
  }
  return member;
}

/** The last member of that name counts, as in JSON.parse. */
function memberOf(
  text: string,
  open: number,
  name: string,
): { readonly member: Member; readonly value: number } | undefined {
  const keys: { name: string; key: number; value: number; end: number; comma: number | undefined }[] = [];
  let at = skipSpace(text, open + 1);
  let comma: number | undefined;
  while (text[at] === '"') {
    const key = at;
    const keyEnd = endOfString(text, key);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, value);
    keys.push({ name: JSON.parse(text.slice(key, keyEnd)) as string, key, value, end, comma });
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    comma = at;
    at = skipSpace(text, at + 1);
  }
  const index = keys.findLastIndex((one) => one.name === name);
  const found = keys[index];
  if (!found) return undefined;
  const { key, value, end } = found;
  return { value, member: { key, end, before: found.comma, after: keys[index + 1]?.key, open, close: at } };
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  if (text[start] !== '{' && text[start] !== '[') {
    let at = start;
    while (at < text.length && !/[\s,\]}/]/.test(text[at] ?? '')) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const one = text[at];
    if (one === '"') at = endOfString(text, at) - 1;
    else if (one === '/') at = skipSpace(text, at) - 1;
    else if (one === '{' || one === '[') depth++;
    else if ((one === '}' || one === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Skips white space and comments. */
function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (SPACE.test(text[at] ?? '')) at++;
    if (text.startsWith('//', at)) at = endAfter(text, '\n', at);
    else if (text.startsWith('/*', at)) at = endAfter(text, '*/', at + 2);
    else return at;
  }
}

function endAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}
