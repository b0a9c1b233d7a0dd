/** Messages that wait → memories, for one member at a time. All of it in one transaction: never twice, never half. */
import { TidemarkError } from '../../core/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import {
  claimMessages,
  pushChanges,
  queueOf,
  sessionStarts,
  settleMessages,
  type Message as Stored,
  type Queue,
  type Work,
} from '../store/index.ts';
import { exchangesOf, type Exchange, type Waiting } from './exchanges.ts';
import { entriesOf } from './told.ts';

/** As many as a request of changes may hold memories of: four of an exchange of two. */
const AT_ONCE = 200;

export interface Digested {
  readonly memories: number;
  /** Messages that can never be memories; their text stays for who looks into it. */
  readonly failed: number;
  /** More wait, and could be digested now. */
  readonly more: boolean;
  /** When the first of the rest will be ready. */
  readonly nextAt?: Date;
  readonly left: Queue;
}

/** `careful`: one by one, after the database refused them together. The one it refuses is set aside, the rest goes on. */
export async function digest(work: Work, now: Date, careful = false): Promise<Digested> {
  const claimed = await claimMessages(work, AT_ONCE);
  const isFull = claimed.length === AT_ONCE;
  const projects = Map.groupBy(claimed, ({ project }) => project);
  let [memories, settled, failed] = [0, 0, 0];
  const waits: Date[] = [];
  for (const [project, stored] of projects) {
    const { ready, nextAt } = exchangesOf(stored.map(waitingOf), now);
    // The other half of the last one may be among those not claimed yet.
    const whole = isFull && ready.length > 1 ? ready.slice(0, -1) : ready;
    if (nextAt) waits.push(nextAt);
    for (const some of careful ? whole.map((one) => [one]) : [whole]) {
      if (some.length === 0) continue;
      const kept = await (careful ? keptOrSetAside(work, project, some) : keep(work, project, some));
      memories += kept.memories;
      failed += kept.failed;
      settled += some.flatMap(messagesOf).length;
    }
  }
  const nextAt = waits.toSorted((a, b) => a.getTime() - b.getTime())[0];
  return {
    memories,
    failed,
    more: isFull && settled > 0,
    ...(nextAt ? { nextAt } : {}),
    left: await queueOf(work),
  };
}

interface Numbered extends Waiting {
  readonly number: number;
  readonly groupId: string;
}

type Kept = Pick<Digested, 'memories' | 'failed'>;

async function keep(work: Work, project: string, exchanges: readonly Exchange<Numbered>[]): Promise<Kept> {
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
      // One that cannot be read must not hold up the rest. Its text stays for who looks into it.
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
  return { memories: entries.length, failed: failed.length };
}

/** What the database will not have is taken back to before it was tried; that it is away is for the whole transaction. */
async function keptOrSetAside(
  work: Work,
  project: string,
  exchanges: readonly Exchange<Numbered>[],
): Promise<Kept> {
  await work.run('SAVEPOINT exchange');
  try {
    const kept = await keep(work, project, exchanges);
    await work.run('RELEASE SAVEPOINT exchange');
    return kept;
  } catch (error) {
    if (isPassing(error)) throw error;
    await work.run('ROLLBACK TO SAVEPOINT exchange');
    const numbers = exchanges.flatMap(messagesOf).map(({ number }) => number);
    await settleMessages(work, numbers, { state: 'failed', problem: 'refused by the database' });
    return { memories: 0, failed: numbers.length };
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === 'database-unavailable';
}

/** Connections that break, races that are lost, room that runs out: nothing that is in the message. */
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return isAway(error) || /^(?:08|40|53|55|57|23505$|E[A-Z])/.test(code);
}

function messagesOf<M extends Waiting>({ asked, answered }: Exchange<M>): readonly M[] {
  return [...asked, ...answered];
}

/** Of the one group a project stands for to this member, in one question. */
async function startsBefore(
  work: Work,
  exchanges: readonly Exchange<Numbered>[],
): ReturnType<typeof sessionStarts> {
  const messages = exchanges.flatMap(messagesOf);
  const last = messages.toSorted((a, b) => (a.at < b.at ? -1 : 1)).at(-1);
  return last ? sessionStarts(work, last.groupId, last.at) : [];
}

function waitingOf({
  number,
  groupId,
  messageId,
  createTime,
  role,
  sender,
  content,
  receivedAt,
  detail,
}: Stored): Numbered {
  const session = detail?.['session'];
  return {
    number,
    groupId,
    id: String(detail?.['id'] ?? messageId),
    at: createTime,
    role: role === 'assistant' ? 'assistant' : 'user',
    sender,
    content,
    receivedAt: new Date(receivedAt),
    ...(typeof session === 'string' ? { session } : {}),
  };
}
