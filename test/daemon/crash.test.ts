/** Every event that was accepted by any path has its effect exactly once, whatever is killed and whenever. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { reportLong } from '../support/long-report.ts';
import { Machine, type Running } from '../support/machine.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { randomFrom, type Random } from '../support/random.ts';
import { hookWithKnownIds, Worker } from './_crowd.ts';
import { assertIntact, countAccepted } from './_intact.ts';
import { KillRounds } from './_kill-rounds.ts';

const ROUNDS = IS_LONG_RUN ? 200 : 20;
/** A round takes about this long, so an instant drawn below it may fall anywhere. */
const ROUND_MS = 400;
const SEED = 20_260_302;
/** Kills of a live daemon, on a machine of its own for each batch: a small journal keeps the rounds short. */
const BATCHES = IS_LONG_RUN ? 21 : 1;
const KILLS_PER_BATCH = IS_LONG_RUN ? 50 : 12;

test(`${ROUNDS} rounds of SIGKILL under load: every accepted event has its effect exactly once`, async (t) => {
  const machine = Machine.open(t);
  const random = randomFrom(SEED);
  const hook = hookWithKnownIds(machine);
  const crowd = ['a', 'b', 'c', 'd'].map(
    (name, i) => new Worker(machine, hook, name, { transcript: i % 2 === 0 }),
  );
  await Promise.all(crowd.map((worker) => worker.start()));
  for (let round = 0; round < ROUNDS; round++) await stormyRound(machine, crowd, random);
  const ended = await Promise.all(crowd.map((worker) => worker.end()));
  const turns = crowd.flatMap((worker) => worker.turns);
  const ends = ended.map((event, i) => ({ session: crowd[i]?.session ?? '', event }));
  await assertIntact(t, machine, { turns, ends });
  t.diagnostic(countAccepted(machine, turns));
});

for (let batch = 1; batch <= BATCHES; batch++) {
  test(`${KILLS_PER_BATCH} kills of a live daemon, half of them while it acknowledges events (${batch})`, async (t) => {
    const machine = Machine.open(t);
    const rounds = new KillRounds(machine, randomFrom(SEED + batch));
    for (let round = 0; round < KILLS_PER_BATCH; round++)
      await rounds.run(round % 2 === 0 ? 'socket' : 'any time');
    const phases = [...rounds.phases].toSorted(([a], [b]) => a.localeCompare(b));
    for (const [part, count] of phases) reportLong({ subject: 'kills of a live daemon', part, count });
    t.diagnostic(phases.map(([phase, count]) => `${phase}: ${count}`).join('; '));
    const ends = await rounds.settle();
    await assertIntact(t, machine, { turns: rounds.turns, ends });
    await rounds.assertCalls(t);
    const hits = phases.reduce((sum, [, count]) => sum + count, 0);
    assert.equal(hits, KILLS_PER_BATCH, 'every kill hit a live daemon');
  });
}

/** Every session has one turn, while a hook, the daemon or both are killed. */
async function stormyRound(machine: Machine, crowd: readonly Worker[], random: Random): Promise<void> {
  // Without this, hooks would avoid the socket for half a minute, and only one of the two paths would be tested.
  rmSync(machine.places.leaveAlone, { force: true });
  const victim = random.pick(['hook', 'daemon', 'both']);
  const when = random.below(ROUND_MS);
  const hooks = new Set<Running>();
  const watch = (running: Running): void => {
    hooks.add(running);
    void running.ended.then(() => hooks.delete(running));
  };
  const killing = delay(when).then(async () => {
    if (victim !== 'daemon') random.pick([...hooks, undefined] as unknown as [Running | undefined])?.kill();
    if (victim !== 'hook') await machine.killDaemons();
  });
  await Promise.all([...crowd.map((worker) => worker.turn(watch)), killing]);
}
