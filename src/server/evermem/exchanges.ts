/** Messages of one person in one group → exchanges: what was asked and what was answered. Pure. */
import type { Message } from './message.ts';

/** Long enough for the other half, which the client sends at the same time; its hooks give up after thirty seconds. */
export const LONE_MS = 30_000;
/** After an answer another part of it may follow at once. */
export const PAIRED_MS = 700;

export interface Waiting extends Message {
  /** When it was received: what the client says of its time proves nothing. */
  readonly receivedAt: Date;
}

export interface Exchange<M extends Waiting = Waiting> {
  readonly asked: readonly M[];
  readonly answered: readonly M[];
}

export interface Sorted<M extends Waiting> {
  readonly ready: readonly Exchange<M>[];
  /** When the first of the others will be, if nothing more comes. */
  readonly nextAt?: Date;
}

/** The two halves arrive in any order: their own times decide, and at the same time the question comes first. */
export function exchangesOf<M extends Waiting>(messages: readonly M[], now: Date): Sorted<M> {
  const ordered = messages.toSorted(inOrder);
  const groups: { asked: M[]; answered: M[] }[] = [];
  for (const message of ordered) {
    const last = groups.at(-1);
    if (message.role === 'user') {
      if (last && last.answered.length === 0) last.asked.push(message);
      else groups.push({ asked: [message], answered: [] });
    } else if (last) last.answered.push(message);
    else groups.push({ asked: [], answered: [message] });
  }
  const ready = groups.filter((group) => readyAt(group) <= now.getTime());
  const later = groups.map(readyAt).filter((at) => at > now.getTime());
  return { ready, ...(later.length === 0 ? {} : { nextAt: new Date(Math.min(...later)) }) };
}

function readyAt({ asked, answered }: Exchange): number {
  const latest = Math.max(...[...asked, ...answered].map(({ receivedAt }) => receivedAt.getTime()));
  return latest + (asked.length > 0 && answered.length > 0 ? PAIRED_MS : LONE_MS);
}

function inOrder(a: Waiting, b: Waiting): number {
  const byTime = Date.parse(a.at) - Date.parse(b.at);
  if (byTime !== 0) return byTime;
  if (a.role !== b.role) return a.role === 'user' ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
