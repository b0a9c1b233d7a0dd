/** A line of names: plain where a name is plain, in a code span where it holds a comma or a backtick. */

export function renderFiles(names: readonly string[]): string {
  return names.map(codeSpan).join(', ');
}

export function renderConcepts(names: readonly string[]): string {
  return names.map((name) => (/[`,]/.test(name) ? codeSpan(name) : name)).join(', ');
}

/** Takes what `renderFiles` and `renderConcepts` write, and what a person types in their place. */
export function parseNames(text: string): readonly string[] {
  const names: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [name, length] = codeSpanAt(rest) ?? plainAt(rest);
    if (name !== '') names.push(name);
    const comma = rest.indexOf(',', length);
    rest = comma < 0 ? '' : rest.slice(comma + 1).trimStart();
  }
  return names;
}

function codeSpan(name: string): string {
  const longest = Math.max(0, ...[...name.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const blank = name.startsWith('`') || name.endsWith('`') ? ' ' : '';
  return ticks + blank + name + blank + ticks;
}

function codeSpanAt(text: string): readonly [string, number] | undefined {
  const ticks = /^`+/.exec(text)?.[0];
  if (!ticks) return undefined;
  const end = new RegExp(`(?<!\`)${ticks}(?!\`)`, 'g');
  end.lastIndex = ticks.length;
  const found = end.exec(text);
  if (!found) return undefined;
  return [text.slice(ticks.length, found.index).trim(), found.index + ticks.length];
}

function plainAt(text: string): readonly [string, number] {
  const comma = text.indexOf(',');
  const length = comma < 0 ? text.length : comma;
  return [text.slice(0, length).trim(), length];
}
