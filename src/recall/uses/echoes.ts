/**
 * Detects the injected memories that a turn uses: the answer repeats its telling words, or a command or an edit follows it.
 * Only words count that the agent cannot have from the prompt, earlier answers or tools. Prefers a miss to a false hit.
 * Only reads; the caller records the uses.
 */
import { type Memory, projectFiles, RULE_KINDS, type StoredTurn } from '../../core/index.ts';
import {
  queryWords,
  tokensOf,
  type Frequencies,
  type MemoryIndex,
  type Use,
  type Word,
} from '../../database/index.ts';
import { ECHO } from '../ranking/weights.ts';
import { isName, isNumber, ruleWords } from './_rule-words.ts';
import { isKnown, turnWords, type Act, type TurnTexts, type TurnWords } from './_turn-words.ts';

/** Newest injected memories checked per turn; a session gets a few dozen at most. */
const MOST_INJECTED = 60;

/** The words that the edits of a turn added, by the id of the call. */
export type Written = ReadonlyMap<string, readonly string[]>;

export function echoes(index: MemoryIndex, turn: StoredTurn, written: Written): readonly Use[] {
  if ((turn.answer === '' && turn.tools.length === 0) || turn.origin === 'task') return [];
  const injected = index.injectedIn(turn.session).filter(({ at }) => at <= turn.endedAt);
  const ids = [...new Set(injected.map(({ memory }) => memory))].slice(-MOST_INJECTED);
  const fresh = ids.filter((memory) => !index.isUsed({ memory, session: turn.session, how: 'echoed' }));
  if (fresh.length === 0) return [];
  const texts = textsOf(index, turn, written);
  const said = turnWords(texts);
  return fresh.flatMap((id): readonly Use[] => {
    const memory = index.memory(id);
    if (!memory) return [];
    const frequency = index.memoryFrequencies(units(textOf(memory)).keys());
    if (echoOf(memory, { ...said, read: texts.read }, frequency).length === 0) return [];
    return [{ memory: memory.id, session: turn.session, how: 'echoed', at: turn.endedAt }];
  });
}

function textsOf(index: MemoryIndex, turn: StoredTurn, written: Written): TurnTexts {
  const earlier = index.turnsIn(turn.session).filter(({ id, at }) => id !== turn.id && at <= turn.startedAt);
  return {
    had: [turn.prompt, ...earlier.flatMap(({ prompt, answer }) => [prompt, answer])].join('\n'),
    answer: turn.answer,
    tools: turn.tools.map((tool) => ({ ...tool, wrote: written.get(tool.id) ?? [] })),
    read: projectFiles(
      turn.tools.flatMap(({ read }) => read),
      turn,
      undefined,
    ),
  };
}

/** Returns the words that show the echo; empty if there is none. */
export function echoOf(
  memory: Memory,
  said: TurnWords & Pick<TurnTexts, 'read'>,
  frequency: Frequencies,
): readonly string[] {
  const telling = tellingWords(memory, said, frequency);
  const echoed = [...telling.keys()].filter((token) => said.own.has(token));
  const needed = Math.max(ECHO.least, Math.ceil(ECHO.share * Math.min(telling.size, ECHO.counted)));
  return echoed.length >= needed ? echoed : followed(memory, telling, said.acts);
}

/** The words of a memory that the agent can hardly have from elsewhere. */
function tellingWords(
  memory: Memory,
  { own, known, read }: TurnWords & Pick<TurnTexts, 'read'>,
  { rows, counts }: Frequencies,
): ReadonlyMap<string, Word> {
  const fromFiles = memory.files.some((file) => read.some((path) => path.endsWith(file)));
  const common = Math.max(ECHO.commonFrom, ECHO.commonShare * rows);
  return new Map(
    [...units(textOf(memory))].filter(([token, word]) => {
      if (word.weak || (isName(word) && fromFiles) || (counts.get(token) ?? 0) > common) return false;
      if (word.kind === 'cjk') return !known.has(token);
      return own.has(token) || !isKnown(word, known);
    }),
  );
}

/**
 * Returns the words by which a command or an edit follows the memory. One is enough: the wanted side of a rule, a name, or
 * a number beside another word of the title. None if the turn also does what the rule rejects.
 */
function followed(
  memory: Memory,
  telling: ReadonlyMap<string, Word>,
  acts: readonly Act[],
): readonly string[] {
  // What was tried in vain is not followed by doing it.
  if (memory.kind === 'dead_end') return [];
  const isRule = RULE_KINDS.includes(memory.kind);
  const { chosen, rejected } = ruleWords([memory.title, memory.body].join('\n'));
  if (acts.some(({ tokens }) => [...rejected].some((token) => tokens.has(token)))) return [];
  const own = units([memory.title, memory.body, ...memory.facts].join('\n'));
  const title = new Set(units(memory.title).keys());
  return [...telling].flatMap(([token, word]) => {
    if (rejected.has(token) || !own.has(token)) return [];
    const isDone = acts.some(({ fresh, tokens, programs }) => {
      if (!fresh.has(token)) return false;
      if (isName(word) || (isRule && (programs.has(token) || chosen.has(token)))) return true;
      return isNumber(word) && [...title].some((other) => other !== token && tokens.has(other));
    });
    return isDone ? [token] : [];
  });
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
