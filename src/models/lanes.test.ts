import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lanes, type Pause } from './lanes.ts';

class Steps {
  readonly done: string[] = [];
  readonly lanes: Lanes;
  #id = 0;

  constructor(ready: Promise<unknown> = Promise.resolve()) {
    this.lanes = new Lanes(ready);
  }

  /** Adds a job of some steps and resolves when it has ended. `during` runs in its first step. */
  add(name: string, steps: number, isUrgent: boolean, during?: (id: number) => void): Promise<void> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.lanes.add(id, isUrgent, async (pause: Pause) => {
        try {
          for (let step = 1; step <= steps; step++) {
            if (step > 1) await pause();
            this.done.push(`${name}${step}`);
            if (step === 1) during?.(id);
          }
        } catch {
          this.done.push(`${name} cancelled`);
        }
        resolve();
      });
    });
  }
}

test('an urgent job runs in the next pause of a background job', async () => {
  const steps = new Steps();
  let urgent: Promise<void> | undefined;
  await steps.add('a', 3, false, () => (urgent = steps.add('b', 2, true)));
  await urgent;
  assert.deepEqual(steps.done, ['a1', 'b1', 'b2', 'a2', 'a3']);
});

test('an urgent job that follows another one comes before the next step of the background', async () => {
  const steps = new Steps();
  let urgent: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    await steps.add('b', 1, true);
    await new Promise((resolve) => setImmediate(resolve));
    await steps.add('c', 1, true);
  };
  await steps.add('a', 2, false, () => (urgent = ask()));
  await urgent;
  assert.deepEqual(steps.done, ['a1', 'b1', 'c1', 'a2']);
});

test('jobs of one lane run in order, those that wait for the model too', async () => {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const steps = new Steps(ready);
  const all = [steps.add('a', 1, false), steps.add('b', 1, false), steps.add('c', 1, true)];
  resolve();
  await Promise.all(all);
  assert.deepEqual(steps.done, ['c1', 'a1', 'b1']);
});

test('a cancelled job ends at its next pause, or does not start', async () => {
  const steps = new Steps();
  const first = steps.add('a', 3, false, (id) => steps.lanes.cancel(id));
  void steps.add('b', 1, false);
  steps.lanes.cancel(2);
  await first;
  await steps.add('c', 1, false);
  assert.deepEqual(steps.done, ['a1', 'a cancelled', 'c1']);
});
