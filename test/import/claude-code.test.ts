/** CLAUDE.md and the client's own notes are indexed in place: nothing is copied, nothing is written back. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { PeerReport } from '../../src/exchange/import/index.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';

const RULES = '# Shop\n\nA web shop.\n\n## Money\n\nPrices are integers of quokkacents.\n';

test('search finds sections of CLAUDE.md and notes with their file; none of them is stored', async (t) => {
  const machine = Machine.open(t);
  const { rules, note, own } = texts(machine);
  const report = await bring(machine);
  assert.equal(report.imported.sections, 4);
  const [money] = await search(machine, 'quokkacents');
  assert.equal(money?.memory.title, 'Money');
  assert.equal(money?.memory.provenance.by, 'claude-code');
  assert.equal(money?.memory.evidence, 'quoted', 'it comes with the project');
  assert.deepEqual((await machine.call('read.search', { query: 'quokkacents' })).sections, [], 'listed once');
  assert.equal((await search(machine, 'tabbyindent'))[0]?.memory.project, 'personal');
  const [noted] = await search(machine, 'staging database');
  assert.equal(noted?.memory.title, 'The staging database is reset each night');
  const shown = await machine.cli(['show', money?.memory.id ?? '']);
  assert.match(shown.stdout, new RegExp(`source:${rules}`));
  assert.deepEqual(await memoriesOf(machine), []);
  assert.deepEqual(
    [
      readFileSync(rules, 'utf8'),
      readFileSync(note, 'utf8').length > 0,
      readFileSync(own, 'utf8').length > 0,
    ],
    [RULES, true, true],
  );
  assert.equal((await bring(machine)).imported.sections, 0);
});

test('search follows edits and deletions of the file, also after a reindex', async (t) => {
  const machine = Machine.open(t);
  const { rules } = texts(machine);
  await bring(machine);
  writeFileSync(rules, RULES.replace('quokkacents', 'wombatcents'));
  await machine.stopDaemon();
  await machine.drained();
  assert.equal((await search(machine, 'wombatcents')).length, 1);
  await machine.cli(['reindex']);
  assert.equal((await search(machine, 'wombatcents')).length, 1);
  assert.equal((await search(machine, 'quokkacents')).length, 0);
  rmSync(rules);
  await machine.stopDaemon();
  await machine.drained();
  assert.equal((await search(machine, 'wombatcents')).length, 0);
});

test('the brief does not repeat files that the client loads itself', async (t) => {
  const machine = Machine.open(t);
  texts(machine);
  await bring(machine);
  await machine.cli(['remember', 'Deploys go through staging first', '--kind', 'decision']);
  const { stdout } = await machine.cli(['brief']);
  assert.match(stdout, /Deploys go through staging first/);
  assert.doesNotMatch(stdout, /Money|quokkacents/);
});

test('a forgotten section stays forgotten while its file still contains it', async (t) => {
  const machine = Machine.open(t);
  texts(machine);
  await bring(machine);
  const id = (await search(machine, 'quokkacents'))[0]?.memory.id ?? '';
  await machine.cli(['forget', id, '--now']);
  await bring(machine);
  await machine.cli(['reindex']);
  assert.equal((await search(machine, 'quokkacents')).length, 0);
});

function texts(machine: Machine): { rules: string; note: string; own: string } {
  const rules = join(machine.project, 'CLAUDE.md');
  writeFileSync(rules, RULES);
  const own = join(machine.config, 'CLAUDE.md');
  writeFileSync(own, '# Style\n\nAlways tabbyindent.\n');
  const slug = machine.project.replaceAll(/[^A-Za-z0-9]/g, '-');
  const note = join(machine.config, 'projects', slug, 'memory', 'staging.md');
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(
    note,
    '---\nname: staging\ndescription: The staging database is reset each night\ntype: project\n---\n\nAt 02:00 UTC.\n',
  );
  return { rules, note, own };
}

async function bring(machine: Machine): Promise<PeerReport> {
  const ran = await machine.cli(['import', 'claude-code', '--json']);
  assert.equal(ran.code, 0, ran.stderr + ran.stdout);
  return JSON.parse(ran.stdout) as PeerReport;
}

interface Hit {
  readonly memory: {
    id: string;
    title: string;
    project: string;
    evidence?: string;
    provenance: { by: string };
  };
}

async function search(machine: Machine, words: string): Promise<readonly Hit[]> {
  const { stdout } = await machine.cli(['search', words, '--json']);
  return (JSON.parse(stdout) as { hits: Hit[] }).hits;
}
