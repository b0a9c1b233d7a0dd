/**
 * Splits a Markdown note into parts that are searched: one per heading, long ones at paragraphs. A `#` inside a code fence
 * is no heading. Pure.
 */
import { type MemoryDraft } from '../../core/index.ts';
import { draftOf } from './_draft.ts';

/** A longer section becomes several parts, so that none of it is cut off. */
const PART_CHARS = 4000;
/** A file with more is a data dump, not a note. */
const MOST_PARTS = 500;

/** One draft per part. The title names the file and the headings: `ops/deploy.md: Rollback › Database`. */
export function noteDrafts(file: string, text: string): readonly MemoryDraft[] {
  const plain = text.replaceAll('\r', '').replaceAll('\0', '').replace(FRONT_MATTER, '');
  return sectionsOf(plain)
    .flatMap(({ headings, body }) => partsOf(body).map((part) => ({ headings, part })))
    .slice(0, MOST_PARTS)
    .flatMap(({ headings, part }) => {
      const title = headings.length > 0 ? `${file}: ${headings.join(' › ')}` : file;
      return draftOf({ kind: 'discovery', title, body: part }) ?? [];
    });
}

const FRONT_MATTER = /^\uFEFF?---\n[\s\S]*?\n---(?:\n|$)/;

interface NoteSection {
  /** From the outermost to its own. */
  readonly headings: readonly string[];
  readonly body: string;
}

function sectionsOf(text: string): readonly NoteSection[] {
  const sections: { headings: readonly string[]; lines: string[] }[] = [{ headings: [], lines: [] }];
  const open: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '') fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    const heading = fence === '' ? /^(#{1,6})\s+(.+?)\s*#*$/.exec(line) : null;
    if (!heading) {
      sections.at(-1)?.lines.push(line);
      continue;
    }
    open.length = Math.min(open.length, (heading[1]?.length ?? 1) - 1);
    open.push(heading[2] ?? '');
    sections.push({ headings: open.filter((one) => one !== undefined), lines: [] });
  }
  return sections
    .map(({ headings, lines }) => ({ headings, body: lines.join('\n').trim() }))
    .filter(({ body }) => body !== '');
}

/** Cuts at empty lines, and a paragraph that is longer than a part at any line. */
function partsOf(body: string): readonly string[] {
  if (body.length <= PART_CHARS) return [body];
  const parts: string[] = [];
  let part = '';
  for (const piece of body.split(/(?<=\n\n)|(?<=\n)(?=.{1,}$)/m).flatMap(piecesOf)) {
    if (part !== '' && part.length + piece.length > PART_CHARS) {
      parts.push(part);
      part = '';
    }
    part += piece;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '');
}

function piecesOf(text: string): readonly string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${PART_CHARS}}`, 'g')) ?? [];
}
