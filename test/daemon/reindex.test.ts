/**
 * After the index was deleted, everything is answered as before: two hundred questions with scores and reasons,
 * why and stats; with changed files, branches, use, merges, supersession and forgetting in play.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import type { Hit } from '../../src/recall/index.ts';
import { indexFolder } from '../support/damage.ts';
import { Machine, type Machine as Computer } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { inventedDecision, inventedWords } from '../support/synthetic-transcript.ts';
import { importPast, liveSession, makeRepository, remember, writePast } from './_signals-world.ts';

const QUERIES = 200;
/** Scores fade with the minutes that pass between two askings; nothing else may move them. */
const FADED = 1e-4;
const FILES = Array.from({ length: 12 }, (_, i) => `src/part-${i}.ts`);
const PAST = Array.from({ length: 10 }, (_, i) => ({
  name: `past-${i}`,
  branch: i % 3 === 0 ? 'feature' : i % 3 === 1 ? 'merged' : 'main',
  start: `2026-03-${String(i + 2).padStart(2, '0')}T09:00:00.000Z`,
  files: [0, 1, 2, 3].map((n) => FILES[(i + n) % FILES.length] ?? ''),
}));

test('the index can be deleted: the same answers to 200 questions, cost, why and stats', async (t) => {
  const machine = Machine.open(t);
  await makeWorld(machine);
  const before = await everything(machine);
  assert.ok(
    before.searches.filter(({ hits }) => hits.length > 0).length >= QUERIES * 0.9,
    'most are answered',
  );
  const parts = new Set(before.searches.flatMap(({ hits }) => hits.flatMap((hit) => hit.parts)));
  for (const name of ['files changed', 'files gone', 'branch not merged', 'opened', 'state superseded'])
    assert.ok(parts.has(name), `${name} is in play: ${[...parts].join(', ')}`);
  assert.match(before.why.join(), /"opened": true/);

  assert.equal((await machine.ask('reindex')).code, 0);
  assertSame(await everything(machine), before, 'reindex');

  for (const transcripts of ['kept', 'deleted']) {
    await machine.stopDaemon();
    if (transcripts === 'deleted') rmSync(machine.config, { recursive: true });
    rmSync(indexFolder(machine), { recursive: true });
    await machine.up();
    assert.equal((await machine.ask('reindex')).code, 0);
    assertSame(await everything(machine), before, `transcripts ${transcripts}`);
  }
});

async function makeWorld(machine: Computer): Promise<void> {
  const repo = makeRepository(machine, FILES);
  repo.git('switch', '-q', '-c', 'merged');
  repo.commit('merged.txt', 'work');
  repo.git('switch', '-q', 'main');
  repo.git('merge', '-q', 'merged');
  repo.git('switch', '-q', '-c', 'feature');
  repo.commit('feature.txt', 'work');
  repo.git('switch', '-q', 'main');
  writePast(machine, PAST);
  await importPast(machine);
  repo.write(FILES[0] ?? '', '// changed\n');
  repo.write(FILES[1] ?? '', '// changed\n');
  repo.remove(FILES[2] ?? '');

  const told = await remember(machine, {
    title: 'Refresh tokens rotate on every use',
    body: 'A stolen token dies at first reuse; a grace window of seventeen seconds covers the cold start of the mobile app.',
    files: [FILES[3] ?? ''],
  });
  const replaced = await remember(machine, { title: 'Sessions live in memory of the process' });
  const heir = await remember(machine, { title: 'Sessions live in a Redis hash' });
  await machine.ask('supersede', replaced.id, heir.id);
  const [kept, merged, forgotten] = await Promise.all(
    ['alpha', 'beta', 'gamma'].map((name) => remember(machine, { title: inventedDecision(name).text })),
  );
  await machine.ask('merge', kept?.id ?? '', merged?.id ?? '');
  await liveSession(machine, {
    prompt: 'Why do refresh tokens rotate on every use, and where?',
    answer:
      'So that a stolen token dies at first reuse; the grace window is seventeen seconds for a mobile cold start.',
  });
  await liveSession(machine, {
    prompt: `What did we say about the ${inventedWords('past-4-1', 2).join(' ')}, and does it still hold?`,
    answer: 'I do not know yet.',
  });
  await liveSession(machine, { prompt: 'thanks', answer: 'You are welcome.' });
  const { session } = await liveSession(machine, {
    prompt: 'Where do sessions live in this project?',
    answer: 'In Redis.',
  });
  await machine.call('opened', { session, memories: [heir.id] });
  await machine.ask('forget', forgotten?.id ?? '', '--now');
  assert.ok(told.id);
}

