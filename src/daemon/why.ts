/**
 * Why something was put before the agent, or why nothing was: the ledger's record of each moment, with the reasons for
 * each memory's place weighed again from the prompt. Reads only, beside the writer: a line it is just writing is left out.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryIndex } from '../index/index.ts';
import { TidemarkError, type Memory } from '../model/index.ts';
import { search, type ScorePart } from '../recall/index.ts';
import { readLines } from './_lines.ts';
import { parseRecord, type LedgerRecord } from './ledger-record.ts';

type Injected = Extract<LedgerRecord, { kind: 'injected' }>;
type Used = Extract<LedgerRecord, { kind: 'used' }>;

export interface WhyQuestion {
  /** Beginning of a session's id, or a memory's id; without it the newest session of the project. */
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
/** Only these lines are parsed: most of a ledger is about other things. */
const ABOUT_RECALL = /"kind":"(?:injected|used)"/;

/** Oldest first. */
export async function why(
  index: MemoryIndex,
  ledger: string,
  { of, project, limit }: WhyQuestion,
): Promise<readonly Moment[]> {
  const memory = of === undefined ? undefined : index.memory(of);
  const { moments, opened } = await recallRecords(ledger);
  const wanted = memory
    ? moments.filter(({ memories }) => memories.some(({ id }) => id === memory.id))
    : ofSession(index, moments, of, project);
  if (of !== undefined && !memory && wanted.length === 0)
    throw new TidemarkError('not-found', `neither a memory nor a session is known as ${of}`, {
      hint: 'Sessions are listed by: tidemark sessions',
    });
  return wanted.slice(-limit).map((moment) => explained(index, moment, opened));
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

function explained(index: MemoryIndex, moment: Injected, opened: ReadonlySet<string>): Moment {
  const { at, session, where, considered, reason } = moment;
  const prompt = where === 'prompt' ? promptNear(index, session, at) : undefined;
  const weighed = prompt && moment.memories.length > 0 ? weighAgain(index, moment, prompt) : new Map();
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
        opened: opened.has(`${session} ${id}`),
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

function weighAgain(index: MemoryIndex, { at, session }: Injected, prompt: string) {
  const project = index.session(session)?.project;
  const { considered } = search(index, prompt, {
    now: new Date(at),
    floor: 0,
    ...(project ? { project, scope: 'project' } : {}),
  });
  return new Map(considered.map((hit) => [hit.memory.id, hit]));
}

async function recallRecords(
  ledger: string,
): Promise<{ readonly moments: readonly Injected[]; readonly opened: ReadonlySet<string> }> {
  const moments: Injected[] = [];
  const used: Used[] = [];
  const months = readdirSync(ledger).filter((name) => name.endsWith('.jsonl'));
  for (const month of months.toSorted()) {
    for await (const { bytes } of readLines(join(ledger, month))) {
      const line = bytes?.toString('utf8') ?? '';
      const parsed = ABOUT_RECALL.test(line) ? parseRecord(line) : undefined;
      if (parsed?.kind !== 'record') continue;
      if (parsed.record.kind === 'injected') moments.push(parsed.record);
      if (parsed.record.kind === 'used') used.push(parsed.record);
    }
  }
  const opened = new Set(used.map(({ session, memory }) => `${session} ${memory}`));
  return { moments: moments.toSorted((a, b) => a.at.localeCompare(b.at)), opened };
}
