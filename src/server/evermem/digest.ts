/** Messages that wait → memories, for one member at a time. All of it in one transaction: never twice, never half. */
import type { WireEntry } from '../../sync/index.ts';
import {
  claimMessages,
  pushChanges,
  sessionStarts,
  settleMessages,
  type Message as Stored,
  type Work,
} from '../store/index.ts';
import { exchangesOf, type Exchange, type Waiting } from './exchanges.ts';
import { entriesOf } from './told.ts';

/** As many as a request of changes may hold memories of: four of an exchange of two. */
const AT_ONCE = 200;

export interface Digested {
  readonly memories: number;
  /** More wait, and could be digested now. */
  readonly more: boolean;
  /** When the first of the rest will be ready. */
  readonly nextAt?: Date;
}

export async function digest(work: Work, now: Date): Promise<Digested> {
  const claimed = await claimMessages(work, AT_ONCE);
  const isFull = claimed.length === AT_ONCE;
  const projects = Map.groupBy(claimed, ({ project }) => project);
  let memories = 0;
  let settled = 0;
  const waits: Date[] = [];
  for (const [project, stored] of projects) {
    const { ready, nextAt } = exchangesOf(stored.map(waitingOf), now);
    // The other half of the last one may be among those not claimed yet.
    const whole = isFull && ready.length > 1 ? ready.slice(0, -1) : ready;
    if (nextAt) waits.push(nextAt);
    if (whole.length === 0) continue;
    memories += await keep(work, project, whole);
    settled += whole.flatMap(({ asked, answered }) => [...asked, ...answered]).length;
  }
  const nextAt = waits.toSorted((a, b) => a.getTime() - b.getTime())[0];
  return { memories, more: isFull && settled > 0, ...(nextAt ? { nextAt } : {}) };
}

interface Numbered extends Waiting {
  readonly number: number;
  readonly groupId: string;
}

async function keep(work: Work, project: string, exchanges: readonly Exchange<Numbered>[]): Promise<number> {
  const entries: WireEntry[] = [];
  const numbers: number[] = [];
  const failed: number[] = [];
  const starts = await startsBefore(work, exchanges);
  for (const exchange of exchanges) {
    const messages = [...exchange.asked, ...exchange.answered];
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
  return entries.length;
}

/** Of the one group a project stands for to this member, in one question. */
async function startsBefore(
  work: Work,
  exchanges: readonly Exchange<Numbered>[],
): ReturnType<typeof sessionStarts> {
  const messages = exchanges.flatMap(({ asked, answered }) => [...asked, ...answered]);
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
