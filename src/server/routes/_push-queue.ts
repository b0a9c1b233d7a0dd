/**
 * Lets the pushes to one project wait here instead of in the database. They are serialised there by a lock, and each one
 * that waits for it keeps a connection: forty members who push to one project would take the whole pool, and searches of
 * other teams would wait with them.
 */
import { TidemarkError } from '../../core/index.ts';
import { Semaphore } from '../../files/index.ts';

/** One works and one is ready to follow it, so that the project is never idle. */
const AT_ONCE = 2;
/** Less than a client waits (30 s), so that it gets an answer. */
const WAIT_MS = 25_000;

/** Each keeps its body of up to 5 MB in memory. */
const MOST_WAITING = 100;

const queues = new Map<string, { readonly slots: Semaphore; users: number }>();

/** Runs `push` in its turn. `project` names a project of one team. */
export async function inTurn<T>(project: string, push: () => Promise<T>): Promise<T> {
  const queue = queues.get(project) ?? { slots: new Semaphore(AT_ONCE, WAIT_MS, tooBusy), users: 0 };
  if (queue.users >= AT_ONCE + MOST_WAITING) throw tooBusy();
  queues.set(project, queue);
  queue.users++;
  try {
    return await queue.slots.run(push);
  } finally {
    queue.users--;
    if (queue.users === 0) queues.delete(project);
  }
}

function tooBusy(): TidemarkError {
  return new TidemarkError('database-unavailable', 'too many pushes wait for this project', {
    hint: 'Repeat the request with the same idempotency key.',
  });
}
