/** What was accepted is there exactly once, whatever is killed and whenever. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Machine, type Running } from '../support/machine.ts';
import { randomFrom, type Random } from '../support/random.ts';
import { ledgerFiles, readJournal, readLedger, readTurnStore } from '../support/stores.ts';
import { Worker, type CrowdTurn } from './_crowd.ts';

const LONG = process.env['TIDEMARK_TEST_LONG'] === '1';
const ROUNDS = LONG ? 200 : 20;
/** A round takes about this long, so an instant drawn below it may fall anywhere. */
const ROUND_MS = 400;
const SEED = 20_260_302;

test(`${ROUNDS} rounds of SIGKILL under load: every accepted event has its effect exactly once`, async (t) => {
  const machine = Machine.open(t);
  const random = randomFrom(SEED);
  const crowd = ['a', 'b', 'c', 'd'].map((name, i) => new Worker(machine, name, { transcript: i % 2 === 0 }));
  await Promise.all(crowd.map((worker) => worker.start()));
  for (let round = 0; round < ROUNDS; round++) await stormyRound(machine, crowd, random);
  await Promise.all(crowd.map((worker) => worker.end()));
  const status = await machine.drained();

  const lost = hookLog(machine).filter(({ outcome }) => outcome === 'lost' || outcome === 'failed');
  const turns = crowd.flatMap((worker) => worker.turns);
  await t.test('no accepted turn is missing from the turn store, and none is there twice', () => {
    const kept = revisionsByTurn(machine);
    assert.deepEqual(
      kept.filter(({ places }) => places.size !== 1),
      [],
      'a turn stands in one file',
    );
    const timesKept = (turn: CrowdTurn) =>
      kept.filter(({ prompt }) => prompt.includes(`keep the ${turn.word} `)).length;
    assert.deepEqual(
      turns.filter((turn) => timesKept(turn) > 1),
      [],
    );
    const missing = turns.filter((turn) => mustBeThere(turn, crowd) && timesKept(turn) === 0);
    // Which event a hook gave up its log does not tell, so as many may be missing as were given up.
    assert.ok(missing.length <= lost.length, `${JSON.stringify(missing)}\n${machine.logs()}`);
  });
  await t.test('each turn that was answered has its memory once in the journal', () => {
    const { memories, problems, files } = readJournal(machine.places);
    assert.deepEqual(problems, []);
    assert.equal(new Set(memories.map(({ id }) => id)).size, memories.length, 'no id twice');
    for (const { prompt } of revisionsByTurn(machine).filter(({ answered }) => answered)) {
      const word = /keep the (\S+) /.exec(prompt)?.[1] ?? prompt;
      const entries = memories.filter(({ title }) => title.includes(`the ${word} `));
      assert.equal(
        entries.length,
        1,
        `${word}: ${entries.length}\n${[...files.values()].join('\n').slice(0, 3000)}`,
      );
    }
  });
  await t.test('the index holds the same, nothing waits, nothing was set aside', async () => {
    const stats = await machine.call<{ turns: number; memories: number }>('read.stats');
    assert.equal(stats.turns, revisionsByTurn(machine).length);
    assert.equal(stats.memories, readJournal(machine.places).memories.length);
    assert.equal(status.spool.depth, 0);
    assert.deepEqual(status.setAside, [], machine.logs());
    assert.deepEqual(readdirSync(machine.places.inbox).filter(isEvent), []);
  });
  await t.test('no store has a line that cannot be read', () => {
    const ledger = readLedger(machine.places);
    assert.ok(ledger.length > 0);
    assert.ok(ledgerFiles(machine.places).every((text) => text.endsWith('\n')));
    for (const { turn } of ledger.filter(({ kind }) => kind === 'distilled'))
      assert.equal(typeof turn, 'string');
    for (const file of [machine.places.log, machine.places.hookLog]) {
      for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) JSON.parse(line);
    }
  });
  t.diagnostic(
    `${turns.filter(({ accepted }) => accepted).length} of ${turns.length} turns accepted, ${lost.length} events given up by their hook`,
  );
});

/** Everyone says one thing; meanwhile something dies. */
async function stormyRound(machine: Machine, crowd: readonly Worker[], random: Random): Promise<void> {
  // The half minute a hung daemon is left alone is over: both ways of delivery are to be met.
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

/** A transcript is read again at the end, so all of it must be there; without one, what was accepted. */
function mustBeThere(turn: CrowdTurn, crowd: readonly Worker[]): boolean {
  const worker = crowd.find(({ session }) => session === turn.session);
  return turn.accepted || worker?.hasTranscript === true;
}

interface KeptTurn {
  readonly id: string;
  readonly prompt: string;
  /** Where the hook of its end was killed it has no answer, and nothing is made of it. */
  readonly answered: boolean;
  readonly places: ReadonlySet<string>;
}

function revisionsByTurn(machine: Machine): readonly KeptTurn[] {
  const byId = Map.groupBy(readTurnStore(machine.places), ({ id }) => id);
  return [...byId].map(([id, revisions]) => ({
    id,
    prompt: revisions[0]?.prompt ?? '',
    answered: revisions.at(-1)?.outcome === 'answered',
    places: new Set(revisions.map(({ file }) => file)),
  }));
}

/** A hook that was killed while it wrote leaves its temporary file, which was never an event. */
function isEvent(name: string): boolean {
  return name.endsWith('.json');
}

function hookLog(machine: Machine): readonly { readonly outcome: string }[] {
  return readFileSync(machine.places.hookLog, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { outcome: string });
}
