/**
 * Runs jobs in their order, as many at a time as there are slots.
 * @template Job
 * @param {readonly Job[]} jobs
 * @param {number} slots
 * @param {(job: Job) => Promise<void>} start
 */
export async function runQueue(jobs, slots, start) {
  const running = new Set();
  for (const job of jobs) {
    while (running.size >= slots) await Promise.race(running);
    const ended = start(job).finally(() => running.delete(ended));
    running.add(ended);
  }
  await Promise.all(running);
}
