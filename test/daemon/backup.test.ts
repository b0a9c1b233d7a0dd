/** Snapshots bring everything back into an empty home, and nothing that was forgotten. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import { memoryFolder } from '../support/damage.ts';
import { leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored, titled } from '../support/stored.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersOf } from './_answers.ts';
import { makeHistory, takeIn } from './_history.ts';

interface Taken {
  readonly name: string;
  readonly folder: string;
}

test('one command restores everything into an empty home, without the transcripts', async (t) => {
  const { machine, history, before } = await remembered(t);
  const folder = join(machine.root, 'disk');
  const { stdout } = await machine.ask('backup', '--to', folder);
  assert.match(stdout, /Snapshot \d{8}T\d{6}Z: \d+ files, .* verified/);
  await machine.stopDaemon();
  rmSync(machine.places.home, { recursive: true });
  rmSync(machine.config, { recursive: true });

  const preview = await machine.ask('restore', '--from', folder, '--dry-run');
  assert.match(preview.stdout, /^Would come back: \d+ memories$/m);
  assert.match(preview.stdout, /^Conversations: \d+ turns would come back, 0 turns would be removed$/m);
  assert.deepEqual(await memoriesOf(machine), []);

  const restored = await machine.ask('restore', '--from', folder);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(await answersOf(machine, history.projects), before);
});

test('restore replaces the current data only with consent, and can be undone', async (t) => {
  const { machine, history, before } = await remembered(t);
  const first = await take(machine);
  await machine.ask('remember', 'Added later');
  const refused = await machine.ask('restore', first.name);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /this replaces the \d+ memories[^]*--yes/);

  const repository = join(memoryFolder(machine), '.git', 'HEAD');
  mkdirSync(dirname(repository));
  writeFileSync(repository, 'ref: refs/heads/main\n');
  const { stdout } = await machine.ask('restore', first.name, '--yes', '--json');
  assert.deepEqual(await answersOf(machine, history.projects), before);
  assert.deepEqual(await titled(machine, 'Added later'), []);
  const { before: saved } = JSON.parse(stdout) as { before: string };
  assert.ok(existsSync(repository), 'a repository in the folder is no part of a snapshot, and stays');
  await machine.ask('restore', saved, '--yes');
  assert.equal((await titled(machine, 'Added later')).length, 1);
});

test('a dry run lists what would be removed and change, and changes nothing', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const remember = (title: string) => machine.json<Memory>('remember', title);
  const edited = await remember('The first text');
  const gone = await remember('Forgotten since');
  await remember('The same in both');
  const { name } = await take(machine);
  const added = await remember('Added later');
  await machine.ask('edit', edited.id, '--title', 'The second text');
  await machine.ask('forget', gone.id);
  const { text: before } = await stored(machine);

  const { stdout, stderr, code } = await machine.ask('restore', name, '--dry-run');
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    new RegExp(`^Would be removed: 1 memory\\n  ${shortId(added.id)}  discovery · Added later$`, 'm'),
  );
  assert.match(stdout, /^Would get the older text or state: 1 memory\n.*The second text$/m);
  assert.match(stdout, /^Would stay the same: 1 memory$/m);
  assert.match(stdout, /^Forgotten since then, and not restored: 1 memory$/m);
  assert.match(stderr, new RegExp(`Nothing was changed\\. Restore it: tidemark restore ${name} --yes`));
  assert.equal((await stored(machine)).text, before);
});

test('a memory forgotten after the snapshot is not restored, and its text is removed from the snapshot', async (t) => {
  const { machine } = await remembered(t);
  const word = 'quokkaberry';
  const { id } = await machine.json<Memory>('remember', `Called ${word}`);
  const { name } = await take(machine);
  const elsewhere = join(machine.root, 'disk');
  await machine.ask('backup', '--to', elsewhere);
  assert.equal((await machine.ask('forget', id, '--now')).code, 0);
  assert.deepEqual(leaksIn(machine.places.home, [{ name: word, text: word }]), []);

  for (const args of [
    ['restore', name, '--yes'],
    ['restore', 'latest', '--from', elsewhere, '--yes'],
  ]) {
    const { code, stderr } = await machine.ask(...args);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await titled(machine, word), []);
    assert.deepEqual(leaksIn(machine.places.home, [{ name: word, text: word }]), [], args.join(' '));
  }
});

test('a damaged snapshot is reported and refused; an older intact one is restored', async (t) => {
  const { machine, history, before } = await remembered(t);
  const old = await take(machine);
  await machine.ask('remember', 'Added later');
  const earlier = machine.files(old.folder);
  const young = await take(machine);
  const own = machine.files(old.folder).filter((path) => !earlier.includes(path));
  const content = own.filter((path) => !basename(path).startsWith(young.name));
  assert.ok(content.length > 0, own.join());
  for (const path of content) writeFileSync(path, 'rubbish');

  const verified = await machine.ask('backup', 'verify');
  assert.equal(verified.code, 1);
  assert.match(verified.stdout, new RegExp(`${young.name}  .*damaged`));
  assert.match(verified.stdout, new RegExp(`${old.name}  intact`));
  assert.equal((await machine.ask('restore', young.name, '--yes')).code, 1);
  assert.equal((await titled(machine, 'Added later')).length, 1, 'nothing was touched');
  assert.equal((await machine.ask('restore', old.name, '--yes')).code, 0);
  assert.deepEqual(await answersOf(machine, history.projects), before);
});

test('the daemon takes snapshots by itself, readable only by their owner', async (t) => {
  const { machine } = await remembered(t);
  await machine.stopDaemon();
  await machine.drained();
  const list = () => machine.json<{ folder: string; snapshots: unknown[] }>('backup', 'list');
  const { folder } = await waitFor('a snapshot', async () => {
    const found = await list();
    return found.snapshots.length > 0 ? found : undefined;
  });
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const stat = statSync(join(folder, name));
    assert.equal(stat.mode & 0o777, stat.isDirectory() ? 0o700 : 0o600, name);
  }
});

async function remembered(t: TestContext) {
  const machine = Machine.open(t, { TIDEMARK_BACKUP_DAYS: t.name.includes('by itself') ? '1' : '0' });
  const history = makeHistory(machine);
  await takeIn(machine, history);
  return { machine, history, before: await answersOf(machine, history.projects) };
}

function take(machine: Machine): Promise<Taken> {
  return machine.json('backup');
}
