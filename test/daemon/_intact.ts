/** Checks everything after any number of crashes, by what a user can see: the export, the verbs and `doctor`. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { StoredTurn } from '../../src/core/index.ts';
import type { Machine } from '../support/machine.ts';
import { stored } from '../support/stored.ts';
import type { CrowdEvent, CrowdTurn } from './_crowd.ts';

/** The checks of `doctor` about the agent and its hooks, which were killed here. All others are about what is stored. */
const CLIENT_CHECKS = ['client', 'hooks received'];

export interface Sent {
  readonly turns: readonly CrowdTurn[];
  /** Sessions with the event that ended them, where one was sent. */
  readonly ends?: readonly { readonly session: string; readonly event: CrowdEvent }[];
}

/** Drains the daemon, then checks that every accepted event has its effect exactly once and that nothing is damaged. */
export async function assertIntact(
  t: TestContext,
  machine: Machine,
  { turns, ends = [] }: Sent,
): Promise<void> {
  const status = await machine.drained();
  const kept = await stored(machine);
  const outcomes = hookOutcomes(machine);
  const isAccepted = (event: CrowdEvent): boolean => wasAccepted(event, outcomes.get(event.id));
  // A transcript is read again when its session ends, so all of it must be stored, whichever hooks were killed.
  const mustBeStored = (turn: CrowdTurn): boolean =>
    turn.hasTranscript || (isAccepted(turn.prompted) && isAccepted(turn.stopped));
  const pathOf = ({ id, ended }: CrowdEvent): string =>
    outcomes.get(id) ?? (ended ? 'acknowledged' : 'killed');
  const copies = ({ word }: CrowdTurn): readonly StoredTurn[] =>
    kept.turns.filter(({ prompt }) => prompt.includes(`keep the ${word} `));
  const described = (turn: CrowdTurn) => ({
    ...turn,
    prompted: pathOf(turn.prompted),
    stopped: pathOf(turn.stopped),
    stored: copies(turn),
  });
  await t.test('no accepted turn is missing, and none is stored twice', () => {
    assert.deepEqual(turns.filter((turn) => copies(turn).length > 1).map(described), []);
    assert.equal(new Set(kept.turns.map(({ id }) => id)).size, kept.turns.length, 'no id twice');
    const lost = turns.filter((turn) => mustBeStored(turn) && copies(turn)[0]?.outcome !== 'answered');
    assert.deepEqual(lost.map(described), [], machine.logs());
  });
  await t.test('every accepted prompt of a session without a transcript is a turn, answered or not', () => {
    const lost = turns.filter(
      (turn) => !turn.hasTranscript && isAccepted(turn.prompted) && copies(turn).length === 0,
    );
    assert.deepEqual(lost.map(described), [], machine.logs());
  });
  await t.test('every session whose end was accepted is completed', () => {
    const ended = ends.filter(({ event }) => isAccepted(event));
    assert.deepEqual(
      ended.map(({ session }) => kept.sessions.find(({ id }) => id === session)?.status),
      ended.map(() => 'completed'),
    );
  });
  await t.test('each turn that was answered has its memory once', () => {
    assert.equal(new Set(kept.memories.map(({ id }) => id)).size, kept.memories.length, 'no id twice');
    for (const { prompt } of kept.turns.filter(({ outcome }) => outcome === 'answered')) {
      const word = /keep the (\S+) /.exec(prompt)?.[1] ?? prompt;
      const entries = kept.memories.filter(({ title }) => title.includes(`the ${word} `));
      assert.equal(entries.length, 1, `${word}: ${JSON.stringify(entries)}`);
    }
  });
  await t.test('search knows the same turns and memories, and no event waits or was set aside', async () => {
    const stats = await machine.json<{ turns: number; memories: number }>('stats');
    assert.equal(stats.turns, kept.turns.length);
    assert.equal(stats.memories, kept.memories.length);
    assert.equal(status.waiting, 0);
    assert.deepEqual(status.setAside, [], machine.logs());
  });
  await t.test('every line of the logs can be read', () => {
    for (const file of [machine.places.log, machine.places.hookLog].filter(existsSync)) {
      for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) JSON.parse(line);
    }
  });
  await t.test('doctor finds nothing damaged, and no event that waits', async () => {
    const { checks } = await machine.json<{
      checks: readonly { readonly name: string; readonly verdict: string; readonly evidence: string }[];
    }>('doctor');
    const others = checks.filter(({ name }) => !CLIENT_CHECKS.includes(name));
    assert.ok(others.length > 10, checks.map(({ name }) => name).join(', '));
    assert.deepEqual(
      others.filter(({ verdict }) => verdict === 'wrong'),
      [],
    );
    assert.equal(checks.find(({ name }) => name === 'waiting events')?.evidence, 'none');
  });
}

/** How many events were accepted, and how many their hook gave up. */
export function countAccepted(machine: Machine, turns: readonly CrowdTurn[]): string {
  const outcomes = hookOutcomes(machine);
  const events = turns.flatMap(({ prompted, stopped }) => [prompted, stopped]);
  const accepted = events.filter((event) => wasAccepted(event, outcomes.get(event.id)));
  const givenUp = events.filter(({ id }) => GIVEN_UP.has(outcomes.get(id) ?? ''));
  return `${accepted.length} of ${events.length} events accepted, ${givenUp.length} given up by their hook`;
}

/** Outcomes in the hook's log of an event that the hook could not pass on. */
const GIVEN_UP = new Set(['lost', 'failed', 'ignored']);

/**
 * Whether Tidemark has taken responsibility for an event: its hook logged that it was delivered or spooled, even if the
 * hook was killed afterwards, or the hook ended without a row, which means that the daemon acknowledged it.
 */
function wasAccepted({ ended }: CrowdEvent, outcome: string | undefined): boolean {
  return outcome === undefined ? ended : !GIVEN_UP.has(outcome);
}

/** Returns the outcome that the hook logged, by the id of the event. */
function hookOutcomes(machine: Machine): ReadonlyMap<string, string> {
  if (!existsSync(machine.places.hookLog)) return new Map(); // every event went straight to the socket
  const lines = readFileSync(machine.places.hookLog, 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { attempt: string; outcome: string });
  return new Map(rows.map(({ attempt, outcome }) => [attempt, outcome]));
}
