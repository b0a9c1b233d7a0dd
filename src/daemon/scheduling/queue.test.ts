import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { Processed } from '../../capture/index.ts';
import { placesIn, TidemarkError, type Places, type SpooledEvent } from '../../core/index.ts';
import { Suspect, Spool } from '../../storage/spool/index.ts';
import { Queue } from './queue.ts';

let home: string;
let places: Places;
let spool: Spool;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-queue-'));
  places = placesIn(home);
  spool = await Spool.open(places);
});

afterEach(async () => {
  await spool.close();
  rmSync(home, { recursive: true });
});

function event(id: string, session = 'session', at = '2026-03-02T09:00:00.000Z'): SpooledEvent {
  const input = { session_id: session, hook_event_name: 'Stop' } as const;
  return { id: `event-${id}`, at, agent: 'claude-code', input };
}

function queue(options: {
  process: (event: SpooledEvent, hurried: boolean) => Promise<Processed | void>;
  lived?: number;
  onHang?: () => Promise<void>;
}): Queue {
  return new Queue({
    spool,
    log: silent,
    ready: () => Promise.resolve(),
    suspectFile: suspectFile(),
    lived: () => options.lived ?? 60_000,
    ...(options.onHang ? { onHang: options.onHang } : {}),
    process: async (event, hurried) => (await options.process(event, hurried)) ?? 'done',
  });
}

function suspectFile(): string {
  return join(places.spool, 'suspect.json');
}

/** Takes the first event and dies, so many times. */
async function die(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await spool.next();
    await spool.close();
    spool = await Spool.open(places);
  }
}

test('an event that fails three times is set aside with its reason, and the rest continue', async () => {
  await spool.append(event('bad'));
  await spool.append(event('good'));
  const seen: string[] = [];
  const working = queue({
    process: async ({ id }) => {
      seen.push(id);
      if (id === 'event-bad') throw new Error('cannot be read');
    },
  });
  working.wake();
  await working.idle();
  assert.deepEqual(seen, ['event-bad', 'event-bad', 'event-bad', 'event-good']);
  assert.deepEqual(
    (await spool.quarantined()).map(({ id, reason }) => [id, reason]),
    [['event-bad', 'cannot be read']],
  );
  assert.equal(spool.status().depth, 0);
});

test('an event waits while the disk is full, and is not set aside', async () => {
  let full = true;
  const seen: string[] = [];
  const working = queue({
    process: async ({ id }) => {
      if (full) throw new TidemarkError('disk-full', 'no space left');
      seen.push(id);
    },
  });
  await spool.append(event('one'));
  working.wake();
  await working.idle();
  assert.deepEqual([spool.status().depth, seen], [1, []]);
  assert.ok(working.busy, 'it will try again by itself');
  full = false;
  await spool.append(event('two'));
  working.wake();
  await working.idle();
  assert.deepEqual([spool.status().depth, spool.status().setAside, seen], [0, 0, ['event-one', 'event-two']]);
});

test('an event during which the daemon died is processed after all others', async () => {
  await spool.append(event('suspect', 'a'));
  await die(3);
  await spool.append(event('other', 'b'));
  const seen: string[] = [];
  const working = queue({ process: async ({ id }) => void seen.push(id) });
  working.wake();
  await working.idle();
  assert.deepEqual(seen, ['event-other', 'event-suspect']);
  assert.equal(spool.status().setAside, 0);
});

test('an event that ends the daemon when processed alone is set aside', async () => {
  await spool.append(event('deadly'));
  await die(3);
  for (let i = 0; i < 3; i++) await new Suspect(suspectFile()).begin('event-deadly');
  const working = queue({ process: () => Promise.reject(new Error('never reached')) });
  working.wake();
  await working.idle();
  const [entry] = await spool.quarantined();
  assert.match(entry?.reason ?? '', /ended the daemon 3 times/);
});

test('reached resolves at once for a processed event and for an idle queue', async () => {
  const working = queue({ process: async () => {} });
  await working.reached('event-unknown', 60_000);
  await spool.append(event('one'));
  working.wake();
  await working.reached('event-one', 60_000);
  await working.idle();
});

test('an early event is tried again, and only its own session waits for it', async () => {
  await spool.append(event('early', 'a'));
  await spool.append(event('behind', 'a'));
  await spool.append(event('other', 'b'));
  const seen: string[] = [];
  const working = queue({
    process: async ({ id }) => {
      if (id === 'event-early' && !seen.includes('event-other')) return 'too-early';
      seen.push(id);
    },
  });
  working.wake();
  await working.idle();
  assert.deepEqual(seen, ['event-other', 'event-early', 'event-behind']);
  assert.deepEqual([spool.status().depth, spool.status().setAside], [0, 0]);
});

