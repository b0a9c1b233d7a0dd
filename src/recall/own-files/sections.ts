/** Splits Markdown into sections by its headings, and reads its front matter. Pure. */

export interface MarkdownSection {
  /** Empty before the first heading. */
  readonly title: string;
  readonly text: string;
}

/** Splits at headings of the first three levels; headings in code blocks do not count. */
export function sectionsOf(text: string): readonly MarkdownSection[] {
  const sections: { title: string; lines: string[] }[] = [{ title: '', lines: [] }];
  let fenced = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? null : /^#{1,3}\s+(.+?)\s*#*$/.exec(line);
    if (heading) sections.push({ title: heading[1] ?? '', lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines }) => ({ title, text: lines.join('\n') }));
}

export interface FrontMatter {
  readonly head: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads `name: value` lines between two lines of dashes at the beginning. */
export function frontMatter(text: string): FrontMatter {
  const match = /^\uFEFF?---\n([\s\S]*?)\n---\n?/.exec(text);
  if (!match) return { head: {}, body: text };
  const lines = (match[1] ?? '').split('\n').flatMap((line) => {
    const pair = /^\s*([\w.-]+):\s*(.+)$/.exec(line);
    return pair ? [[pair[1] ?? '', (pair[2] ?? '').replace(/^["']|["']$/g, '')] as const] : [];
  });
  return { head: Object.fromEntries(lines), body: text.slice(match[0].length) };
}

/** Removes what neither a reader nor a parser needs. */
export function plainMarkdown(text: string): string {
  return text.replaceAll('\r', '').replaceAll('\0', '');
}
