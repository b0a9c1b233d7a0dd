/** Finds the live memories that a turn may be about, so that a distiller can end or revise them. Reads the index only. */
import {
  firstState,
  editedFiles,
  isLive,
  type Memory,
  PERSONAL_PROJECT,
  spokenText,
  type StoredTurn,
} from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { titleFit } from './title-fit.ts';

/** How many a distiller gets. */
const MAX_RELATED = 24;
/** With so many live memories the whole project is compared with the turn, which costs a few milliseconds. */
const COMPARED = 600;
const PERSONAL = 6;
/** Open issues and recent memories are often meant without being named. */
const RECENT_BONUS = 0.6;
const OPEN_BONUS = 0.5;
const SESSION_BONUS = 1;
const FILE_BONUS = 2;

/**
 * The memories that were live before the turn, the most related ones first. The rules read all turns of a history before a
 * model reads the first, so an issue may be resolved already by what the rules made of this or a later turn.
 */
export function relatedMemories(
  index: MemoryIndex,
  turn: StoredTurn,
  previous: StoredTurn | undefined,
  root: string | undefined,
): readonly Memory[] {
  const before = (memory: Memory): boolean =>
    memory.at < turn.startedAt && memory.author === undefined && wasLive(index, memory, turn.startedAt);
  const own = index
    .memoriesBy({ project: turn.project, until: turn.startedAt, limit: COMPARED })
    .filter(before)
    .map(asLive);
  const personal = index.memoriesBy({ project: PERSONAL_PROJECT, until: turn.startedAt, limit: PERSONAL });
  const all = [...own, ...personal.filter(before).map(asLive)];
  if (all.length <= MAX_RELATED) return all;
  const text = [turn.prompt, turn.answer, previous?.answer ?? ''].map(spokenText).join('\n');
  const fit = titleFit(all)(text);
  const files = new Set(editedFiles(turn, root));
  const score = (memory: Memory, position: number): number =>
    fit(memory) +
    (memory.files.some((file) => files.has(file)) ? FILE_BONUS : 0) +
    (memory.provenance.session === turn.session ? SESSION_BONUS : 0) +
    (memory.state === 'open' ? OPEN_BONUS : 0) +
    RECENT_BONUS / (1 + position / 10);
  return all
    .map((memory, position) => ({ memory, score: score(memory, position) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RELATED)
    .map(({ memory }) => memory);
}

function wasLive(index: MemoryIndex, memory: Memory, at: string): boolean {
  if (isLive(memory)) return true;
  if (memory.ended) return memory.ended.at >= at;
  const by = index.memory(memory.supersededBy ?? memory.resolvedBy ?? '');
  return by !== undefined && by.at >= at;
}

function asLive(memory: Memory): Memory {
  return isLive(memory) ? memory : { ...memory, state: firstState(memory.kind) };
}
