/**
 * Whether the client has written down the turn it stopped after. At Stop its transcript may lack the answer, and with a
 * quick model the prompt too (docs/claude-code.md); both follow within moments. Reads, never waits.
 */
import { readTurns, type TurnRead } from '../agents/index.ts';
import type { Stores } from '../memory/index.ts';
import { redact } from '../privacy/index.ts';
import { identify, startOffset } from './followed-file.ts';

/** Enough of an answer to know it by. */
const PROBE = 2000;

export interface StoppedTurn {
  readonly path: string;
  readonly stoppedAt: string;
  /** What the agent said last. */
  readonly lastAnswer?: string;
  /** What the client calls the prompt. */
  readonly promptId?: string;
}

export async function isWrittenDown(stores: Stores, stopped: StoppedTurn): Promise<boolean> {
  const file = identify(stopped.path);
  if (!file) return false;
  const turns: TurnRead[] = [];
  for await (const read of readTurns(stopped.path, { offset: startOffset(stores, stopped.path, file) })) {
    if (read.turn.startedAt <= stopped.stoppedAt) turns.push(read);
  }
  const meant = turnMeant(stores, turns, stopped.promptId);
  if (!meant) return false;
  const answer = stopped.lastAnswer?.trim();
  return answer ? saysSo(meant.turn.answer, answer) : meant.complete || meant.turn.outcome !== 'open';
}

/** The event's text is redacted and may be cut, the file's is neither: like with like, by the beginning. */
export function saysSo(answer: string, lastAnswer: string): boolean {
  return onOneLine(redact(answer).text).includes(onOneLine(lastAnswer).slice(0, PROBE));
}

/** The last turn with that prompt. One that bears no such name is meant only if it is new: an old one had its own Stop. */
function turnMeant(
  stores: Stores,
  turns: readonly TurnRead[],
  promptId: string | undefined,
): TurnRead | undefined {
  const last = turns.at(-1);
  if (promptId === undefined || !last) return last;
  const named = turns.findLast(({ promptIds }) => promptIds.includes(promptId));
  return named ?? (stores.index.turn(last.turn.id) ? undefined : last);
}

/** Blocks of one message are joined in one way by the client, in another by us. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
