/** Snapshots bring everything back into an empty home, and nothing that was forgotten. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { readJournal } from '../support/stores.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersOf } from './_answers.ts';
import { makeHistory, takeIn } from './_history.ts';

interface Taken {
  readonly name: string;
}

test('one command restores everything into an empty home, without the transcripts', async (t) => {
  const { machine, history, before } = await remembered(t);
  const folder = join(machine.root, 'disk');
  const { stdout } = await machine.cli(['backup', '--to', folder]);
  assert.match(stdout, /Snapshot \d{8}T\d{6}Z: \d+ files, .* verified/);
  await machine.stopDaemon();
  rmSync(machine.places.home, { recursive: true });
  rmSync(machine.config, { recursive: true });

  const preview = await machine.cli(['restore', '--from', folder, '--dry-run']);
  assert.match(preview.stdout, /^Would come back: \d+ memories$/m);
  assert.match(preview.stdout, /^Conversations: \d+ turns would come back, 0 turns would be removed$/m);
  assert.deepEqual(readJournal(machine.places).memories, []);

  const restored = await machine.cli(['restore', '--from', folder]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(await answersOf(machine, history.projects), before);
});

test('restore replaces the current data only with consent, and can be undone', async (t) => {
  const { machine, history, before } = await remembered(t);
  const first = await take(machine);
  await machine.call('remember', { draft: draft('Added later'), dir: machine.project });
  const refused = await machine.cli(['restore', first.name]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /this replaces the \d+ memories[^]*--yes/);

  const repository = join(machine.places.journal, '.git', 'HEAD');
  mkdirSync(dirname(repository));
  writeFileSync(repository, 'ref: refs/heads/main\n');
  const { stdout } = await machine.cli(['restore', first.name, '--yes', '--json']);
  assert.deepEqual(await answersOf(machine, history.projects), before);
  assert.deepEqual(titled(machine, 'Added later'), []);
  const { before: saved } = JSON.parse(stdout) as { before: string };
  assert.ok(existsSync(repository), 'a repository in the journal is no part of a snapshot, and stays');
  await machine.cli(['restore', saved, '--yes']);
  assert.equal(titled(machine, 'Added later').length, 1);
});

test('a dry run lists what would be removed and change, and changes nothing', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const remember = (title: string) => machine.call('remember', { draft: draft(title), dir: machine.project });
  const edited = await remember('The first text');
  const gone = await remember('Forgotten since');
  await remember('The same in both');
  const { name } = await take(machine);
  const added = await remember('Added later');
  await machine.call('edit', { id: edited.id, patch: { title: 'The second text' } });
  await machine.cli(['forget', gone.id]);
  const before = readJournal(machine.places).files;

  const { stdout, stderr, code } = await machine.cli(['restore', name, '--dry-run']);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    new RegExp(`^Would be removed: 1 memory\\n  ${shortId(added.id)}  discovery · Added later$`, 'm'),
  );
  assert.match(stdout, /^Would get the older text or state: 1 memory\n.*The second text$/m);
  assert.match(stdout, /^Would stay the same: 1 memory$/m);
  assert.match(stdout, /^Forgotten since then, and not restored: 1 memory$/m);
  assert.match(stderr, new RegExp(`Nothing was changed\\. Restore it: tidemark restore ${name} --yes`));
  assert.deepEqual(readJournal(machine.places).files, before);
  assert.ok(!existsSync(machine.places.restoring));
});

test('a memory forgotten after the snapshot is not restored, and its text is removed from the snapshot', async (t) => {
  const { machine } = await remembered(t);
  const word = 'quokkaberry';
  const { id } = await machine.call('remember', {
    draft: draft(`Called ${word}`),
    dir: machine.project,
  });
  const { name } = await take(machine);
  const elsewhere = join(machine.root, 'disk');
  await machine.cli(['backup', '--to', elsewhere]);
  assert.equal((await machine.cli(['forget', id, '--now'])).code, 0);
  assert.deepEqual(leaksIn(machine.places.home, [{ name: word, text: word }]), []);

  for (const args of [
    ['restore', name, '--yes'],
    ['restore', 'latest', '--from', elsewhere, '--yes'],
  ]) {
    const { code, stderr } = await machine.cli(args);
    assert.equal(code, 0, stderr);
    assert.deepEqual(titled(machine, word), []);
    assert.deepEqual(leaksIn(machine.places.home, [{ name: word, text: word }]), [], args.join(' '));
  }
});

test('a damaged snapshot is reported and refused; an older intact one is restored', async (t) => {
  const { machine, history, before } = await remembered(t);
  const old = await take(machine);
  await machine.call('remember', { draft: draft('Added later'), dir: machine.project });
  const young = await take(machine);
  const pieces = (name: string): readonly string[] =>
    (
      JSON.parse(readFileSync(join(machine.places.backups, `${name}.json`), 'utf8')) as {
        files: { chunks: string[] }[];
      }
    ).files.flatMap(({ chunks }) => chunks);
  const own = pieces(young.name).find((piece) => !pieces(old.name).includes(piece)) ?? '';
  writeFileSync(join(machine.places.backups, 'pieces', own.slice(0, 2), `${own}.gz`), 'rubbish');

  const verified = await machine.cli(['backup', 'verify']);
  assert.equal(verified.code, 1);
  assert.match(verified.stdout, new RegExp(`${young.name}  a piece of the snapshot is missing or damaged`));
  assert.match(verified.stdout, new RegExp(`${old.name}  intact`));
  assert.equal((await machine.cli(['restore', young.name, '--yes'])).code, 1);
  assert.equal(titled(machine, 'Added later').length, 1, 'nothing was touched');
  assert.equal((await machine.cli(['restore', old.name, '--yes'])).code, 0);
  assert.deepEqual(await answersOf(machine, history.projects), before);
});

test('the daemon takes snapshots by itself, readable only by their owner', async (t) => {
  const { machine } = await remembered(t);
  await machine.stopDaemon();
  await machine.drained();
  await waitFor('a snapshot', () => names(machine).length > 0);
  for (const name of readdirSync(machine.places.backups, { recursive: true, encoding: 'utf8' })) {
    const stat = statSync(join(machine.places.backups, name));
    assert.equal(stat.mode & 0o777, stat.isDirectory() ? 0o700 : 0o600, name);
  }
});

async function remembered(t: TestContext) {
  const machine = Machine.open(t, { TIDEMARK_BACKUP_DAYS: t.name.includes('by itself') ? '1' : '0' });
  const history = makeHistory(machine);
  await takeIn(machine, history);
  return { machine, history, before: await answersOf(machine, history.projects) };
}

async function take(machine: Machine): Promise<Taken> {
  return JSON.parse((await machine.cli(['backup', '--json'])).stdout) as Taken;
}

function draft(title: string) {
  return { kind: 'discovery' as const, title, body: '', facts: [], concepts: [], files: [] };
}

function titled(machine: Machine, words: string) {
  return readJournal(machine.places).memories.filter(({ title }) => title.includes(words));
}

function names(machine: Machine): readonly string[] {
  try {
    return readdirSync(machine.places.backups).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
