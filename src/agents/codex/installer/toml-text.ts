/** Finds, adds and removes whole tables of a TOML text, and keeps every other byte. Reads no values. Pure. */

export interface Table {
  /** `[a."b.c"]` → `['a', 'b.c']`. */
  readonly path: readonly string[];
  /** Start of the header's line. */
  readonly start: number;
  /** After the last line with content: comments below belong to the next table. */
  readonly end: number;
  readonly header: string;
}

/** Lists the tables and the items of lists of tables (`[[a]]`) in order. The path of an unreadable header is empty. */
export function tablesIn(text: string): readonly Table[] {
  const tables: { path: readonly string[]; start: number; end: number; header: string }[] = [];
  const scan = new LineScan();
  let at = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const isHeader = !scan.isInside && /^\s*\[/.test(line);
    if (isHeader) tables.push({ path: pathOf(line) ?? [], start: at, end: at + line.length, header: line });
    else {
      const last = tables.at(-1);
      if (last && (scan.isInside || !/^\s*(?:#.*)?$/.test(line.trimEnd()))) last.end = at + line.length;
      scan.take(line);
    }
    at += line.length;
  }
  return tables;
}

/** Whether a key at the top of the text has this name: then a table of that name cannot be added. */
export function hasTopLevelKey(text: string, name: string): boolean {
  const [first] = tablesIn(text);
  return new RegExp(`^\\s*(?:${name}|"${name}")\\s*=`, 'm').test(text.slice(0, first?.start));
}

/** Adds a table at the end, after an empty line. */
export function withTable(
  text: string,
  path: readonly string[],
  values: Readonly<Record<string, unknown>>,
): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const table = [`[${path.map(printedKey).join('.')}]`, ...lines, ''].join(newline);
  const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
  return `${text}${gap}${table}`;
}

/** Removes tables, each with the empty line before it. */
export function withoutTables(text: string, matches: (path: readonly string[]) => boolean): string {
  return tablesIn(text)
    .filter(({ path }) => matches(path))
    .reduceRight((rest, { start, end }) => {
      const before = rest.slice(0, start).replace(/(^|\n)[ \t]*\r?\n$/, '$1');
      return before + rest.slice(end);
    }, text);
}

/** Replaces the names of tables. `rename` returns undefined for those that stay. */
export function withRenamed(
  text: string,
  rename: (path: readonly string[]) => readonly string[] | undefined,
): string {
  return tablesIn(text).reduceRight((rest, { path, start, header }) => {
    const renamed = rename(path);
    if (!renamed) return rest;
    const printed = header.replace(/\[.*\]/, () => `[${renamed.map(printedKey).join('.')}]`);
    return rest.slice(0, start) + printed + rest.slice(start + header.length);
  }, text);
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/;

function printedKey(key: string): string {
  return BARE_KEY.test(key) ? key : JSON.stringify(key);
}

/** `[a."b.c"]` or `[[a."b.c"]]` → `['a', 'b.c']`. */
function pathOf(line: string): readonly string[] | undefined {
  const path: string[] = [];
  let rest = line.trimStart().replace(/^\[\[?/, '');
  for (;;) {
    const [whole, bare, basic, literal] =
      /^\s*(?:([A-Za-z0-9_-]+)|("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')\s*/.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    path.push(bare ?? literal ?? unquoted(basic ?? '""'));
    rest = rest.slice(whole.length);
    if (rest.startsWith(']')) return path;
    if (!rest.startsWith('.')) return undefined;
    rest = rest.slice(1);
  }
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string; // a string literal, as the pattern says
  } catch {
    return text.slice(1, -1); // an escape that only TOML has
  }
}

/** Tells whether a line is inside a value of several lines: a string or a list. */
class LineScan {
  #quote: '"""' | "'''" | undefined;
  #depth = 0;

  get isInside(): boolean {
    return this.#quote !== undefined || this.#depth > 0;
  }

  take(line: string): void {
    for (let at = 0; at < line.length;) at = this.#step(line, at);
  }

  #step(line: string, at: number): number {
    if (this.#quote !== undefined) {
      if (this.#quote === '"""' && line[at] === '\\') return at + 2;
      if (!line.startsWith(this.#quote, at)) return at + 1;
      this.#quote = undefined;
      return at + 3;
    }
    for (const quote of ['"""', "'''"] as const) {
      if (!line.startsWith(quote, at)) continue;
      this.#quote = quote;
      return at + 3;
    }
    switch (line[at]) {
      case '#':
        return line.length;
      case '"':
      case "'":
        return endOfString(line, at);
      case '[':
        this.#depth++;
        return at + 1;
      case ']':
        this.#depth = Math.max(0, this.#depth - 1);
        return at + 1;
      default:
        return at + 1;
    }
  }
}

function endOfString(line: string, start: number): number {
  const quote = line[start];
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === quote) return at + 1;
    if (quote === '"' && line[at] === '\\') at++;
  }
  return line.length;
}
