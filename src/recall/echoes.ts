/**
 * Detects the injected memories that a turn uses: telling words of the memory in the answer that the agent cannot have
 * from the prompt, earlier answers or tools. Prefers a miss to a false hit. Only reads; the caller records the uses.
 */
import { type Memory, projectFiles, type StoredTurn } from '../core/index.ts';
import {
  queryWords,
  tokensOf,
  words,
  type Frequencies,
  type MemoryIndex,
  type Use,
  type Word,
} from '../database/index.ts';
import { ECHO } from './ranking/weights.ts';

/** Newest injected memories checked per turn; a session gets a few dozen at most. */
const MOST_INJECTED = 60;

export function echoes(index: MemoryIndex, turn: StoredTurn): readonly Use[] {
  if (turn.answer === '' || turn.origin === 'task') return [];
  const injected = index.injectedIn(turn.session).filter(({ at }) => at <= turn.endedAt);
  const ids = [...new Set(injected.map(({ memory }) => memory))].slice(-MOST_INJECTED);
  const fresh = ids.filter((memory) => !index.isUsed({ memory, session: turn.session, how: 'echoed' }));
  if (fresh.length === 0) return [];
  const texts = textsOf(index, turn);
  return fresh.flatMap((id): readonly Use[] => {
    const memory = index.memory(id);
    if (!memory) return [];
    const frequency = index.memoryFrequencies(units(textOf(memory)).keys());
    if (echoOf(memory, texts, frequency).length === 0) return [];
    return [{ memory: memory.id, session: turn.session, how: 'echoed', at: turn.endedAt }];
  });
}

function textsOf(index: MemoryIndex, turn: StoredTurn): TurnTexts {
  const earlier = index.turnsIn(turn.session).filter(({ id, at }) => id !== turn.id && at <= turn.startedAt);
  const { tools } = turn;
  return {
    said: [turn.answer, ...tools.flatMap(({ command = '', edited }) => [command, ...edited])].join('\n'),
    had: [
      turn.prompt,
      ...earlier.flatMap(({ prompt, answer }) => [prompt, answer]),
      ...tools.flatMap(({ output = '', errors }) => [output, ...errors]),
    ].join('\n'),
    read: projectFiles(
      tools.flatMap(({ read }) => read),
      turn,
      undefined,
    ),
  };
}

interface TurnTexts {
  /** The agent's own words: its answer, its commands, the names of files it edited. */
  readonly said: string;
  /** The context it had: prompts, earlier answers, the output of tools. */
  readonly had: string;
  /** Files it read, whose names and identifiers it may use. */
  readonly read: readonly string[];
}

/** Returns the words that show the echo; empty if there is none. */
export function echoOf(
  memory: Memory,
  { said, had, read }: TurnTexts,
  frequency: Frequencies,
): readonly string[] {
  const known = new Set(words(had).flatMap(tokensOf));
  const fromFiles = memory.files.some((file) => read.some((path) => path.endsWith(file)));
  const common = Math.max(ECHO.commonFrom, ECHO.commonShare * frequency.rows);
  const telling = [...units(textOf(memory))].flatMap(([token, word]) => {
    const isName = word.kind === 'identifier' || word.kind === 'path';
    if (word.weak || known.has(token) || (isName && fromFiles)) return [];
    if (word.parts.length > 0 && word.kind !== 'cjk' && word.parts.every((part) => known.has(part)))
      return [];
    return (frequency.counts.get(token) ?? 0) > common ? [] : [token];
  });
  // A part of an identifier does not count as said.
  const spoken = new Set(words(said).flatMap((word) => (word.kind === 'cjk' ? tokensOf(word) : word.whole)));
  const echoed = telling.filter((token) => spoken.has(token));
  const needed = Math.max(ECHO.least, Math.ceil(ECHO.share * Math.min(telling.length, ECHO.counted)));
  return echoed.length >= needed ? echoed : [];
}

function textOf({ title, body, reason = '', facts, files }: Memory): string {
  return [title, body, reason, ...facts, ...files].join('\n');
}

/** The strongest token of each word; for CJK, which has no words, the pairs. */
function units(text: string): ReadonlyMap<string, Word> {
  return new Map(
    queryWords(text).flatMap((word) =>
      (word.kind === 'cjk' ? tokensOf(word) : word.whole.slice(0, 1)).map((token) => [token, word] as const),
    ),
  );
}
