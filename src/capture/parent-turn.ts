/**
 * Which turn a subagent works for: the one that made the call that started it. A subagent often ends before the turn
 * that called it, so the main transcript is looked into as well as the store. Changes nothing.
 */
import { dirname } from 'node:path';
import { readTurns, subagentsOf } from '../agents/index.ts';
import type { Session, Turn } from '../core/index.ts';
import type { Stores } from '../memory/index.ts';

/** `path` is the subagent's transcript, `<session>/subagents/agent-<id>.jsonl`. */
export async function parentTurn(
  stores: Stores,
  session: Pick<Session, 'id'>,
  path: string,
): Promise<string | undefined> {
  const main = `${dirname(dirname(path))}.jsonl`;
  const call = (await subagentsOf(main)).find((subagent) => subagent.path === path)?.toolUseId;
  const calls = (turn: Turn): boolean => turn.tools.some(({ id }) => id === call);
  let last: string | undefined;
  for await (const { turn } of readTurns(main, { offset: stores.index.transcript(main)?.readOffset ?? 0 })) {
    if (calls(turn)) return turn.id;
    if (turn.origin === 'person') last = turn.id;
  }
  const kept = stores.index.turnsIn(session.id).toReversed();
  for (const { id, tools, location } of call === undefined ? [] : kept) {
    const turn = tools > 0 && location ? await stores.turns.get(location) : undefined;
    if (turn && calls(turn)) return id;
  }
  // Old clients do not say which call it was, and a subagent's own subagent was called from another file.
  return last ?? kept.find(({ origin }) => origin === 'person')?.id;
}