interface Found {
  readonly query: string;
  readonly hits: readonly {
    readonly id: string;
    readonly score: number;
    readonly evidence: number;
    readonly parts: readonly string[];
    readonly changes: Hit['changes'];
  }[];
}

async function everything(machine: Computer) {
  const memories = await memoriesOf(machine);
  const searches: Found[] = [];
  for (const query of queriesFrom(memories)) {
    const { hits } = await machine.json<{ hits: readonly Hit[] }>('search', query, '--limit', '20');
    searches.push({
      query,
      hits: hits.map(({ memory, score, evidence, parts, changes }) => ({
        id: memory.id,
        score,
        evidence,
        parts: parts.map(({ name }) => name),
        changes,
      })),
    });
  }
  const titled = memories.filter(({ title }) => /^(?:Refresh|Sessions)/.test(title));
  const { bytes: _, ...stats } = JSON.parse(await cli(machine, 'stats')) as Record<string, unknown>;
  return {
    searches,
    why: [
      await cli(machine, 'why'),
      await cli(machine, 'why', 'tokens rotate'),
      await cli(machine, 'why', 'sessions live'),
      ...(await Promise.all(titled.map(({ id }) => cli(machine, 'why', id)))),
    ],
    // The size of the file is all that may differ: a new one has no holes.
    stats,
    sessions: await cli(machine, 'sessions', '--all', '--limit', '100'),
  };
}

/** The same for the same memories: words of one, of two, names of files, kinds and times. */
function queriesFrom(memories: readonly Memory[]): readonly string[] {
  const titles = memories.map(({ title }) => title.split(/\s+/)).toSorted();
  const one = (i: number): readonly string[] => titles[i % titles.length] ?? [];
  return Array.from({ length: QUERIES }, (_, i) => {
    const words = one(i).filter((word) => word.length > 3);
    switch (i % 5) {
      case 0:
        return words.slice(0, 3).join(' ');
      case 1:
        return [...words.slice(-2), ...one(i * 7 + 3).slice(-2)].join(' ');
      case 2:
        return `${FILES[i % FILES.length]} ${words.at(-1) ?? ''}`;
      case 3:
        return `kind:decision ${words.slice(1, 4).join(' ')}`;
      default:
        return i % 2 === 0
          ? `decided to keep ${words[0] ?? ''} in march`
          : `file:part-${i % FILES.length}.ts`;
    }
  });
}

type Everything = Awaited<ReturnType<typeof everything>>;

function assertSame(after: Everything, before: Everything, when: string): void {
  assert.equal(after.searches.length, QUERIES);
  for (const [i, { query, hits }] of before.searches.entries()) {
    const now = after.searches[i];
    const bare = (found: Found | undefined) =>
      found?.hits.map(({ id, parts, changes }) => ({ id, parts, changes }));
    assert.deepEqual(bare(now), bare({ query, hits }), `${when}: ${query}`);
    for (const [n, hit] of hits.entries())
      for (const key of ['score', 'evidence'] as const)
        assert.ok(
          Math.abs((now?.hits[n]?.[key] ?? 0) - hit[key]) < FADED,
          `${when}: ${query}: ${key} of ${hit.id}`,
        );
  }
  for (const key of ['why', 'stats', 'sessions'] as const)
    assert.deepEqual(after[key], before[key], `${when}: ${key}`);
}

async function cli(machine: Computer, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.ask(...args, '--json');
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}
