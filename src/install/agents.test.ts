import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type CodingAgent, type Installer, type InstallWorld } from '../agents/index.ts';
import { placesIn, TidemarkError } from '../core/index.ts';
import { played } from '../../test/support/played-agent.ts';
import {
  agentStates,
  clientCopies,
  installableAgents,
  installAgent,
  isInstalled,
  removeAgent,
  type AgentState,
} from './agents.ts';
import { installTimes } from './record.ts';

describe('agents that Tidemark can be installed into', () => {
  it('are those with an installer', () => {
    const [full, bare] = [played('codex'), { ...played('cline').agent }];
    delete (bare as { installer?: Installer }).installer;
    assert.deepEqual(
      installableAgents([full.agent, bare]).map(({ id }) => id),
      ['codex'],
    );
    assert.ok(installableAgents().length > 0, 'the real ones');
  });

  it('have copies of the plugin where their clients made some', () => {
    const { agent } = played('codex', { copies: () => ['/c/1', '/c/2'] });
    assert.deepEqual(clientCopies({}, [agent, played('qwen').agent]), ['/c/1', '/c/2']);
  });
});

describe('installing', () => {
  it('records when, and a second time changes nothing', async (t) => {
    const world = open(t);
    const { agent, log } = played('codex');
    const first = await installAgent(await stateOf(agent, world), world);
    assert.deepEqual([first.isNew, first.done, first.failed], [true, ['6 hooks added'], undefined]);
    const { codex: at } = installTimes(world.places);
    assert.ok(at);

    const state = await stateOf(agent, world);
    assert.equal(state.installedAt, at);
    const second = await installAgent(state, world);
    assert.deepEqual([second.isNew, second.done, second.repaired], [false, [], []]);
    assert.equal(installTimes(world.places).codex, at);
    assert.deepEqual(log, ['install', 'install']);
  });

  it('names the faults that it repaired and those that are left to the user', async (t) => {
    const world = open(t);
    const damaged = { text: 'two hooks are missing', isRepairable: true };
    const untrusted = { text: 'the hooks are not trusted', next: 'Start it once and trust them.' };
    const { agent } = played('codex', { isThere: true, faults: [damaged, untrusted] });
    const { repaired, findings, isNew } = await installAgent(await stateOf(agent, world), world);
    assert.deepEqual([repaired, findings, isNew], [[damaged.text], [untrusted], false]);
  });

  it('that fails in one agent is a result, so that the others follow', async (t) => {
    const world = open(t);
    const broken = played('codex', {
      install: () => Promise.reject(new TidemarkError('client-failed', 'no space', { hint: 'Free some.' })),
    });
    const well = played('qwen');
    const results = [];
    for (const { agent } of [broken, well])
      results.push(await installAgent(await stateOf(agent, world), world));
    assert.deepEqual(results[0]?.failed, { code: 'client-failed', message: 'no space', hint: 'Free some.' });
    assert.equal(results[1]?.failed, undefined);
    assert.deepEqual(Object.keys(installTimes(world.places)), ['qwen']);
  });

  it('does not touch a client that cannot be used', async (t) => {
    const world = open(t);
    const problem = { text: 'it is too old', next: 'Update it.' };
    const { agent, log } = played('codex', { find: async () => ({ folder: '/c', problem }) });
    const { failed } = await installAgent(await stateOf(agent, world), world);
    assert.deepEqual(failed, { code: 'client-problem', message: 'it is too old', hint: 'Update it.' });
    assert.deepEqual(log, []);
  });
});

describe('looking at agents', () => {
  it('turns errors of an installer into findings', async (t) => {
    const world = open(t);
    const { agent } = played('codex', {
      find: () => Promise.reject(new TidemarkError('client-failed', 'it printed no version')),
      status: () => Promise.reject(new Error('the settings cannot be read')),
    });
    const { client, status } = await stateOf(agent, world);
    assert.equal(client?.problem?.text, 'it printed no version');
    assert.equal(status.state, 'faulty');
    assert.equal(status.findings[0]?.text, 'the settings cannot be read');
  });
});

describe('removing', () => {
  it('forgets the agent, and the file when it was the last one', async (t) => {
    const world = open(t);
    const [one, two] = [played('codex').agent, played('qwen').agent];
    for (const agent of [one, two]) await installAgent(await stateOf(agent, world), world);
    assert.deepEqual((await removeAgent(installable(one), world)).done, ['6 hooks removed']);
    assert.deepEqual(Object.keys(installTimes(world.places)), ['qwen']);
    assert.ok(!isInstalled(await stateOf(one, world)));
    await removeAgent(installable(two), world);
    assert.ok(!existsSync(world.places.installs));
    assert.deepEqual((await removeAgent(installable(two), world)).done, [], 'twice');
  });

  it('that fails keeps the record', async (t) => {
    const world = open(t);
    const { agent } = played('codex', { remove: () => Promise.reject(new Error('not JSON')) });
    await installAgent(await stateOf(agent, world), world);
    assert.equal((await removeAgent(installable(agent), world)).failed?.message, 'not JSON');
    assert.deepEqual(Object.keys(installTimes(world.places)), ['codex']);
  });
});

function installable(agent: CodingAgent) {
  const [one] = installableAgents([agent]);
  assert.ok(one);
  return one;
}

async function stateOf(agent: CodingAgent, world: InstallWorld): Promise<AgentState> {
  const [state] = await agentStates([installable(agent)], world);
  assert.ok(state);
  return state;
}

function open(t: TestContext): InstallWorld {
  const root = mkdtempSync(join(tmpdir(), 'agents-'));
  t.after(() => rmSync(root, { recursive: true }));
  return { env: {}, places: placesIn(join(root, 'data')), plugin: join(root, 'plugin') };
}
