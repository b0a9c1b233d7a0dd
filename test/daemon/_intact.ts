/** Checks of every store after any number of crashes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Machine } from '../support/machine.ts';
import { ledgerFiles, readJournal, readLedger, readTurnStore } from '../support/stores.ts';
import type { CrowdEvent, CrowdTurn } from './_crowd.ts';

/** The checks of `doctor` about what is stored. The others are about the client, which these machines do not have. */
const STORE_CHECKS = ['journal', 'ledger', 'turn store', 'waiting events', 'index'];

export interface Sent {
  readonly turns: readonly CrowdTurn[];
  /** Sessions with the event that ended them, where one was sent. */
  readonly ends?: readonly { readonly session: string; readonly event: CrowdEvent }[];
}

/** Drains the daemon, then checks that every accepted event has its effect exactly once and every store is intact. */
export async function assertIntact(
  t: TestContext,
  machine: Machine,
  { turns, ends = [] }: Sent,
): Promise<void> {
  const status = await machine.drained();
  const outcomes = hookOutcomes(machine);
  const isAccepted = (event: CrowdEvent): boolean => wasAccepted(event, outcomes.get(event.id));
  // A transcript is read again when its session ends, so all of it must be stored, whichever hooks were killed.
  const mustBeStored = (turn: CrowdTurn): boolean =>
    turn.hasTranscript || (isAccepted(turn.prompted) && isAccepted(turn.stopped));
  const pathOf = ({ id, ended }: CrowdEvent): string =>
    outcomes.get(id) ?? (ended ? 'acknowledged' : 'killed');
  const pathsOf = ({ prompted, stopped }: CrowdTurn) => ({
    prompted: pathOf(prompted),
    stopped: pathOf(stopped),
  });
  await t.test('no accepted turn is missing from the turn store, and none is stored twice', () => {
    const stored = storedTurns(machine);
    assert.deepEqual(
      stored.filter(({ files }) => files.size !== 1),
      [],
      'a turn is stored in one file',
    );
    const copies = (turn: CrowdTurn) =>
      stored.filter(({ prompt }) => prompt.includes(`keep the ${turn.word} `));
    assert.deepEqual(
      turns.filter((turn) => copies(turn).length > 1),
      [],
    );
    const lost = turns.filter((turn) => mustBeStored(turn) && !copies(turn)[0]?.answered);
    assert.deepEqual(
      lost.map((turn) => ({ ...turn, ...pathsOf(turn), stored: copies(turn) })),
      [],
      machine.logs(),
    );
  });
  await t.test('every accepted prompt of a session without a transcript is in the ledger', () => {
    const noted = new Set(readLedger(machine.places).map(({ kind, promptId }) => `${kind} ${promptId}`));
    const lost = turns.filter(
      (turn) => !turn.hasTranscript && isAccepted(turn.prompted) && !noted.has(`prompt ${turn.promptId}`),
    );
    assert.deepEqual(
      lost.map((turn) => ({ ...turn, ...pathsOf(turn) })),
      [],
      machine.logs(),
    );
  });
  await t.test('every session whose end was accepted is completed', async () => {
    const listing = { dir: machine.project, limit: 10 };
    const sessions = await machine.call('read.sessions', listing);
    const ended = ends.filter(({ event }) => isAccepted(event));
    assert.deepEqual(
      ended.map(({ session }) => sessions.find(({ id }) => id === session)?.status),
      ended.map(() => 'completed'),
    );
  });
  await t.test('each turn that was answered has its memory once in the journal', () => {
    const { memories, problems, files } = readJournal(machine.places);
    assert.deepEqual(problems, []);
    assert.equal(new Set(memories.map(({ id }) => id)).size, memories.length, 'no id twice');
    for (const { prompt } of storedTurns(machine).filter(({ answered }) => answered)) {
      const word = /keep the (\S+) /.exec(prompt)?.[1] ?? prompt;
      const entries = memories.filter(({ title }) => title.includes(`the ${word} `));
      assert.equal(
        entries.length,
        1,
        `${word}: ${entries.length}\n${[...files.values()].join('\n').slice(0, 3000)}`,
      );
    }
  });
  await t.test('the index has the same turns and memories, and no event waits or was set aside', async () => {
    const stats = await machine.call('read.stats', {});
    assert.equal(stats.turns, storedTurns(machine).length);
    assert.equal(stats.memories, readJournal(machine.places).memories.length);
    assert.equal(status.spool.depth, 0);
    assert.deepEqual(status.setAside, [], machine.logs());
    assert.deepEqual(readdirSync(machine.places.inbox).filter(isEvent), []);
  });
  await t.test('every line of every store can be read', () => {
    const ledger = readLedger(machine.places);
    assert.ok(ledger.length > 0);
    assert.ok(ledgerFiles(machine.places).every((text) => text.endsWith('\n')));
    for (const { turn } of ledger.filter(({ kind }) => kind === 'distilled'))
      assert.equal(typeof turn, 'string');
    for (const file of [machine.places.log, machine.places.hookLog].filter(existsSync)) {
      for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) JSON.parse(line);
    }
  });
  await t.test('doctor finds every store well', async () => {
    const { stdout, stderr } = await machine.cli(['doctor', '--json']);
    assert.ok(stdout.startsWith('{'), stderr);
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; verdict: string }[] };
    const stores = checks.filter(({ name }) => STORE_CHECKS.includes(name));
    assert.ok(stores.length > 0, checks.map(({ name }) => name).join(', '));
    assert.deepEqual(
      stores.filter(({ verdict }) => verdict !== 'well'),
      [],
    );
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

interface StoredCopy {
  readonly id: string;
  readonly prompt: string;
  /** False for a turn whose Stop was not accepted. No memory is made of it. */
  readonly answered: boolean;
  readonly files: ReadonlySet<string>;
}

function storedTurns(machine: Machine): readonly StoredCopy[] {
  const byId = Map.groupBy(readTurnStore(machine.places), ({ id }) => id);
  return [...byId].map(([id, revisions]) => ({
    id,
    prompt: revisions[0]?.prompt ?? '',
    answered: revisions.at(-1)?.outcome === 'answered',
    files: new Set(revisions.map(({ file }) => file)),
  }));
}

/** A hook that was killed while it wrote leaves a temporary file, which is no event. */
function isEvent(name: string): boolean {
  return name.endsWith('.json');
}

/** Returns the outcome that the hook logged, by the id of the event. */
function hookOutcomes(machine: Machine): ReadonlyMap<string, string> {
  if (!existsSync(machine.places.hookLog)) return new Map(); // every event went straight to the socket
  const lines = readFileSync(machine.places.hookLog, 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { attempt: string; outcome: string });
  return new Map(rows.map(({ attempt, outcome }) => [attempt, outcome]));
}
