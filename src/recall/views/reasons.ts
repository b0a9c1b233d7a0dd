/** Says in words why a memory was injected or found: one short phrase per reason, the strongest first. Numbers are for `--json`. Pure. */
import { isLive, PERSONAL_PROJECT, RULE_KINDS, type Memory } from '../../core/index.ts';
import type { Injected } from '../../storage/ledger/index.ts';
import { isConfirmed } from '../context/trust.ts';
import type { Query } from '../query.ts';
import { samePath, type ScorePart } from '../ranking/score.ts';
import { MEANING, RECENCY } from '../ranking/weights.ts';
import type { Hit } from '../search.ts';

/** The known facts about one injected memory. */
export interface Grounds {
  readonly where: Injected['where'];
  /** Undefined if it was forgotten. */
  readonly memory: Memory | undefined;
  /** Files that the prompt and the memory name. */
  readonly named: readonly string[];
  /** The words of the prompt that it contains. */
  readonly covered: readonly string[];
  readonly parts: readonly ScorePart[];
  /** Whether its meaning is near that of the prompt. */
  readonly similar: boolean;
  /** How likely it helps, by the small model, if it read the memory with the prompt. */
  readonly read: number | undefined;
  /** The file that was read or about to be changed, if it is known. */
  readonly file: string | undefined;
}

/** Words of a prompt that are named; the rest is counted. */
const WORDS_NAMED = 6;

export function reasonsFor(grounds: Grounds): readonly string[] {
  const { where, memory, file } = grounds;
  switch (where) {
    case 'brief':
      return memory ? [`In the brief: ${roleOf(memory)}`] : [];
    case 'read':
      return [`The agent read ${file ?? 'a file'}, and this memory is about it`];
    case 'edit':
      return [`The agent was about to change ${file ?? 'a file'}, and this memory is about it`];
    case 'stop':
      return ['It forbids the call that was stopped'];
    case 'prompt':
      return [...orElse(matches(grounds), 'It matched the prompt'), ...circumstances(grounds)];
  }
}

/** The same for a hit of a search. */
export function searchReasons(
  { memory, covered, parts, cosine }: Pick<Hit, 'memory' | 'covered' | 'parts' | 'cosine'>,
  { mentioned }: Pick<Query, 'mentioned'>,
): readonly string[] {
  const similar = cosine !== undefined && cosine >= MEANING.from;
  const found = {
    memory,
    covered,
    parts,
    similar,
    named: namedIn(memory, mentioned),
    where: 'prompt',
    read: undefined,
    file: undefined,
  } as const;
  const weakly = parts.some(({ name }) => name === 'listed by filter')
    ? 'It matches the filters'
    : cosine === undefined
      ? 'Stored next to memories that match'
      : 'A little similar in meaning';
  return [...orElse(matches(found), weakly), ...circumstances(found)];
}

/** Returns those of the files that the memory names too. */
export function namedIn(memory: Memory | undefined, files: readonly string[]): readonly string[] {
  return files.filter((name) => memory?.files.some((path) => samePath(path, name)));
}

function roleOf(memory: Memory): string {
  if (RULE_KINDS.includes(memory.kind) && !isConfirmed(memory)) return 'noted by the agent, not confirmed';
  const ended = isLive(memory) ? '' : ' at that time';
  switch (memory.kind) {
    case 'decision':
      return `a decision in force${ended}`;
    case 'preference':
      return `a preference in force${ended}`;
    case 'pattern':
      return `how things are done here${ended && `,${ended}`}`;
    case 'issue':
      return `an open issue${ended}`;
    case 'dead_end':
      return 'an approach that did not work';
    case 'discovery':
      return 'a fact about the project';
    case 'bugfix':
    case 'feature':
    case 'refactor':
      return 'recent work';
  }
}

function matches({ named, covered, similar, read }: Grounds): readonly string[] {
  const words = covered.slice(0, WORDS_NAMED).join(', ');
  const more = covered.length > WORDS_NAMED ? ` and ${covered.length - WORDS_NAMED} more` : '';
  return [
    ...(named.length > 0
      ? [`You named the ${named.length === 1 ? 'file' : 'files'} ${named.join(', ')}`]
      : []),
    ...(covered.length > 0 ? [`Shares the ${covered.length === 1 ? 'word' : 'words'} ${words}${more}`] : []),
    ...(similar ? ['Similar in meaning'] : []),
    ...(read === undefined
      ? []
      : [read >= 0.5 ? 'The small model judged it relevant' : 'The small model was not sure']),
  ];
}

function orElse(reasons: readonly string[], otherwise: string): readonly string[] {
  return reasons.length > 0 ? reasons : [otherwise];
}

/** Facts beside the match that raised or lowered its rank. */
function circumstances({ memory, parts }: Grounds): readonly string[] {
  return parts.flatMap(({ name, factor }) => {
    switch (name) {
      case 'project':
        return memory?.project === PERSONAL_PROJECT
          ? ['Personal, applies to every project']
          : ['From another project'];
      case 'branch not merged':
        return ['From a branch that is not merged'];
      case 'other branch':
        return ['From another branch'];
      case 'age':
        return factor <= 1 - RECENCY.fadingShare / 2 ? [`More than ${RECENCY.halfLifeDays} days old`] : [];
      case 'opened':
        return ['Opened in earlier sessions'];
      case 'files changed':
        return ['Its files changed since'];
      case 'files gone':
        return ['Its files no longer exist'];
      default:
        return [];
    }
  });
}
