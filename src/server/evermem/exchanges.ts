/** Groups the messages of one member in one group into exchanges of questions and answers. Pure. */
import type { Message } from './message.ts';

/** The wait for the other half of an exchange: the hooks of the client give up after 30 seconds. */
export const LONE_MS = 30_000;
/** The wait after an answer, in case another part of it follows. */
export const PAIRED_MS = 700;

export interface ReceivedMessage extends Message {
  /** The server's time; the client's own may be wrong. */
  readonly receivedAt: Date;
}

export interface Exchange<M extends ReceivedMessage = ReceivedMessage> {
  readonly asked: readonly M[];
  readonly answered: readonly M[];
}

interface Grouped<M extends ReceivedMessage> {
  readonly ready: readonly Exchange<M>[];
  /** When the next exchange becomes ready, if no more messages arrive. */
  readonly nextAt?: Date;
}

/** Orders messages by the client's time, since they arrive in any order. At the same time the question comes first. */
export function exchangesOf<M extends ReceivedMessage>(messages: readonly M[], now: Date): Grouped<M> {
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

function inOrder(a: ReceivedMessage, b: ReceivedMessage): number {
  const byTime = Date.parse(a.at) - Date.parse(b.at);
  if (byTime !== 0) return byTime;
  if (a.role !== b.role) return a.role === 'user' ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
