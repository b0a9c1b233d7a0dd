/**
 * Headings of days, sessions and entries. Times are UTC, so that every machine writes the same journal. In a heading the
 * user types, the time, the kind and the dot are optional.
 */
import { MEMORY_KINDS, type MemoryKind, type MemoryState } from '../../../core/index.ts';

/** States shown in the heading; the others are the default of a kind. */
type ShownState = 'resolved' | 'superseded';

export interface EntryHeading {
  /** `HH:MM` */
  readonly time?: string;
  readonly kind?: MemoryKind;
  readonly state?: MemoryState;
  readonly title: string;
}

const KINDS = MEMORY_KINDS.map((kind) => kind.replace('_', '[_ -]')).join('|');
const ENTRY = new RegExp(
  `^(?:(\\d{1,2}:\\d{2})(?::\\d{2})?(?:\\s+|$))?` +
    `(?:(${KINDS})\\s*(?:\\((open|current|resolved|superseded)\\)\\s*)?[·:–—-](?:\\s+|$))?([^]*)$`,
  'i',
);
const DAY = /^#[ \t]+(\d{4}-\d{2}-\d{2})(?!\d)/;

export function renderEntryHeading(at: string, kind: MemoryKind, state: MemoryState, title: string): string {
  const shown = shownState(state);
  return `### ${clock(at)} ${kind}${shown ? ` (${shown})` : ''} · ${title}`.trimEnd();
}

export function parseEntryHeading(line: string): EntryHeading {
  const text = line.replace(/^###[ \t]*/, '').trim();
  const [, time, kind, state, title = ''] = ENTRY.exec(text) ?? [];
  const hour = time && wellFormedClock(time);
  if (time && !hour) return { title: text };
  return {
    ...(hour ? { time: hour } : {}),
    ...(kind ? { kind: kind.toLowerCase().replace(/[ -]/, '_') as MemoryKind } : {}), // one of KINDS, by the pattern
    ...(state ? { state: state.toLowerCase() as MemoryState } : {}), // one of the four, by the pattern
    title: title.trim(),
  };
}

export function shownState(state: MemoryState): ShownState | undefined {
  return state === 'resolved' || state === 'superseded' ? state : undefined;
}

/** Returns the heading with another state. */
export function withState(line: string, kind: MemoryKind, state: MemoryState): string {
  const { time, title } = parseEntryHeading(line);
  const shown = shownState(state);
  return `### ${time ? `${time} ` : ''}${kind}${shown ? ` (${shown})` : ''} · ${title}`.trimEnd();
}

export function renderSessionHeading(startedAt: string | undefined, date: string, title: string): string {
  const time =
    startedAt && (dateOf(startedAt) === date ? clock(startedAt) : `${dateOf(startedAt)} ${clock(startedAt)}`);
  return `## Session${time ? ` ${time}` : ''}${title ? ` · ${title}` : ''}`;
}

export function parseSessionTitle(line: string): string {
  const text = line.replace(/^##[ \t]*/, '').trim();
  const rest = text.replace(
    /^Session(?:\s+\d{4}-\d{2}-\d{2})?(?:\s+\d{1,2}:\d{2}(?::\d{2})?)?(?=\s|$)\s*/i,
    '',
  );
  return rest.replace(/^[·:–—-](?:\s+|$)/, '').trim();
}

export function renderDayHeading(date: string, project: string): string {
  return `# ${date} · ${project}`;
}

export function parseDayHeading(line: string): string | undefined {
  const date = DAY.exec(line)?.[1];
  return date && !Number.isNaN(Date.parse(date)) ? date : undefined;
}

/** Returns the UTC day of a time. */
export function dateOf(at: string): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Returns `HH:MM` of a time in UTC. */
export function clock(at: string): string {
  return new Date(at).toISOString().slice(11, 16);
}

function wellFormedClock(time: string): string | undefined {
  const padded = time.padStart(5, '0');
  return padded < '24:00' && padded.slice(3) < '60' ? padded : undefined;
}
