/** Turns the queued messages of one member into memories, in one transaction. */
import { given, TidemarkError } from '../../core/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import {
  claimMessages,
  pushChanges,
  queueOf,
  sessionStarts,
  settleMessages,
  type Queue,
  type QueuedMessage,
  type Work,
} from '../store/index.ts';
import { exchangesOf, type Exchange, type ReceivedMessage } from './exchanges.ts';
import { entriesOf } from './memories.ts';

/** Four memories per exchange of two messages fit into one push. */
const BATCH = 200;

interface Processed {
  /** Messages that were set aside, with their text, for the operator. */
  readonly failed: number;
  /** Whether more messages can be processed now. */
  readonly more: boolean;
  /** When the next message becomes ready. */
  readonly nextAt?: Date;
  readonly left: Queue;
}

/** `careful`: one exchange at a time, after the database refused a batch. A refused exchange is set aside. */
export async function processMessages(work: Work, now: Date, careful = false): Promise<Processed> {
  const claimed = await claimMessages(work, BATCH);
  const isFull = claimed.length === BATCH;
  const projects = Map.groupBy(claimed, ({ project }) => project);
  let [settled, failed] = [0, 0];
  const waits: Date[] = [];
  for (const [project, queued] of projects) {
    const { ready, nextAt } = exchangesOf(queued.map(messageOf), now);
    // The other half of the last exchange may not be claimed yet.
    const complete = isFull && ready.length > 1 ? ready.slice(0, -1) : ready;
    if (nextAt) waits.push(nextAt);
    for (const some of careful ? complete.map((one) => [one]) : [complete]) {
      if (some.length === 0) continue;
      failed += await (careful ? storeOrSetAside(work, project, some) : store(work, project, some));
      settled += some.flatMap(messagesOf).length;
    }
  }
  const nextAt = waits.toSorted((a, b) => a.getTime() - b.getTime())[0];
  return { failed, more: isFull && settled > 0, ...given({ nextAt }), left: await queueOf(work) };
}

interface Numbered extends ReceivedMessage {
  readonly number: number;
  readonly groupId: string;
}

/** @returns how many messages failed */
async function store(work: Work, project: string, exchanges: readonly Exchange<Numbered>[]): Promise<number> {
  const entries: WireEntry[] = [];
  const numbers: number[] = [];
  const failed: number[] = [];
  const starts = await startsBefore(work, exchanges);
  for (const exchange of exchanges) {
    const messages = messagesOf(exchange);
    const [first] = messages;
    if (!first) continue;
    const session = first.session ?? starts.find(({ at }) => at <= first.at)?.session ?? '';
    try {
      entries.push(...(await entriesOf(exchange, { project, member: work.member, session })));
      numbers.push(...messages.map(({ number }) => number));
    } catch {
      // One bad exchange must not block the others.
      failed.push(...messages.map(({ number }) => number));
    }
  }
  if (entries.length > 0)
    await pushChanges(work, project, {
      changes: entries.map((entry) => ({ op: 'put', entry })),
      idempotencyKey: `evermem-${numbers[0]}-${numbers.at(-1)}`,
    });
  await settleMessages(work, numbers, { state: 'done' });
  if (failed.length > 0) await settleMessages(work, failed, { state: 'failed', problem: 'cannot be read' });
  return failed.length;
}

/** Sets an exchange aside if the database refuses it; a temporary failure ends the whole transaction. */
async function storeOrSetAside(
  work: Work,
  project: string,
  exchanges: readonly Exchange<Numbered>[],
): Promise<number> {
  await work.run('SAVEPOINT exchange');
  try {
    const failed = await store(work, project, exchanges);
    await work.run('RELEASE SAVEPOINT exchange');
    return failed;
  } catch (error) {
    if (isTemporary(error)) throw error;
    await work.run('ROLLBACK TO SAVEPOINT exchange');
    const numbers = exchanges.flatMap(messagesOf).map(({ number }) => number);
    await settleMessages(work, numbers, { state: 'failed', problem: 'refused by the database' });
    return numbers.length;
  }
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === 'database-unavailable';
}

/** Whether the failure is not due to the message: a broken connection, a lost race, a full disk. */
function isTemporary(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return isUnavailable(error) || /^(?:08|40|53|55|57|23505$|E[A-Z])/.test(code);
}

function messagesOf<M extends ReceivedMessage>({ asked, answered }: Exchange<M>): readonly M[] {
  return [...asked, ...answered];
}

/** Returns the session starts of the group, which is the same for all exchanges of a member in a project. */
async function startsBefore(
  work: Work,
  exchanges: readonly Exchange<Numbered>[],
): ReturnType<typeof sessionStarts> {
  const messages = exchanges.flatMap(messagesOf);
  const last = messages.toSorted((a, b) => (a.at < b.at ? -1 : 1)).at(-1);
  return last ? sessionStarts(work, last.groupId, last.at) : [];
}

function messageOf({ number, groupId, sender, content, detail, ...queued }: QueuedMessage): Numbered {
  const session = detail?.['session'];
  return {
    number,
    groupId,
    id: String(detail?.['id'] ?? queued.messageId),
    at: queued.createTime,
    role: queued.role === 'assistant' ? 'assistant' : 'user',
    sender,
    content,
    receivedAt: new Date(queued.receivedAt),
    ...(typeof session === 'string' ? { session } : {}),
  };
}
