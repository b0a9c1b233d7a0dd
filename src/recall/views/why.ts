/**
 * Why something was put before the agent, or why nothing was: the ledger's record of each moment, with the reasons for
 * each memory's place weighed again from the prompt. Reads only, beside the writer: a line it is just writing is left out.
 */
import { TidemarkError, type Memory, type Session } from '../../core/index.ts';
import { words, type MemoryIndex } from '../../database/index.ts';
import { recallRecords, type Injected } from '../../storage/ledger/index.ts';
import type { ScorePart } from '../ranking/score.ts';
import type { Signals } from '../ranking/signals.ts';
import { search } from '../search.ts';

export interface WhyQuestion {
  /** A memory's id, the beginning of a session's, or words of a prompt; without it the newest session of the project. */
  readonly of?: string;
  readonly project?: string;
  readonly limit: number;
}

export interface RecalledMemory {
  readonly id: string;
  readonly score: number;
  /** Undefined once it was forgotten. */
  readonly memory?: Pick<Memory, 'kind' | 'title' | 'state' | 'at'>;
  readonly opened: boolean;
  /** The answer or the commands of the session went back to it. */
  readonly echoed: boolean;
  /** The words of the prompt it covers, and the steps of its score as they are today. */
  readonly covered: readonly string[];
  readonly parts: readonly ScorePart[];
}

export interface Moment {
  readonly at: string;
  readonly session: string;
  readonly where: Injected['where'];
  /** What the person asked, once its turn was captured. */
  readonly prompt?: string;
  readonly considered: number;
  /** Why nothing was said, when nothing was. */
  readonly reason?: string;
  readonly memories: readonly RecalledMemory[];
}

/** A prompt's hook and its line in the transcript are written by two programs at almost the same time. */
const SAME_PROMPT_MS = 15_000;
/** Oldest first. `signalsFor`: as seen from the work tree of a session. */
export async function why(
  index: MemoryIndex,
  ledger: string,
  { of, project, limit }: WhyQuestion,
  signalsFor: (session: Session | undefined) => Signals,
): Promise<readonly Moment[]> {
  const { moments, used } = await recallRecords(ledger);
  const id = of === undefined ? undefined : (index.memory(of)?.id ?? index.merged(of)?.memory.id ?? of);
  const withMemory = moments.filter(({ memories }) => memories.some((one) => one.id === id));
  const isMemory = of !== undefined && (withMemory.length > 0 || index.memory(of) !== undefined);
  const found = isMemory ? withMemory : ofSession(index, moments, of, project);
  const wanted =
    found.length > 0 || of === undefined || isMemory ? found : ofPrompt(index, moments, of, project);
  if (of !== undefined && !isMemory && wanted.length === 0)
    throw new TidemarkError('not-found', `no memory, session or prompt is known as ${of}`, {
      hint: 'Sessions are listed by: tidemark sessions; words of a prompt are looked for in this project, with --all everywhere',
    });
  const uses = new Set(used.map(({ session, memory, how }) => `${session} ${memory} ${how}`));
  return wanted
    .slice(-limit)
    .map((moment) => explained(index, moment, uses, signalsFor(index.session(moment.session))));
}

/** Prompts that hold all of these words. */
function ofPrompt(
  index: MemoryIndex,
  moments: readonly Injected[],
  of: string,
  project: string | undefined,
): readonly Injected[] {
  const wanted = wordsOf(of);
  if (wanted.size === 0) return [];
  return moments.filter(({ where, session, at }) => {
    if (where !== 'prompt' || (project !== undefined && index.session(session)?.project !== project))
      return false;
    const said = wordsOf(promptNear(index, session, at) ?? '');
    return [...wanted].every((word) => said.has(word));
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
  const isWanted = ({ session }: Injected): boolean =>
    of === undefined
      ? project === undefined || index.session(session)?.project === project
      : session.startsWith(of);
  const newest = moments.findLast(isWanted)?.session;
  return moments.filter(({ session }) => session === newest);
}

function explained(
  index: MemoryIndex,
  moment: Injected,
  uses: ReadonlySet<string>,
  signals: Signals,
): Moment {
  const { at, session, where, considered, reason } = moment;
  const prompt = where === 'prompt' ? promptNear(index, session, at) : undefined;
  const weighed =
    prompt && moment.memories.length > 0 ? weighAgain(index, moment, prompt, signals) : new Map();
  return {
    at,
    session,
    where,
    considered,
    ...(prompt ? { prompt } : {}),
    ...(reason ? { reason } : {}),
    memories: moment.memories.map(({ id, score }) => {
      const memory = index.memory(id);
      const { covered = [], parts = [] } = weighed.get(id) ?? {};
      return {
        id,
        score,
        opened: uses.has(`${session} ${id} opened`),
        echoed: uses.has(`${session} ${id} echoed`),
        covered,
        parts,
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

function weighAgain(index: MemoryIndex, { at, session }: Injected, prompt: string, signals: Signals) {
  const project = index.session(session)?.project;
  const { considered } = search(index, prompt, {
    now: new Date(at),
    floor: 0,
    signals,
    ...(project ? { project, scope: 'project' } : {}),
  });
  return new Map(considered.map((hit) => [hit.memory.id, hit]));
}
