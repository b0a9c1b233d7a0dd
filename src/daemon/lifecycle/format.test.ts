import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn, TidemarkError, type Places } from '../../core/index.ts';
import { Snapshots } from '../../storage/snapshots/index.ts';
import { FORMAT, refuseNewerFormat } from './format-marker.ts';
import { migrate, type Migration } from './format.ts';

function dataFolder(t: TestContext): Places {
  const home = mkdtempSync(join(tmpdir(), 'format-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  mkdirSync(places.ledger);
  writeFileSync(join(places.ledger, '2026-01.jsonl'), 'old\n');
  return places;
}

const ledgerOf = (places: Places): string => readFileSync(join(places.ledger, '2026-01.jsonl'), 'utf8');
const markerOf = (places: Places): Record<string, unknown> =>
  JSON.parse(readFileSync(places.format, 'utf8')) as Record<string, unknown>;

/** Not harmless to repeat, as a migration may be. */
function addsLine(to: number, after: () => void = () => {}): Migration {
  return {
    to,
    why: 'a line more',
    run: (places) => {
      writeFileSync(join(places.ledger, '2026-01.jsonl'), `${ledgerOf(places)}${to}\n`);
      after();
    },
  };
}

test('data without a marker gets one and is not changed', async (t) => {
  const places = dataFolder(t);
  assert.equal(await migrate(places, []), undefined);
  assert.equal(markerOf(places)['format'], FORMAT);
  assert.ok(!existsSync(places.backups));
});

test('a migration runs once, after a snapshot', async (t) => {
  const places = dataFolder(t);
  const done = await migrate(places, [addsLine(2), addsLine(3)]);
  assert.equal(ledgerOf(places), 'old\n2\n3\n');
  assert.deepEqual([done?.from, done?.to, markerOf(places)['format']], [1, 3, 3]);
  const { files } = await new Snapshots(places.backups).read(done?.snapshot ?? '');
  assert.deepEqual(
    files.map(({ path, size }) => [path, size]),
    [['ledger/2026-01.jsonl', 'old\n'.length]],
  );
  assert.equal(await migrate(places, [addsLine(2), addsLine(3)]), undefined);
  assert.equal(ledgerOf(places), 'old\n2\n3\n');
});

test('an interrupted migration starts again from the snapshot', async (t) => {
  const places = dataFolder(t);
  const fails = addsLine(2, () => {
    throw new Error('power cut');
  });
  await assert.rejects(migrate(places, [fails]), /power cut/);
  assert.equal(ledgerOf(places), 'old\n2\n', 'it had begun');
  await migrate(places, [addsLine(2)]);
  assert.equal(ledgerOf(places), 'old\n2\n');
  assert.equal(markerOf(places)['format'], 2);
});

test('the older program gets the old data after a failed migration', async (t) => {
  const places = dataFolder(t);
  const fails = addsLine(2, () => {
    throw new Error('a bug of ours');
  });
  await assert.rejects(migrate(places, [fails]));
  assert.equal(await migrate(places, []), undefined);
  assert.equal(ledgerOf(places), 'old\n');
});

test('an older program refuses newer data and says what to do', async (t) => {
  const places = dataFolder(t);
  await migrate(places, [addsLine(2)]);
  const isClear = (error: unknown): boolean =>
    error instanceof TidemarkError && error.code === 'newer-data' && /Update Tidemark/.test(error.hint ?? '');
  await assert.rejects(migrate(places, []), isClear);
  assert.throws(() => refuseNewerFormat(places), isClear);
  assert.equal(ledgerOf(places), 'old\n2\n');
});

test('an unreadable marker is an error', async (t) => {
  const places = dataFolder(t);
  writeFileSync(places.format, '{"format":');
  await assert.rejects(migrate(places, []), { code: 'format-unreadable' });
});
