/**
 * Five machines of four people edit the same project, online and offline, with killed daemons and lost answers, in a
 * repeatable random order. In the end all machines and the server have the same entries.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test, type TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { indexFile } from '../support/damage.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { randomFrom, type Random } from '../support/random.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { Member, type Key, type Team } from './_member.ts';
import { RealTeam } from './_real-team.ts';

const SEEDS = IS_LONG_RUN ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];
const STEPS = IS_LONG_RUN ? 150 : 45;
/** Ada has two machines. */
const PEOPLE = ['Ada', 'Bob', 'Cy', 'Dee', 'Ada'] as const;

const { skip } = postgresql;
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});

after(() => postgres?.remove());

for (const seed of SEEDS) {
  // The stand-in adds nothing to the real server where there is one.
  if (IS_LONG_RUN || skip !== undefined)
    test(`five machines end with the same journal (seed ${seed}, ${STEPS} steps)`, async (t) =>
      converge(t, seed, await TeamServerStandIn.open(t)));
  test(
    `five machines end with the same journal through the real server (seed ${seed})`,
    { skip },
    async (t) => converge(t, seed, await RealTeam.open(t, postgres)),
  );
}

async function converge(t: TestContext, seed: number, server: Team): Promise<void> {
  const random = randomFrom(seed);
  const members = await team(t, server);
  const done = new Map<string, number>();
  for (let step = 0; step < STEPS; step++) {
    const member = members[random.below(members.length)];
    if (!member) continue;
    if (random.below(6) === 0) server.away = !server.away;
    const what = await act(member, random, server).catch(gone);
    done.set(what, (done.get(what) ?? 0) + 1);
  }
  server.away = false;
  server.hangUps = 0;
  for (let round = 0; round < 3; round++)
    for (const member of random.shuffle(members)) await member.exchange();

  const [first = [], ...others] = await Promise.all(members.map(picture));
  for (const other of others) assert.deepEqual(other, first);
  const there = (await server.entries()).flatMap((one) =>
    one.op === 'put' ? [[one.entry.id, one.entry.title]] : [],
  );
  assert.deepEqual(there.toSorted(), first.map(({ id, title }) => [id, title]).toSorted());
  for (const member of members) assert.deepEqual(await indexed(member), titles(first));
  const lost = (await Promise.all(members.map((one) => one.team()))).flatMap(({ conflicts }) => conflicts);
  t.diagnostic(
    `${first.length} entries left; ${[...done].map(([what, n]) => `${n} × ${what}`).join(', ')}; ${lost.length} texts were replaced and recorded`,
  );
}

/** An entry that another member forgot may disappear between reading and changing it. */
function gone(error: Error & { readonly code?: string }): string {
  if (error.code !== 'not-found') throw error;
  return 'too late';
}

async function act(member: Member, random: Random, server: Team): Promise<string> {
  const { machine } = member;
  const entries = await member.memories();
  const entry = entries[random.below(entries.length)];
  const what = random.below(10);
  if (!entry || what < 3) {
    const kind = random.below(3) === 0 ? 'issue' : 'decision';
    await member.remember(`${word(random)} ${word(random)} ${word(random)}`, { kind, body: word(random) });
    return 'remember';
  }
  if (what < 5) {
    await member.edit(entry.id, { title: `${word(random)} ${word(random)}`, facts: [word(random)] });
    return 'edit';
  }
  if (what === 5) {
    await member.rewrite((text) => text.replace(entry.title, `${word(random)} by hand`));
    await machine.call('journal.adopt', {});
    return 'edit in the file';
  }
  if (what === 6) {
    if (entry.kind === 'issue')
      await machine.call('settle', { ids: [entry.id], done: entry.state === 'open' });
    else await machine.call('forget', { ids: [entry.id], now: true });
    return entry.kind === 'issue' ? 'settle' : 'forget';
  }
  if (what === 7 && random.below(2) === 0) {
    await machine.killDaemons();
    if (random.below(2) === 0) rmSync(indexFile(machine), { force: true });
    await machine.up();
    return 'SIGKILL';
  }
  if (random.below(4) === 0) server.hangUps = 1;
  await member.exchange();
  return server.away ? 'failed exchange' : 'exchange';
}

async function team(t: TestContext, server: Team): Promise<readonly Member[]> {
  const keys = new Map<string, Key>();
  const members: Member[] = [];
  for (const name of PEOPLE) {
    const key = keys.get(name) ?? (await server.member(name));
    keys.set(name, key);
    const member = await Member.open(t, server, key);
    await member.remember(`Machine ${members.length} begins`);
    await member.share();
    members.push(member);
  }
  return members;
}

/** All fields that must be the same on every machine: everything except the author. */
async function picture(member: Member): Promise<readonly Omit<Memory, 'author'>[]> {
  return (await member.memories()).map((entry) => {
    const { author: _, ...memory } = entry;
    return memory;
  });
}

async function indexed({ machine }: Member): Promise<readonly string[]> {
  const found = await machine.call('read.memories', { limit: 10_000 });
  return titles(found);
}

function titles(memories: readonly Pick<Memory, 'title'>[]): readonly string[] {
  return memories.map(({ title }) => title).toSorted();
}

function word(random: Random): string {
  const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'pra', 'sti', 'vo', 'wu', 'zan'] as const;
  return Array.from({ length: 5 }, () => random.pick(syllables)).join('');
}
