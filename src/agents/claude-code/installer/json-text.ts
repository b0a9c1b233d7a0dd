/** Changes single parts of JSON text and keeps every other byte: order, indentation, line ends. Pure. */

/** Returns the text without the member at `path`; the same text if there is none. Throws if it is not JSON. */
export function withoutMember(text: string, path: readonly string[]): string {
  const found = find(text, path);
  if (!found) return text;
  const { key, end, before, after } = found;
  if (before !== undefined) return text.slice(0, before) + text.slice(end);
  if (after !== undefined) return text.slice(0, key) + text.slice(after);
  // The only member: nothing is left between the braces.
  return text.slice(0, found.open + 1) + text.slice(found.close);
}

/** Adds items to the list at `path`, which is created if it is missing. Throws if the text is not JSON. */
export function withItems(text: string, path: readonly string[], items: readonly string[]): string {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  JSON.parse(text.slice(start)); // throws if it is not JSON
  let at = skipSpace(text, start);
  for (const [depth, name] of path.entries()) {
    if (text[at] !== '{') return text;
    const inside = memberOf(text, at, name);
    if (!inside) return withMember(text, at, path.slice(depth), items, depth + 1);
    at = inside.value;
  }
  if (text[at] !== '[') return text;
  const end = endOfValue(text, at) - 1;
  const isEmpty = text.slice(at + 1, end).trim() === '';
  const last = text.slice(0, end).trimEnd().length;
  const gap = isEmpty ? undefined : /^\s*/.exec(text.slice(at + 1))?.[0];
  const added = items.map((item) => JSON.stringify(item)).join(`,${gap ?? ' '}`);
  return isEmpty
    ? `${text.slice(0, at + 1)}${added}${text.slice(end)}`
    : `${text.slice(0, last)},${gap ?? ''}${added}${text.slice(last)}`;
}

/** Removes items from the list at `path`. */
export function withoutItems(text: string, path: readonly string[], items: readonly string[]): string {
  const found = find(text, path);
  if (!found) return text;
  const list = items.reduce(
    (rest, item) => {
      const literal = JSON.stringify(item).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const after = rest.replace(new RegExp(`,\\s*${literal}(?=\\s*[,\\]])`), '');
      return after === rest ? rest.replace(new RegExp(`${literal}\\s*,?\\s*`), '') : after;
    },
    text.slice(found.key, found.end),
  );
  return text.slice(0, found.key) + list + text.slice(found.end);
}

/** Inserts a member with a list into the object at `open`, as its last one. */
function withMember(
  text: string,
  open: number,
  path: readonly string[],
  items: readonly string[],
  depth: number,
): string {
  const close = endOfValue(text, open) - 1;
  const value = path.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), items);
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const member = JSON.stringify(value, null, unit)
    .split('\n')
    .slice(1, -1)
    .map((line) => unit.repeat(depth - 1) + line)
    .join(newline);
  const last = text.slice(0, close).trimEnd().length;
  const comma = last === open + 1 ? '' : ',';
  return `${text.slice(0, last)}${comma}${newline}${member}${newline}${unit.repeat(depth - 1)}${text.slice(close)}`;
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
  JSON.parse(text.replace(/^\uFEFF/, '')); // throws if it is not JSON
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
    while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const one = text[at];
    if (one === '"') at = endOfString(text, at) - 1;
    else if (one === '{' || one === '[') depth++;
    else if ((one === '}' || one === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (SPACE.test(text[at] ?? '')) at++;
  return at;
}
