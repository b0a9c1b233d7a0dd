import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesIn } from '../../core/index.ts';
import type { Client, DaemonStatus, Health } from '../../daemon/index.ts';
import type { Live } from './check.ts';
import { backups, journal, spool } from './memory.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('a snapshot long overdue is wrong, and can be taken', async () => {
  const called: string[] = [];
  const client = played((method) => {
    called.push(method);
    return {
      folder: '/b',
      snapshots: [{ name: 'x', at: new Date(Date.now() - 30 * DAY_MS).toISOString(), files: 1, bytes: 1 }],
    };
  });
  const check = await backups(client, 1, { memories: 3, turns: 0 } as Health);
  assert.equal(check.verdict, 'wrong');
  assert.equal(await check.fix?.(), 'took a snapshot');
  assert.deepEqual(called, ['backup.list', 'backup']);
  assert.equal((await backups(client, 60, { memories: 3, turns: 0 } as Health)).verdict, 'well');
});

test('ids that cannot be written yet are not called fixed', async () => {
  const health = { journalFiles: 1, journalProblems: [], withoutId: 1 } as unknown as Health;
  const [stuck] = journal(
    health,
    played(() => ({ files: 0 })),
  );
  await assert.rejects(async () => stuck?.fix?.(), /correct the file they are in first/);
  const [named] = journal(
    health,
    played(() => ({ files: 1 })),
  );
  assert.equal(await named?.fix?.(), 'wrote ids into 1 journal file');
});

test('events that wait for long while nothing is done are stuck; while something is done they are not', async () => {
  const called: string[] = [];
  const client = played((method) => void called.push(method));
  const live = (busy: boolean, ago: number): Live =>
    ({
      status: {
        busy,
        spool: { depth: 2, oldest: new Date(Date.now() - ago).toISOString(), setAside: 0 },
      } as DaemonStatus,
    }) as Live;
  const places = placesIn('/nowhere');
  const stuck = spool(places, live(false, 60 * 60_000), client);
  assert.equal(stuck.verdict, 'wrong');
  await stuck.fix?.();
  assert.deepEqual(called, ['drain']);
  assert.equal(spool(places, live(true, 60 * 60_000), client).verdict, 'well');
  assert.equal(spool(places, live(false, 1000), client).verdict, 'well');
});

function played(answer: (method: string) => unknown): Client {
  return { call: async (method: string) => answer(method) } as unknown as Client;
}