test('an event is hurried when another of its session or a caller of idle waits', async () => {
  const hurries: boolean[] = [];
  const working = queue({
    process: async ({ id }, hurried) => {
      if (id !== 'event-early') return;
      hurries.push(hurried);
      return hurried ? 'done' : 'too-early';
    },
  });
  await spool.append(event('early', 'a'));
  working.wake();
  await waitFor('it to be asked twice', () => hurries.length > 1);
  assert.ok(!hurries.includes(true));
  await spool.append(event('behind', 'a'));
  working.wake();
  await waitFor('both to be done', () => spool.status().depth === 0);
  assert.equal(hurries.at(-1), true);
  assert.equal(hurries.filter(Boolean).length, 1);
});

for (const [session, whose] of [
  ['b', 'another session'],
  ['a', 'the same session'],
] as const)
  test(`reached does not wait for an early event of long ago in ${whose}`, async () => {
    await spool.append(event('early', 'a'));
    await spool.append(event('start', session));
    let isReached = false;
    const working = queue({
      process: async ({ id }) => (id === 'event-early' && !isReached ? 'too-early' : 'done'),
    });
    working.wake();
    await working.reached('event-start', 60_000);
    isReached = true;
    await working.idle();
  });

test('reached waits for earlier events that came too early', async () => {
  await spool.append(event('early', 'a', new Date().toISOString()));
  await spool.append(event('start', 'b'));
  const seen: string[] = [];
  const working = queue({
    process: async ({ id }) => {
      if (id === 'event-early' && !seen.includes('event-start')) return 'too-early';
      seen.push(id);
    },
  });
  working.wake();
  await working.reached('event-start', 60_000);
  assert.deepEqual(seen, ['event-start', 'event-early']);
  await working.idle();
});

test('stop hurries early events and takes no more', async () => {
  await spool.append(event('early', 'a'));
  const asked: [string, boolean][] = [];
  const leaving = queue({
    process: async ({ id }, hurried) => {
      asked.push([id, hurried]);
      return hurried ? 'done' : 'too-early';
    },
  });
  leaving.wake();
  await waitFor('it to be asked', () => asked.length > 0);
  await spool.append(event('late', 'b'));
  await leaving.stop();
  assert.deepEqual(asked.at(-1), ['event-early', true]);
  assert.equal(spool.status().depth, 1);
});

test('an event that was being processed when the daemon died twice comes after all others', async () => {
  await spool.append(event('suspect', 'a'));
  await die(2);
  await spool.append(event('other', 'b'));
  const seen: string[] = [];
  const working = queue({ process: async ({ id }) => void seen.push(id) });
  working.wake();
  await working.idle();
  assert.deepEqual(seen, ['event-other', 'event-suspect']);
});

test('an event is set aside when the daemon died twice while processing it alone', async () => {
  await spool.append(event('deadly'));
  await die(2);
  for (let i = 0; i < 2; i++) await new Suspect(suspectFile()).begin('event-deadly');
  const working = queue({ process: () => Promise.reject(new Error('never reached')) });
  working.wake();
  await working.idle();
  assert.match((await spool.quarantined())[0]?.reason ?? '', /ended the daemon 2 times/);
});

test('an event that hangs is tried again after all others, then set aside, and onHang runs each time', async () => {
  await spool.append(event('hangs', 'a'));
  await spool.append(event('other', 'b'));
  const seen: string[] = [];
  const working = queue({
    process: async ({ id }) => {
      seen.push(id);
      if (id === 'event-hangs') throw new TidemarkError('event-hung', 'processing took longer than 5 ms');
    },
    onHang: async () => void seen.push(`ended, ${spool.status().depth} left`),
  });
  working.wake();
  await working.idle();
  assert.deepEqual(seen, ['event-hangs', 'ended, 2 left', 'event-other', 'event-hangs', 'ended, 0 left']);
  assert.match((await spool.quarantined())[0]?.reason ?? '', /^hung: processing took longer/);
});

test('an event is set aside when it hangs again after the daemon ended itself', async () => {
  await spool.append(event('hangs'));
  await die(1);
  const working = queue({
    process: () => Promise.reject(new TidemarkError('event-hung', 'processing took longer than 5 ms')),
  });
  working.wake();
  await working.idle();
  assert.deepEqual([spool.status().depth, spool.status().setAside], [0, 1]);
});
