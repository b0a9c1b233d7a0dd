import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../../core/index.ts';
import { finishRestore, isRestorePending, stageRestore } from '../../daemon/index.ts';
import { Snapshots } from './snapshots.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function world(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-snapshots-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const places = placesIn(join(root, 'home'));
  for (const folder of [join(places.journal, 'shop'), places.ledger, join(places.turns, 'shop')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(places.journal, 'shop', '2026-11-15.md'), '# 2026-11-15 · shop\n');
  writeFileSync(join(places.ledger, '2026-11.jsonl'), '');
  return {
    places,
    snapshots: new Snapshots(places.backups),
    big: join(places.turns, 'shop', '2026-11.jsonl.gz'),
  };
}

const pieces = (folder: string): number =>
  readdirSync(join(folder, 'pieces'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.gz'),
  ).length;

test('a file that grew by a line needs one more piece', async (t) => {
  const { places, snapshots, big } = world(t);
  writeFileSync(big, Buffer.alloc(3 * 1024 * 1024, 'x').fill('y', 1024 * 1024));
  await snapshots.take(places, new Date('2026-11-15T10:00:00Z'));
  const before = pieces(places.backups);
  appendFileSync(big, 'z');
  await snapshots.take(places, new Date('2026-11-16T10:00:00Z'));
  assert.equal(pieces(places.backups), before + 1);
});

test(
  'a file that grows as fast as it is read is stored up to its length at the beginning',
  { timeout: 60_000 },
  async (t) => {
    const { places, snapshots } = world(t);
    const ledger = join(places.ledger, '2026-11.jsonl');
    writeFileSync(ledger, 'first\n');
    // A record in every turn of the event loop, as a model that answers at once leaves them.
    let isOver = false;
    const append = (): void => {
      if (isOver) return;
      appendFileSync(ledger, 'more\n');
      setImmediate(append);
    };
    append();
    t.after(() => (isOver = true));
    const stored = await snapshots.store(places.home, 'ledger/2026-11.jsonl');
    isOver = true;
    assert.ok(stored);
    const text = (await snapshots.content(stored)).toString();
    assert.equal(text.length, stored.size);
    assert.match(text, /^first\n(more\n)*$/);
  },
);

test('rotation keeps the newest seven and one of each of four weeks, and deletes the other pieces', async (t) => {
  const { places, snapshots, big } = world(t);
  const last = Date.parse('2026-11-15T10:00:00Z');
  for (let day = 60; day >= 0; day--) {
    writeFileSync(big, `only on day ${day}`);
    await snapshots.take(places, new Date(last - day * DAY_MS));
  }
  await snapshots.rotate(new Date(last));
  const names = await snapshots.names();
  assert.equal(names.length, 11);
  assert.deepEqual(names.slice(0, 2), ['20261115T100000Z.json', '20261114T100000Z.json']);
  assert.equal(names.at(-1), '20261011T100000Z.json');
  for (const name of names) await snapshots.verify(name);
  assert.ok(pieces(places.backups) <= names.length + 2);
});

test('a restore interrupted between two stores is finished at the next start', async (t) => {
  const { places, snapshots } = world(t);
  await snapshots.take(places, new Date('2026-11-15T10:00:00Z'));
  writeFileSync(join(places.journal, 'shop', '2026-11-16.md'), '# 2026-11-16 · shop\n');
  await stageRestore(places, places.backups, 'latest', []);
  assert.ok(isRestorePending(places));
  rmSync(places.journal, { recursive: true });
  renameSync(join(places.restoring, 'journal'), places.journal); // and here the power went
  assert.equal(await finishRestore(places), '2026-11-15T10:00:00.000Z');
  assert.deepEqual(readdirSync(join(places.journal, 'shop')), ['2026-11-15.md']);
  assert.equal(existsSync(places.restoring), false);
  assert.equal(await finishRestore(places), undefined);
});

test('an incomplete restore folder is not used', async (t) => {
  const { places } = world(t);
  mkdirSync(join(places.restoring, 'journal'), { recursive: true });
  assert.equal(await finishRestore(places), undefined);
  assert.ok(existsSync(join(places.journal, 'shop', '2026-11-15.md')));
});

test('a manifest with a path outside the stores is refused', async (t) => {
  const { places, snapshots } = world(t);
  await snapshots.take(places, new Date('2026-11-15T10:00:00Z'));
  const path = join(places.backups, '20261115T100000Z.json');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace('journal/shop/2026-11-15.md', 'journal/../../../x.md'),
  );
  await assert.rejects(snapshots.verify('latest'), /damaged/);
});
