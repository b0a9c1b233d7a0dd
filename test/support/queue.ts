/** Runs jobs in their order, as many at a time as there are slots. For tests, and for the runner of the test files. */
export async function runQueue<Job>(
  jobs: readonly Job[],
  slots: number,
  start: (job: Job) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for (const job of jobs) {
    while (running.size >= slots) await Promise.race(running);
    const ended = start(job).finally(() => running.delete(ended));
    running.add(ended);
  }
  await Promise.all(running);
}
