import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { played, type Played } from '../../../test/support/played-agent.ts';
import { readerOf, type InstallWorld, type TranscriptReader } from '../../agents/index.ts';
import { FIRST_AGENT, placesIn, type Agent } from '../../core/index.ts';
import { agentStates } from '../../install/index.ts';
import { agentSections, otherAgents, seenAgents } from './agents.ts';
import type { Check } from './check.ts';

const HOUR_MS = 60 * 60 * 1000;
const NOT_HERE: Played = { find: async () => undefined };

test('an agent that is here has a section; the others are one line', async (t) => {
  const seen = await look(open(t), { codex: {}, pi: NOT_HERE, gemini: NOT_HERE });
  assert.deepEqual(seen.titles, ['Agent codex']);
  assert.match(seen.check('installation').evidence, /^not installed/);
  assert.equal(seen.check('installation').next, 'tidemark install --agent codex');
  assert.equal(seen.others[0]?.evidence, 'not on this machine: Agent pi, Agent gemini');
});

test('without any agent the section says what was looked for', async (t) => {
  const seen = await look(open(t), { codex: NOT_HERE, pi: NOT_HERE });
  assert.deepEqual([seen.titles, seen.others], [['Coding agents'], []]);
  assert.match(seen.check('client').evidence, /looked for Agent codex, Agent pi$/);
});

test('an agent without its client is shown while Tidemark is in it or its hooks arrive', async (t) => {
  const world = open(t);
  hear(world, { qwen: { event: 'Stop', at: new Date().toISOString() } });
  const seen = await look(world, { codex: { ...NOT_HERE, isThere: true }, qwen: NOT_HERE, pi: NOT_HERE });
  assert.deepEqual(seen.titles, ['Agent codex', 'Agent qwen']);
  assert.match(seen.check('client').evidence, /^not on the PATH/);
});

test('each finding is a check, and what install repairs can be fixed once for all', async (t) => {
  const world = open(t);
  const faults = [
    { text: 'a hook is missing', isRepairable: true },
    { text: 'the skill is missing', isRepairable: true },
    { text: 'the hooks are not trusted', next: 'Trust them.' },
  ];
  const { checks, log } = await look(world, { codex: { isThere: true, faults } });
  const found = checks.filter(({ name }) => name === 'installation');
  assert.deepEqual(
    found.map(({ verdict, evidence, fix }) => [verdict, evidence, fix !== undefined]),
    [
      ['wrong', 'a hook is missing', true],
      ['wrong', 'the skill is missing', true],
      ['wrong', 'the hooks are not trusted', false],
    ],
  );
  for (const { fix } of found) if (fix) assert.match(await fix(), /^Agent codex: repaired: /);
  assert.deepEqual(log, ['place', 'install']);
});

test('the last event proves that hooks arrive; a later session proves that they do not', async (t) => {
  const world = open(t);
  const [early, late] = [ago(3 * HOUR_MS), ago(HOUR_MS)];
  hear(world, { codex: { event: 'Stop', at: ago(2 * HOUR_MS) } });
  const agent = (startedAt: string): Played => ({
    isThere: true,
    reader: readerWith(startedAt),
    ifSilent: 'Look at its list of hooks.',
  });
  const well = (await look(world, { codex: agent(early) })).check('last event');
  assert.deepEqual([well.verdict, well.evidence], ['well', 'Stop, 2h ago']);
  const wrong = (await look(world, { codex: agent(late) })).check('last event');
  assert.equal(wrong.verdict, 'wrong');
  assert.match(wrong.evidence, /^Stop, 2h ago; a session began 1h ago, but none of its hooks arrived$/);
  assert.equal(wrong.next, 'Look at its list of hooks. See also: tidemark logs --hooks');
});

test('a session from before the installation proves nothing', async (t) => {
  const world = open(t);
  writeFileSync(world.places.installs, JSON.stringify({ codex: ago(0) }));
  const seen = await look(world, { codex: { isThere: true, reader: readerWith(ago(HOUR_MS)) } });
  assert.deepEqual(
    [seen.check('last event').verdict, seen.check('last event').evidence],
    ['note', 'none yet'],
  );
});

test('events from before agents were recorded are those of the first agent', async (t) => {
  const world = open(t);
  writeFileSync(world.places.heard, JSON.stringify({ SessionStart: ago(3 * HOUR_MS), Stop: ago(HOUR_MS) }));
  const agents = { [FIRST_AGENT]: { isThere: true }, codex: { isThere: true } };
  assert.equal((await look(world, agents)).check('last event').evidence, 'Stop, 1h ago');
  hear(world, { codex: { event: 'Stop', at: ago(0) } });
  assert.equal((await look(world, agents)).check('last event').evidence, 'none yet');
});

async function look(world: InstallWorld, agents: Readonly<Partial<Record<Agent, Played>>>) {
  const log: string[] = [];
  const all = Object.entries(agents).map(([id, how]) =>
    played(id as Agent, { reader: readerWith(), log, ...how }),
  );
  const states = await agentStates(
    all.map(({ agent }) => agent),
    world,
  );
  const seen = seenAgents(states, world, undefined);
  const place = (): void => void log.push('place');
  const sections = await agentSections(seen, { world, place, more: async () => [] });
  const checks = sections.flatMap((section) => section.checks);
  const check = (name: string): Check => {
    const found = checks.find((one) => one.name === name);
    assert.ok(found, name);
    return found;
  };
  const titles = sections.map(({ title }) => title);
  return { titles, checks, check, others: otherAgents(seen), log };
}

/** A reader of one session, or of none. */
function readerWith(startedAt?: string): TranscriptReader {
  const file = { path: '/s/1', bytes: 1, modifiedAt: new Date() };
  return {
    ...readerOf(FIRST_AGENT),
    find: () => ({ files: startedAt === undefined ? [] : [file], refused: [] }),
    describe: async () => ({
      ...file,
      session: '1',
      projectDir: '/p',
      startedAt: startedAt ?? '',
      subagents: [],
    }),
  };
}

function hear(world: InstallWorld, events: object): void {
  writeFileSync(world.places.heardAgents, JSON.stringify(events));
}

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

function open(t: TestContext): InstallWorld {
  const root = mkdtempSync(join(tmpdir(), 'checks-'));
  t.after(() => rmSync(root, { recursive: true }));
  const places = placesIn(join(root, 'data'));
  mkdirSync(places.run, { recursive: true });
  return { env: {}, places, plugin: join(root, 'plugin') };
}
