/** Parses Memory Keeper's Markdown: sections with their notes, and the sessions of an archive. Fence-aware. Pure. */

export interface Section {
  readonly title: string;
  /** Line of its heading, counted from 1. */
  readonly line: number;
  /** One per bullet or paragraph. */
  readonly notes: readonly string[];
  /** The time in its heading, ISO 8601. */
  readonly stamp: string;
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^#{1,3}\s+(\S.*)$/;
const BULLET = /^(?:[-*+]|\d+[.)])\s+(.*)$/;
/** `2025-12-21_0300`, `20251221_0300`; crabshell adds `(local 12-21_1200)`, Memory Keeper `(Session End)`. */
const STAMP = /\b(\d{4})-?(\d{2})-?(\d{2})(?:[_ T](\d{2}):?(\d{2}))?/;

export function sectionsIn(text: string): readonly Section[] {
  const sections: { title: string; line: number; notes: string[] }[] = [];
  let fenced = false;
  let open = false;
  for (const [i, raw] of text.replaceAll('\r', '').replaceAll('\0', '').split('\n').entries()) {
    if (FENCE.test(raw)) fenced = !fenced;
    const heading = fenced ? null : HEADING.exec(raw);
    if (heading) {
      sections.push({ title: withoutMarks(heading[1] ?? ''), line: i + 1, notes: [] });
      open = false;
      continue;
    }
    const section = sections.at(-1) ?? start(sections);
    const bullet = fenced ? null : BULLET.exec(raw);
    if (raw.trim() === '' || raw.trim() === '---') open = false;
    else if (bullet || !open) {
      section.notes.push((bullet?.[1] ?? raw).trim());
      open = true;
    } else section.notes.push(`${section.notes.pop() ?? ''} ${raw.trim()}`);
  }
  return sections.map((section) => ({ ...section, stamp: stampOf(section.title) }));
}

/** Removes closing `#`. By hand, because a regular expression takes quadratic time for a long run of blanks or marks. */
function withoutMarks(heading: string): string {
  let end = heading.trimEnd().length;
  while (heading[end - 1] === '#') end--;
  return heading.slice(0, end).trimEnd();
}

/** Splits an archive at its `# Session …` headings; a session file has one. */
export function sessionsIn(text: string, name: string): readonly { stamp: string; text: string }[] {
  const parts = text.split(/^(?=# Session\b)/m).filter((part) => part.trim() !== '' && part.trim() !== '---');
  return parts.map((part) => ({
    stamp: stampOf(/^# (.*)$/m.exec(part)?.[1] ?? '') || stampOf(name),
    text: part,
  }));
}

export function stampOf(text: string): string {
  const [, year, month, day, hour = '12', minute = '00'] = STAMP.exec(text) ?? [];
  return year ? `${year}-${month}-${day}T${hour}:${minute}:00Z` : '';
}

function start(sections: { title: string; line: number; notes: string[] }[]) {
  const section = { title: '', line: 1, notes: [] };
  sections.push(section);
  return section;
}
