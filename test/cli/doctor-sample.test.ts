/** `doctor` finds the invented project of an earlier version in the real memory, and removes it and nothing else. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { SAMPLE_SESSIONS } from '../../src/memory/index.ts';
import { Machine } from '../support/machine.ts';
import { stored } from '../support/stored.ts';
import { doctor } from './_doctor.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample');
const TRANSCRIPT = join(import.meta.dirname, '..', 'fixtures', 'transcripts', 'print-edit.jsonl');
const NAME = 'sample project';

test('the sample is known by the ids of its sessions', () => {
  const files = readdirSync(join(SAMPLE, 'projects', '-sample-harbor-api'));
  assert.deepEqual(files.map((file) => basename(file, '.jsonl')).toSorted(), SAMPLE_SESSIONS.toSorted());
});

test('doctor --fix removes the sample from every store and keeps own memories', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs every night']);
  await importFrom(machine, SAMPLE);
  const before = await doctor(machine);
  const found = before.check(NAME);
  assert.equal(found.verdict, 'note');
  assert.equal(found.fixable, true);
  assert.match(found.evidence, /^harbor-api-\w+ is invented: [1-9]\d* memories from 3 sessions/);
  const project = /^\S+/.exec(found.evidence)?.[0] ?? '';

  const after = await doctor(machine, '--fix');
  assert.match(after.fixed.find(({ name }) => name === NAME)?.done ?? '', /^removed \d+ memories/);
  assert.ok(!after.checks.some(({ name }) => name === NAME));
  const kept = await stored(machine);
  assert.deepEqual([kept.memories.length, kept.turns, kept.sessions], [1, [], []]);
  const left = async () => ({
    projects: (await machine.call('read.projects', {})).map(({ id }) => id),
    stats: await machine.call('read.stats', {}),
  });
  const { projects, stats } = await left();
  assert.ok(!projects.includes(project));
  assert.equal(stats.memories, 1);
  assert.equal(stats.sessions, 0);
  assert.match((await machine.cli(['search', '--all', 'logs'])).stdout, /Rotate the logs every night/);
  await machine.cli(['reindex']);
  assert.deepEqual(await left(), { projects, stats });
});

test('memories of your own in the project of the sample stay', async (t) => {
  const machine = Machine.open(t);
  await importFrom(machine, SAMPLE);
  const [{ id: project = '' } = {}] = await machine.call('read.projects', {});
  const remembered = await machine.cli(['remember', 'Rotate the logs every night', '--json']);
  const { id } = JSON.parse(remembered.stdout) as { id: string };
  await machine.call('move', { id, project });
  assert.match((await doctor(machine)).check(NAME).evidence, /; 1 memory of your own in it would stay$/);
  await doctor(machine, '--fix');
  const { memories, sessions } = await machine.call('read.stats', {});
  assert.deepEqual({ memories, sessions }, { memories: 1, sessions: 0 });
  assert.match((await machine.cli(['show', id])).stdout, /Rotate the logs every night/);
});

test('a project with the name of the sample is not taken for it', async (t) => {
  const machine = Machine.open(t);
  const folder = join(machine.root, 'harbor-api');
  mkdirSync(folder);
  await machine.cli(['remember', 'Rotate the logs every night'], { cwd: folder });
  const own = join(machine.root, 'own', 'projects', '-sample-harbor-api');
  mkdirSync(own, { recursive: true });
  cpSync(TRANSCRIPT, join(own, 'a.jsonl'));
  await importFrom(machine, join(machine.root, 'own'));
  assert.ok(!(await doctor(machine)).checks.some(({ name }) => name === NAME));
});

async function importFrom(machine: Machine, folder: string): Promise<void> {
  await machine.up();
  await machine.call('import.history', { sources: [{ agent: 'claude-code', folder }], finished: true });
}
