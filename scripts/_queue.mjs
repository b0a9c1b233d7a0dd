/**
 * Runs jobs in their order, as many at a time as there are slots. A job marked `alone` starts when no other runs, and
 * no other starts before it ends.
 */

/**
 * @template {{alone: boolean}} Job
 * @param {readonly Job[]} jobs
 * @param {number} slots
 * @param {(job: Job) => Promise<void>} start
 */
export async function runQueue(jobs, slots, start) {
  const running = new Set();
  for (const job of jobs) {
    while (running.size >= (job.alone ? 1 : slots)) await Promise.race(running);
    const ended = start(job).finally(() => running.delete(ended));
    running.add(ended);
    if (job.alone) await ended;
  }
  await Promise.all(running);
}
