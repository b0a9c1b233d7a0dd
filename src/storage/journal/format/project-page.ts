/**
 * Renders the page of a project: Tidemark's lines are between two markers. Lines outside belong to the user; inside, the
 * user's changes, additions and deletions are edits. Pure.
 */
import { shortHash } from '../../../core/index.ts';

export interface ProjectPageLine {
  /** The id of a memory, or a short name of a file. */
  readonly key: string;
  readonly text: string;
}

export interface ProjectPageSection {
  readonly heading: string;
  readonly lines: readonly ProjectPageLine[];
}

export interface ProjectPageOptions {
  readonly title: string;
  /** Reports whether a key was forgotten: its line is removed even if the user changed it. */
  readonly erased?: (key: string) => boolean;
}

/** The client cuts a longer page. */
export const PROJECT_PAGE_LINES = 200;
const BEGIN = '<!-- tidemark:begin -->';
const END = '<!-- tidemark:end -->';
const BY_HAND = 'by-hand';
const SUM_LENGTH = 6; // 30 bits over two hundred lines
const TAIL = /\s*<!-- (?:(\S+) )?(\S+) -->\s*$/;
const CONFLICT = /^<{7}(?: |$)[^]*^={7}$[^]*^>{7}(?: |$)/m;
const LIST = /^<!-- tidemark:page lines=(\S*)(?: gone=(\S*))? -->$/;

/** The user's changes inside the markers. */
interface PageEdits {
  /** Changed lines by key; added lines have no key. */
  readonly byHand: readonly { readonly key: string; readonly text: string; readonly section: string }[];
  /** Keys of deleted lines. */
  readonly gone: ReadonlySet<string>;
}

/**
 * Returns the same text when nothing changes. A page without an end marker or with git's conflict marks is not changed,
 * except that forgotten lines are removed from the latter.
 */
export function renderProjectPage(
  text: string | null,
  sections: readonly ProjectPageSection[],
  options: ProjectPageOptions,
): string {
  const page = text ?? `# ${options.title}\n`;
  const start = page.indexOf(BEGIN);
  const end = page.indexOf(END, start);
  if (CONFLICT.test(page)) return withoutErasedLines(page, options);
  if (start >= 0 && end < 0) return page;
  const before = start < 0 ? `${page.trimEnd()}\n\n` : page.slice(0, start);
  const after = start < 0 ? '\n' : page.slice(end + END.length);
  const edits =
    start < 0 ? { byHand: [], gone: new Set<string>() } : editsIn(page.slice(start + BEGIN.length, end));
  const outside = lineCount(before) + lineCount(after);
  const inside = render(sections, withoutErased(edits, options), PROJECT_PAGE_LINES - outside);
  return `${before}${BEGIN}\n${inside}${END}${after}`;
}

function render(sections: readonly ProjectPageSection[], edits: PageEdits, room: number): string {
  const known = new Set(sections.map(({ heading }) => heading));
  const own = [...new Set(edits.byHand.map(({ section }) => section))]
    .filter((heading) => !known.has(heading))
    .map((heading) => ({ heading, lines: [] }));
  const shown = sections.map((section) => ({
    ...section,
    lines: section.lines.filter(({ key }) => !edits.gone.has(key)),
  }));
  const all = [...shown, ...own].map(({ heading, lines }) => ({
    heading,
    lines: [...lines.map((line) => lineOf(line, edits)), ...addedTo(heading, lines, sections, edits)],
  }));
  const fitting = fit(
    all.filter(({ lines }) => lines.length > 0),
    room,
  );
  const keys = fitting.flatMap(({ lines }) => lines.flatMap(({ key }) => key || []));
  const list = `<!-- tidemark:page lines=${keys.join(',')}${edits.gone.size > 0 ? ` gone=${[...edits.gone].toSorted().join(',')}` : ''} -->\n`;
  const parts = fitting.map(({ heading, lines }) =>
    [...(heading ? ['', `## ${heading}`, ''] : ['']), ...lines.map((line) => line.text)].join('\n'),
  );
  return `${list}${parts.map((part) => `${part}\n`).join('')}`;
}

