/** The end of a past session, injected with a prompt: a conversation, not a memory, and labelled so. Writes nothing. */
import { plainLine, type Memory } from '../../core/index.ts';
import type { IndexedTurn, MemoryIndex, QueryVector } from '../../database/index.ts';
import { fence } from '../../privacy/index.ts';
import { age } from '../ages.ts';
import { replacementsOf } from '../changed-later.ts';
import { leadingSession, type Leading } from '../leading-session.ts';
import { FLOOR, PAST_SESSION } from '../ranking/weights.ts';
import { replacedNote, laterNote, saidLater } from '../said-later.ts';
import { cutToTokens, sentence, tokenCost } from './render.ts';

interface PastSessionOptions {
  readonly project: string;
  readonly prompt: string;
  /** The current session. */
  readonly session: string;
  readonly now: Date;
  /** Memories and sessions injected into this session before. */
  readonly already: readonly string[];
  readonly vector?: QueryVector;
}

export interface PastSession {
  /** For the agent. */
  readonly text: string;
  /** For the user. */
  readonly line: string;
  readonly conversation: {
    readonly session: string;
    readonly score: number;
    /** One sentence for `why`. */
    readonly why: string;
  };
}

const INTRO =
  'An earlier session seems to be about this prompt. This is the end of its conversation, not a rule; later work may have changed it:';

/** Returns nothing unless one session clearly leads, and never a session of which the agent has something already. */
export function pastSession(index: MemoryIndex, options: PastSessionOptions): PastSession | undefined {
  const { project, prompt, session, now, already, vector } = options;
  const without = new Set([session, ...already]);
  const found = leadingSession(index, prompt, { project, without, ...(vector ? { vector } : {}) });
  const last = found?.turns.at(-1);
  if (found === undefined || last === undefined || found.score < FLOOR.prompt) return undefined;
  const when = age(last.at, now);
  const head = `## Conversation of session ${found.session}, ${when}`;
  const laterOf = saidLater(index, { project, query: prompt, session });
  const notes = (turn: IndexedTurn): readonly string[] => noteOn(turn, index, laterOf, now);
  const first = found.turns.find(({ origin }) => origin === 'person');
  const topic = cutToTokens(plainLine(first?.prompt ?? ''), PAST_SESSION.topicTokens);
  return {
    text: `${INTRO}\n\n${fence([head, ...endOf(found.turns, notes)].join('\n'))}`,
    line: `  • [${found.score.toFixed(2)}] (${when}) the end of a session: ${topic}`,
    conversation: { session: found.session, score: found.score, why: explained(found) },
  };
}

function explained({ covered, changes }: Leading): string {
  const words = covered.slice(0, PAST_SESSION.wordsNamed).join(', ');
  return sentence(
    changes === undefined
      ? `It shares the words ${words} with the prompt, and no other session matches as closely`
      : `It changed a decision of session ${changes}, which shares the words ${words} with the prompt`,
  );
}

/** The last turns that fit, oldest first; always the last one. */
function endOf(
  turns: readonly IndexedTurn[],
  notes: (turn: IndexedTurn) => readonly string[],
): readonly string[] {
  const packed: string[] = [];
  let tokens = 0;
  for (const turn of turns.toReversed()) {
    const spoken = said(turn);
    if (spoken === '') continue;
    const text = [spoken, ...notes(turn)].join('\n');
    tokens += tokenCost(text);
    if (packed.length > 0 && tokens > PAST_SESSION.budgetTokens) break;
    packed.unshift(text);
  }
  return packed;
}

/** Says what a later session replaced of a turn, or remembered about the same. */
function noteOn(
  turn: IndexedTurn,
  index: MemoryIndex,
  laterOf: (turn: string) => Memory | undefined,
  now: Date,
): readonly string[] {
  const [by] = replacementsOf(index, turn);
  if (by) return [`Note: ${replacedNote(by, now)}`];
  const note = laterNote(laterOf(turn.id), now);
  return note === '' ? [] : [`Note: ${note}`];
}

/** The client, not the user, wrote the prompt of a finished task. */
function said({ origin, prompt, answer }: IndexedTurn): string {
  const lines = [
    ...(origin === 'person' ? [`User: ${bothEnds(plainLine(prompt), PAST_SESSION.promptTokens)}`] : []),
    ...(answer === '' ? [] : [`Agent: ${bothEnds(plainLine(answer), PAST_SESSION.answerTokens)}`]),
  ];
  return lines.join('\n');
}

/** The beginning and the end of a long text: an answer begins with the result and ends with what was agreed. */
function bothEnds(text: string, tokens: number): string {
  if (tokenCost(text) <= tokens) return text;
  const head = cutToTokens(text, Math.ceil(tokens / 2));
  const backwards = [...text].reverse().join('');
  const tail = [...cutToTokens(backwards, Math.floor(tokens / 2))].reverse().join('');
  return `${head} ${tail}`;
}
