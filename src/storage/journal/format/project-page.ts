/**
 * The page of a project: what Tidemark writes stands between two markers, one line for each thing. Lines outside are a
 * person's; a line inside that a person changed, added or took away stays so. Pure.
 */
import { shortHash } from '../../../core/index.ts';

export interface ProjectPageLine {
  /** What the line is about: the id of a memory, or a short name of a file. */
  readonly key: string;
  readonly text: string;
}

export interface ProjectPageSection {
  readonly heading: string;
  readonly lines: readonly ProjectPageLine[];
}

export interface ProjectPageOptions {
  readonly title: string;
  /** Keys whose lines must go, also where a person changed them: what was forgotten. */
  readonly erased?: (key: string) => boolean;
}

/** A page that is longer is not read, and the client cuts it there. */
export const PROJECT_PAGE_LINES = 200;
const BEGIN = '<!-- tidemark:begin -->';
const END = '<!-- tidemark:end -->';
const BY_HAND = 'by-hand';
const SUM_LENGTH = 6; // 30 bits over two hundred lines
const TAIL = /\s*<!-- (?:(\S+) )?(\S+) -->\s*$/;
const CONFLICT = /^<{7}(?: |$)[^]*^={7}$[^]*^>{7}(?: |$)/m;
const LIST = /^<!-- tidemark:page lines=(\S*)(?: gone=(\S*))? -->$/;

interface Kept {
  /** By key, what a person made of a line; without a key, what a person added. */
  readonly byHand: readonly { readonly key: string; readonly text: string; readonly section: string }[];
  readonly gone: ReadonlySet<string>;
}

/**
 * The same text back where nothing is to be changed. Without an end marker, or with git's conflict marks in it, the file
 * is left alone.
 */
export function renderProjectPage(
  text: string | null,
  sections: readonly ProjectPageSection[],
  options: ProjectPageOptions,
): string {
  const page = text ?? `# ${options.title}\n`;
  const start = page.indexOf(BEGIN);
  const end = page.indexOf(END, start);
  if (CONFLICT.test(page)) return withoutLines(page, options);
  if (start >= 0 && end < 0) return page;
  const before = start < 0 ? `${page.trimEnd()}\n\n` : page.slice(0, start);
  const after = start < 0 ? '\n' : page.slice(end + END.length);
  const kept =
    start < 0 ? { byHand: [], gone: new Set<string>() } : keptIn(page.slice(start + BEGIN.length, end));
  const outside = lineCount(before) + lineCount(after);
  const inside = render(sections, withoutErased(kept, options), PROJECT_PAGE_LINES - outside);
  return `${before}${BEGIN}\n${inside}${END}${after}`;
}

function render(sections: readonly ProjectPageSection[], kept: Kept, room: number): string {
  const known = new Set(sections.map(({ heading }) => heading));
  const own = [...new Set(kept.byHand.map(({ section }) => section))]
    .filter((heading) => !known.has(heading))
    .map((heading) => ({ heading, lines: [] }));
  const shown = sections.map((section) => ({
    ...section,
    lines: section.lines.filter(({ key }) => !kept.gone.has(key)),
  }));
  const all = [...shown, ...own].map(({ heading, lines }) => ({
    heading,
    lines: [...lines.map((line) => lineOf(line, kept)), ...addedTo(heading, lines, sections, kept)],
  }));
  const fitting = fit(
    all.filter(({ lines }) => lines.length > 0),
    room,
  );
  const keys = fitting.flatMap(({ lines }) => lines.flatMap(({ key }) => key || []));
  const list = `<!-- tidemark:page lines=${keys.join(',')}${kept.gone.size > 0 ? ` gone=${[...kept.gone].toSorted().join(',')}` : ''} -->\n`;
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

function lineOf({ key, text }: ProjectPageLine, kept: Kept): Rendered {
  const hand = kept.byHand.find((line) => line.key === key);
  if (hand) return { key, text: `${hand.text} <!-- ${key} ${BY_HAND} -->`, byHand: true };
  const plain = harmless(text);
  return { key, text: `${plain} <!-- ${key} ${shortHash(plain, SUM_LENGTH)} -->`, byHand: false };
}

/** What a person added to a section, and changed lines that we would not write any more. */
function addedTo(
  heading: string,
  lines: readonly ProjectPageLine[],
  sections: readonly ProjectPageSection[],
  kept: Kept,
): readonly Rendered[] {
  const written = new Set(sections.flatMap((section) => section.lines.map(({ key }) => key)));
  return kept.byHand
    .filter(({ key, section }) => section === heading && (key === '' || !written.has(key)))
    .map(({ key, text }) => ({
      key,
      text: `${text} <!-- ${key ? `${key} ` : ''}${BY_HAND} -->`,
      byHand: true,
    }));
}

/** The longest sections lose their last lines first; a person's lines never go. */
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

function keptIn(inside: string): Kept {
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
  const taken = listed.filter((key) => !present.has(key));
  return { byHand, gone: new Set([...gone.filter((key) => !present.has(key)), ...taken]) };
}

function withoutErased(kept: Kept, { erased = () => false }: ProjectPageOptions): Kept {
  return {
    byHand: kept.byHand.filter(({ key }) => key === '' || !erased(key)),
    gone: new Set([...kept.gone].filter((key) => !erased(key))),
  };
}

/** What was forgotten goes also where nothing else is touched. */
function withoutLines(page: string, { erased = () => false }: ProjectPageOptions): string {
  const stays = (line: string): boolean => !erased(TAIL.exec(line)?.[1] ?? '');
  return page.split('\n').filter(stays).join('\n');
}

/** One line that cannot end its comment or begin another. */
function harmless(text: string): string {
  return text.replaceAll('<!--', '').replaceAll('-->', '').replace(/\s+/g, ' ').trim();
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
