/**
 * Explains why memories were injected or not: the ledger's record of each moment, with the scores computed again from the
 * prompt and the reasons in words. Only reads; ignores a line that is being written.
 */
import { given, isWordOrYear, TidemarkError, type Memory, type Session } from '../../core/index.ts';
import { words, type MemoryIndex } from '../../database/index.ts';
import { recallRecords, type Injected } from '../../storage/ledger/index.ts';
import { chance } from '../ranking/gate.ts';
import type { ScorePart } from '../ranking/score.ts';
import type { Signals } from '../ranking/signals.ts';
import { search, type Hit } from '../search.ts';
import { namedIn, reasonsFor } from './reasons.ts';

interface WhyQuestion {
  /** A memory's id, the beginning of a session's, or words of a prompt. Default: the newest session of the project. */
  readonly of?: string;
  readonly project?: string;
  readonly limit: number;
}

export interface RecalledMemory {
  readonly id: string;
  readonly score: number;
  /** How likely it helps, by the small model, if it read the memory with the prompt. */
  readonly read?: number;
  /** Undefined if it was forgotten. */
  readonly memory?: Pick<Memory, 'kind' | 'title' | 'state' | 'at'>;
  readonly opened: boolean;
  /** The words of the prompt it contains, and the steps of its score as computed now. */
  readonly covered: readonly string[];
  readonly parts: readonly ScorePart[];
  /** Why it was injected, in words. */
  readonly reasons: readonly string[];
}

export interface Moment {
  readonly at: string;
  readonly session: string;
  readonly where: Injected['where'];
  /** The user's prompt, once its turn was captured. */
  readonly prompt?: string;
  readonly considered: number;
  /** Why nothing was injected. */
  readonly reason?: string;
  readonly memories: readonly RecalledMemory[];
  /** The past session whose end was injected, and why. */
  readonly conversation?: Injected['conversation'];
}

/** Tolerance between the time of a prompt's hook and of its line in the transcript. */
const SAME_PROMPT_MS = 15_000;

/** Oldest first. `signalsFor`: the signals for the work tree of a session. */
export async function why(
  index: MemoryIndex,
  ledger: string,
  { of, project, limit }: WhyQuestion,
  signalsFor: (session: Session | undefined) => Signals,
): Promise<readonly Moment[]> {
  const { moments, opened } = await recallRecords(ledger);
  const named = of === undefined || isWordOrYear(of) ? undefined : index.memory(of);
  const id = of === undefined ? undefined : (named?.id ?? index.merged(of)?.memory.id ?? of);
  const withMemory = moments.filter(({ memories }) => memories.some((one) => one.id === id));
  const isMemory = of !== undefined && (withMemory.length > 0 || named !== undefined);
  const found = isMemory ? withMemory : ofSession(index, moments, of, project);
  const selected =
    found.length > 0 || of === undefined || isMemory ? found : ofPrompt(index, moments, of, project);
  if (of !== undefined && !isMemory && selected.length === 0)
    throw new TidemarkError('not-found', `no memory, session or prompt matches ${of}`, {
      hint: 'List the sessions with: tidemark sessions. Words of a prompt are searched in this project, with --all in all projects.',
    });
  const openedIn = new Set(opened.map(({ session, memory }) => `${session} ${memory}`));
  return selected
    .slice(-limit)
    .map((moment) => explained(index, moment, openedIn, signalsFor(index.session(moment.session))));
}

/** Moments whose prompt contains all of these words. */
function ofPrompt(
  index: MemoryIndex,
  moments: readonly Injected[],
  of: string,
  project: string | undefined,
): readonly Injected[] {
  const asked = wordsOf(of);
  if (asked.size === 0) return [];
  return moments.filter(({ where, session, at }) => {
    if (where !== 'prompt' || (project !== undefined && index.session(session)?.project !== project))
      return false;
    const prompt = wordsOf(promptNear(index, session, at) ?? '');
    return [...asked].every((word) => prompt.has(word));
  });
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(words(text).map(({ surface }) => surface));
}

function ofSession(
  index: MemoryIndex,
  moments: readonly Injected[],
  of: string | undefined,
  project: string | undefined,
): readonly Injected[] {
  const isSelected = ({ session }: Injected): boolean =>
    of === undefined
      ? project === undefined || index.session(session)?.project === project
      : session.startsWith(of);
  const newest = moments.findLast(isSelected)?.session;
  return moments.filter(({ session }) => session === newest);
}

function explained(
  index: MemoryIndex,
  moment: Injected,
  openedIn: ReadonlySet<string>,
  signals: Signals,
): Moment {
  const { at, session, where, considered, reason, conversation } = moment;
  const prompt = where === 'prompt' ? promptNear(index, session, at) : undefined;
  const scored = prompt && moment.memories.length > 0 ? scoreAgain(index, moment, prompt, signals) : NOTHING;
  return {
    at,
    session,
    where,
    considered,
    ...(prompt ? { prompt } : {}),
    ...(reason ? { reason } : {}),
    ...given({ conversation }),
    memories: moment.memories.map((injected) => {
      const { id, score, file, similar = false } = injected;
      const memory = index.memory(id);
      const { covered = [], parts = [] } = scored.hits.get(id) ?? {};
      const named = namedIn(memory, scored.mentioned);
      const read = injected.read === undefined ? undefined : chance(injected.read);
      return {
        id,
        score,
        opened: openedIn.has(`${session} ${id}`),
        covered,
        parts,
        reasons: reasonsFor({ where, memory, named, covered, parts, similar, read, file }),
        ...given({ read }),
        ...(memory
          ? { memory: { kind: memory.kind, title: memory.title, state: memory.state, at: memory.at } }
          : {}),
      };
    }),
  };
}

function promptNear(index: MemoryIndex, session: string, at: string): string | undefined {
  const time = Date.parse(at);
  const distance = (other: string): number => Math.abs(Date.parse(other) - time);
  const [nearest] = index.turnsIn(session).toSorted((a, b) => distance(a.at) - distance(b.at));
  return nearest && distance(nearest.at) <= SAME_PROMPT_MS ? nearest.prompt : undefined;
}

interface Scored {
  readonly hits: ReadonlyMap<string, Hit>;
  /** Files that the prompt names. */
  readonly mentioned: readonly string[];
}

const NOTHING: Scored = { hits: new Map(), mentioned: [] };

function scoreAgain(index: MemoryIndex, { at, session }: Injected, prompt: string, signals: Signals): Scored {
  const project = index.session(session)?.project;
  const { considered, query } = search(index, prompt, {
    now: new Date(at),
    floor: 0,
    talk: true,
    signals,
    ...(project ? { project, scope: 'project' } : {}),
  });
  return { hits: new Map(considered.map((hit) => [hit.memory.id, hit])), mentioned: query.mentioned };
}