interface Rendered {
  readonly key: string;
  readonly text: string;
  readonly byHand: boolean;
}

function lineOf({ key, text }: ProjectPageLine, edits: PageEdits): Rendered {
  const edited = edits.byHand.find((line) => line.key === key);
  if (edited) return { key, text: `${edited.text} <!-- ${key} ${BY_HAND} -->`, byHand: true };
  const plain = singleLine(text);
  return { key, text: `${plain} <!-- ${key} ${shortHash(plain, SUM_LENGTH)} -->`, byHand: false };
}

/** Returns the lines the user added to a section, and changed lines that are no longer generated. */
function addedTo(
  heading: string,
  lines: readonly ProjectPageLine[],
  sections: readonly ProjectPageSection[],
  edits: PageEdits,
): readonly Rendered[] {
  const written = new Set(sections.flatMap((section) => section.lines.map(({ key }) => key)));
  return edits.byHand
    .filter(({ key, section }) => section === heading && (key === '' || !written.has(key)))
    .map(({ key, text }) => ({
      key,
      text: `${text} <!-- ${key ? `${key} ` : ''}${BY_HAND} -->`,
      byHand: true,
    }));
}

/** Removes the last lines of the longest sections first; never removes the user's lines. */
function fit<S extends { readonly heading: string; readonly lines: readonly Rendered[] }>(
  sections: readonly S[],
  room: number,
): readonly S[] {
  const fitted = sections.map((section) => ({ ...section, lines: [...section.lines] }));
  const size = (): number => fitted.reduce((sum, { lines }) => sum + lines.length + 3, 3);
  while (size() > room) {
    const longest = fitted
      .filter(({ lines }) => lines.some((line) => !line.byHand))
      .toSorted((a, b) => b.lines.length - a.lines.length)[0];
    if (!longest) break;
    longest.lines.splice(
      longest.lines.findLastIndex((line) => !line.byHand),
      1,
    );
  }
  return fitted.filter(({ lines }) => lines.length > 0);
}

function editsIn(inside: string): PageEdits {
  let section = '';
  const byHand: { key: string; text: string; section: string }[] = [];
  const present = new Set<string>();
  let listed: readonly string[] = [];
  let gone: readonly string[] = [];
  for (const line of inside.replaceAll('\r', '').split('\n')) {
    const list = LIST.exec(line.trim());
    if (list) {
      listed = (list[1] ?? '').split(',').filter(Boolean);
      gone = (list[2] ?? '').split(',').filter(Boolean);
      continue;
    }
    if (line.trim() === '') continue;
    const heading = /^## +(.+?)\s*$/.exec(line)?.[1];
    if (heading) {
      section = heading;
      continue;
    }
    const tail = TAIL.exec(line);
    const text = tail ? line.slice(0, tail.index) : line.trimEnd();
    const [key, mark] = [tail?.[1] ?? '', tail?.[2] ?? ''];
    if (key) present.add(key);
    if (!tail || mark === BY_HAND || mark !== shortHash(text, SUM_LENGTH))
      byHand.push({ key, text, section });
  }
  const deleted = listed.filter((key) => !present.has(key));
  return { byHand, gone: new Set([...gone.filter((key) => !present.has(key)), ...deleted]) };
}

function withoutErased(edits: PageEdits, { erased = () => false }: ProjectPageOptions): PageEdits {
  return {
    byHand: edits.byHand.filter(({ key }) => key === '' || !erased(key)),
    gone: new Set([...edits.gone].filter((key) => !erased(key))),
  };
}

/** Removes forgotten lines from a page that is otherwise not changed. */
function withoutErasedLines(page: string, { erased = () => false }: ProjectPageOptions): string {
  const isKept = (line: string): boolean => !erased(TAIL.exec(line)?.[1] ?? '');
  return page.split('\n').filter(isKept).join('\n');
}

/** Returns one line that cannot open or close a comment. */
function singleLine(text: string): string {
  return text.replaceAll('<!--', '').replaceAll('-->', '').replace(/\s+/g, ' ').trim();
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
