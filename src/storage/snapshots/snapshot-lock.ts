/** Snapshots are taken and erased from one at a time: who tidies up would take pieces away that another still needs. */

let last: Promise<unknown> = Promise.resolve();

export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const running = last.then(work);
  last = running.catch(() => {});
  return running;
}
