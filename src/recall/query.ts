/** Parses a query into words and filters (`kind:`, `state:`, `project:`, `agent:`, `since:`, `until:`, `file:`, `session:`), dates and file names. Pure. */
import {
  AGENTS,
  given,
  MEMORY_KINDS,
  MEMORY_STATES,
  type Agent,
  type MemoryKind,
  type MemoryState,
} from '../core/index.ts';
import { findSpan, type Calendar, type Span } from './dates.ts';

export interface Query {
  /** The search text, without filters and dates. */
  readonly text: string;
  readonly kinds: readonly MemoryKind[];
  /** Empty for all. */
  readonly states: readonly MemoryState[];
  /** Coding agents of their sessions; empty for all. */
  readonly agents: readonly Agent[];
  readonly project?: string;
  readonly session?: string;
  /** From `file:`; results must name it. */
  readonly file?: string;
  /** Files in the text; results that name them rank higher. */
  readonly mentioned: readonly string[];
  readonly since?: string;
  readonly until?: string;
  /** The words the time was read from, if there is no `since:` or `until:`. */
  readonly dateWords?: string;
  /** Messages for filters that were not understood. */
  readonly problems: readonly string[];
}

/** Not in `user-agent:`. */
const FILTER = /(?<![\w/-])(kind|state|agent|project|since|until|file|session):(?:"([^"]*)"|(\S+))/gi;

/** A path, or a name with a file extension, but not `e.g.` or `v1.2`. */
const FILE_NAME = /(?<![\w/.@-])(?:[\w.@-]+\/)*[\w@-][\w.@-]*\.(?=[a-z])[a-z0-9]{1,6}(?![\w/])/gi;
const NOT_A_FILE = /^(?:e\.g|i\.e|etc\.?|vs|node\.js|next\.js|vue\.js|.*\.(?:com|org|net|io|dev))$/i;

/** `parseQuery('kind:decision tokens since:yesterday', now)` */
export function parseQuery(input: string, now: Date, offsetMinutes = -now.getTimezoneOffset()): Query {
  const calendar: Calendar = { now, offsetMinutes };
  const kinds: MemoryKind[] = [];
  const states: MemoryState[] = [];
  const agents: Agent[] = [];
  const problems: string[] = [];
  const single: { project?: string; session?: string; file?: string } = {};
  let since: string | undefined;
  let until: string | undefined;

  const rest = input.replace(FILTER, (whole: string, name: string, quoted?: string, bare?: string) => {
    const value = quoted ?? bare ?? '';
    const filter = name.toLowerCase();
    if (filter === 'project' || filter === 'session' || filter === 'file') {
      single[filter] = value;
      return ' ';
    }
    const choose = <T extends string>(all: readonly T[], into: T[], one: string): string => {
      const asked = value.toLowerCase().split(',');
      const known = all.filter((item) => asked.includes(item) || asked.includes(item.replace('_', '-')));
      into.push(...known);
      if (known.length < asked.length) problems.push(`${whole}: ${one} is one of ${all.join(', ')}`);
      return ' ';
    };
    if (filter === 'kind') return choose(MEMORY_KINDS, kinds, 'a kind');
    if (filter === 'state') return choose(MEMORY_STATES, states, 'a state');
    if (filter === 'agent') return choose(AGENTS, agents, 'an agent');
    const span = timeOf(value, calendar);
    if (!span) problems.push(`${whole}: not a time, write it like 2026-02-09, yesterday or "last week"`);
    else if (filter === 'since') since = span.since;
    else until = span.until ?? span.since;
    return ' ';
  });

  const explicit = since !== undefined || until !== undefined;
  return {
    ...worded(rest, explicit ? undefined : findSpan(rest, calendar)),
    kinds,
    states,
    agents,
    problems,
    ...single,
    ...given({ since, until }),
  };
}

/** Parses a prompt: reads a time and file names from it, but no filters, because a pasted log is full of them. */
export function parseTalk(text: string, now: Date, offsetMinutes = -now.getTimezoneOffset()): Query {
  return worded(text, findSpan(text, { now, offsetMinutes }));
}

function worded(input: string, span: (Span & { readonly words: string }) | undefined): Query {
  const text = (span ? input.replace(span.words, ' ') : input).replace(/\s+/g, ' ').trim();
  return {
    text,
    kinds: [],
    states: [],
    agents: [],
    mentioned: fileNames(text),
    problems: [],
    ...given({ since: span?.since, until: span?.until, dateWords: span?.words }),
  };
}

/** File names in a text, each once. */
export function fileNames(text: string): readonly string[] {
  const found = [...text.matchAll(FILE_NAME)].map(([name]) => name.replace(/^\.\//, ''));
  return [...new Set(found)].filter((name) => !NOT_A_FILE.test(name));
}

function timeOf(value: string, calendar: Calendar): Span | undefined {
  // `last-week`, `last_week`; the hyphens of 2026-02-09 stay.
  const words = value.replace(/[_+]|(?<!\d)-|-(?!\d)/g, ' ');
  const instant = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(instant))
    return { since: new Date(instant).toISOString(), until: new Date(instant).toISOString() };
  const short = /^(\d{1,3})([dwm])$/.exec(value);
  const unit = { d: 'days', w: 'weeks', m: 'months' }[short?.[2] ?? ''];
  return (
    findSpan(unit ? `last ${short?.[1]} ${unit}` : words, calendar) ??
    findSpan(`in ${words}`, calendar) ??
    findSpan(`on ${words}`, calendar)
  );
}
