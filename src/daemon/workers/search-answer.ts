/** Answers a search of the CLI and the MCP server: memories, turns and own files of one project, or of all. Only reads. */
import { given, isLive, PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import type { MemoryIndex, QueryVector } from '../../database/index.ts';
import { shortStart } from '../../memory/index.ts';
import {
  alsoSaid,
  saidLater,
  search,
  withProblems,
  type Hit,
  type SearchResult,
  type SectionFound,
  type Signals,
  type TurnFound,
} from '../../recall/index.ts';

/** The name of the project, for people. */
interface Placed {
  readonly projectName: string;
}

export interface FoundMemory extends Hit, Placed {
  /** A memory of a later session about the same, which may have changed it. */
  readonly later?: Memory;
}

/** `name`: the beginning of its id that no other turn has. */
export interface FoundTurn extends TurnFound, Placed {
  readonly name: string;
}

/** Memories, turns that match, and sections of files that agents load themselves. */
export interface SearchAnswer extends SearchResult {
  readonly hits: readonly FoundMemory[];
  readonly turns: readonly FoundTurn[];
  readonly sections: readonly SectionFound[];
  /** The project that was searched; missing if all were. */
  readonly within?: string;
  /** Matches in other projects, if this one has none. */
  readonly elsewhere: number;
}

export interface SearchQuestion {
  readonly query: string;
  readonly limit: number;
  /** The current project; missing outside of any known one. */
  readonly project?: string;
  /** Searches every project and prefers the current one. */
  readonly all: boolean;
  readonly now: Date;
  readonly vector?: QueryVector;
  readonly signals: Signals;
  /** Returns the sections of files that agents load themselves. */
  readonly sections: (text: string, hits: readonly Hit[]) => readonly SectionFound[];
}

/** Enough to say how many there are. */
const MOST_COUNTED = 100;

export function searchAnswer(index: MemoryIndex, question: SearchQuestion): SearchAnswer {
  const found = foundIn(index, question);
  const { within } = found;
  const sections = question.sections(question.query, found.hits);
  const isEmpty = found.hits.length + found.turns.length + sections.length === 0;
  const elsewhere = within !== undefined && isEmpty ? countElsewhere(index, question, within) : 0;
  return { ...found, sections, elsewhere };
}

function foundIn(
  index: MemoryIndex,
  { query: text, project, all, now, vector, signals, limit }: SearchQuestion,
): Omit<SearchAnswer, 'sections' | 'elsewhere'> {
  const about = { now, ...given({ project, vector }) };
  const scope = all || project === undefined ? 'everywhere' : 'project';
  const found = withProblems(
    index,
    search(index, text, { ...about, limit, signals, scope, endedLast: true }),
  );
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? index.project(id)?.name ?? id;
    names.set(id, name);
    return name;
  };
  // Turns are searched in the given project only.
  const beside = scope === 'everywhere' ? { now, ...given({ vector }) } : about;
  const laterOf = project === undefined ? () => undefined : saidLater(index, { project, query: text });
  return {
    ...found,
    hits: found.hits.map((hit) => ({
      ...hit,
      projectName: nameOf(hit.memory.project),
      ...given({ later: isLive(hit.memory) ? laterOf(hit.memory.provenance.turn) : undefined }),
    })),
    turns: alsoSaid(index, text, found.hits, beside).map((one) => ({
      ...one,
      name: shortStart(index, 'turn', one.turn.id),
      projectName: nameOf(one.turn.project),
    })),
    ...(scope === 'everywhere' || found.query.project !== undefined ? {} : given({ within: project })),
  };
}

function countElsewhere(
  index: MemoryIndex,
  { query: text, now, vector, signals }: SearchQuestion,
  within: string,
): number {
  const about = { now, ...given({ vector }) };
  const { hits } = search(index, text, { ...about, signals, limit: MOST_COUNTED });
  const isOther = ({ project }: Pick<Memory, 'project'>): boolean =>
    project !== within && project !== PERSONAL_PROJECT;
  return (
    hits.filter(({ memory }) => isOther(memory)).length +
    alsoSaid(index, text, hits, about).filter(({ turn }) => isOther(turn)).length
  );
}
