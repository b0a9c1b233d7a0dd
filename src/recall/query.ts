/** Parses a query into words and filters (`kind:`, `state:`, `project:`, `agent:`, `since:`, `until:`, `file:`, `session:`) and file names. Pure. */
import {
  AGENTS,
  given,
  MEMORY_KINDS,
  MEMORY_STATES,
  type Agent,
  type MemoryKind,
  type MemoryState,
} from '../core/index.ts';
import { spanOf, TIME_HINT } from './times.ts';
import { zoneDays, type ZoneDays } from './zone-days.ts';

export interface Query {
  /** The search text, without filters. */
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
  /** Messages for filters that were not understood. */
  readonly problems: readonly string[];
}

/** Not in `user-agent:`. */
const FILTER = /(?<![\w/-])(kind|state|agent|project|since|until|file|session):(?:"([^"]*)"|(\S+))/gi;

/** A path, or a name with a file extension, but not `e.g.` or `v1.2`. */
const FILE_NAME = /(?<![\w/.@-])(?:[\w.@-]+\/)*[\w@-][\w.@-]*\.(?=[a-z])[a-z0-9]{1,6}(?![\w/])/gi;
const NOT_A_FILE = /^(?:e\.g|i\.e|etc\.?|vs|node\.js|next\.js|vue\.js|.*\.(?:com|org|net|io|dev))$/i;

/** `parseQuery('kind:decision tokens since:3d', now)` */
export function parseQuery(input: string, now: Date, days?: ZoneDays): Query {
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
    const span = spanOf(value, now, days ?? zoneDays());
    if (!span) problems.push(`${whole}: not a time. ${TIME_HINT}`);
    else if (filter === 'since') since = span.since;
    else until = span.until ?? span.since;
    return ' ';
  });

  return { ...parseTalk(rest), kinds, states, agents, problems, ...single, ...given({ since, until }) };
}

/** Parses a prompt: reads file names from it, but no filters, because a pasted log is full of them. */
export function parseTalk(prompt: string): Query {
  const text = prompt.replace(/\s+/g, ' ').trim();
  return { text, kinds: [], states: [], agents: [], mentioned: fileNames(text), problems: [] };
}

/** File names in a text, each once. */
export function fileNames(text: string): readonly string[] {
  const found = [...text.matchAll(FILE_NAME)].map(([name]) => name.replace(/^\.\//, ''));
  return [...new Set(found)].filter((name) => !NOT_A_FILE.test(name));
}
