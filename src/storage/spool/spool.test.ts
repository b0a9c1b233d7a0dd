import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { placesIn, type Places, type SpooledEvent } from '../../core/index.ts';
import type { StoreProblem } from '../../files/index.ts';
import { Spool, type Delivery, type SpoolOptions } from './spool.ts';

let home: string;
let places: Places;
let problems: StoreProblem[];
let spool: Spool;
const dead: Spool[] = [];
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-spool-'));
  places = placesIn(home);
  problems = [];
  spool = await open();
});
afterEach(async () => {
  for (const each of [spool, ...dead.splice(0)]) await each.close();
  rmSync(home, { recursive: true, force: true });
});

const open = (options: SpoolOptions = {}) =>
  Spool.open(places, { report: (problem) => problems.push(problem), ...options });

/** Acts like a killed daemon: does nothing more, and the next one opens the files on disk. */
async function die(options: SpoolOptions = {}): Promise<void> {
  dead.push(spool);
  spool = await open(options);
}

function event(id: string, session = 's1', prompt = `prompt of ${id}`): SpooledEvent {
  const input = { session_id: session, hook_event_name: 'UserPromptSubmit', prompt } as const;
  return {
    id: `spooled-${id}`,
    at: '2026-11-15T10:00:00.000Z',
    agent: 'claude-code',
    projectDir: '/x',
    input,
  };
}

async function take(): Promise<Delivery> {
  const delivery = await spool.next();
  assert.ok(delivery, 'there is an event');
  return delivery;
}

async function drain(): Promise<string[]> {
  const ids: string[] = [];
  for (let next = await spool.next(); next; next = await spool.next()) {
    ids.push(next.event.id.slice('spooled-'.length));
    await spool.done(next.position);
  }
  return ids;
}

const segments = () => readdirSync(places.spool).filter((name) => /^\d+\.jsonl$/.test(name));
const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));

test('accepted events are delivered unchanged and in order, and not again once they are done', async () => {
  await Promise.all(numbers(100).map((id) => spool.append(event(id))));
  assert.deepEqual(spool.status(), { depth: 100, oldest: '2026-11-15T10:00:00.000Z', setAside: 0 });
  const first = await take();
  assert.deepEqual(first, { event: event('0'), position: first.position, tries: 0 });
  await spool.done(first.position);
  await spool.done(first.position);
  assert.deepEqual(await drain(), numbers(100).slice(1));
  assert.deepEqual(spool.status(), { depth: 0, oldest: undefined, setAside: 0 });
  await die();
  assert.equal(await spool.next(), undefined);
});

test('events that are not done when the daemon dies are delivered again in order', async () => {
  for (const id of numbers(10)) await spool.append(event(id));
  for (const _ of numbers(3)) await spool.done((await take()).position);
  await take();
  await die();
  assert.equal(spool.status().depth, 7);
  assert.deepEqual(await drain(), numbers(10).slice(3));
});

test('an event is accepted once, however often and by whom it is delivered', async () => {
  assert.equal(await spool.append(event('a')), 'accepted');
  assert.equal(await spool.append(event('a')), 'known');
  const both = await Promise.all([spool.append(event('b')), spool.append(event('b'))]);
  assert.deepEqual(both, ['accepted', 'known']);
  await die();
  assert.equal(await spool.append(event('a')), 'known');
  assert.deepEqual(await drain(), ['a', 'b']);
  await spool.close();
  assert.deepEqual(segments(), []);
  spool = await open();
  assert.equal(await spool.append(event('b')), 'known');
  assert.equal(await spool.next(), undefined);
});

test('sessions do not wait for one another, but each keeps its order', async () => {
  for (const id of ['a1', 'a2', 'b1', 'b2', 'c1']) await spool.append(event(id, id.slice(0, 1)));
  const a1 = await take();
  const b1 = await take();
  const c1 = await take();
  assert.deepEqual(
    [a1, b1, c1].map(({ event: { id } }) => id),
    ['spooled-a1', 'spooled-b1', 'spooled-c1'],
  );
  assert.equal(await spool.next(), undefined);
  await spool.done(b1.position);
  await spool.done(c1.position);
  assert.equal((await take()).event.id, 'spooled-b2');
  await die();
  assert.deepEqual(await drain(), ['a1', 'a2', 'b2']);
});

test('a try is counted before processing begins, so an event that kills the daemon is known at its third', async () => {
  await spool.append(event('bad'));
  await spool.append(event('good', 's2'));
  for (const tries of [0, 1, 2]) {
    assert.equal((await take()).tries, tries);
    await die();
  }
  const { event: bad, tries, position } = await take();
  assert.equal(tries, 3);
  await spool.setAside(bad, 'processing ended the daemon three times');
  await spool.done(position);
  assert.deepEqual(await drain(), ['good']);
  assert.equal(spool.status().setAside, 1);
  await die();
  assert.equal(spool.status().setAside, 1);
  const [entry] = await spool.quarantined();
  assert.deepEqual(
    [entry?.id, entry?.reason, entry?.event],
    ['spooled-bad', 'processing ended the daemon three times', bad],
  );
  assert.deepEqual(readdirSync(places.setAside), ['spooled-bad.json']);
});

test('an event that is given back is delivered again and its try does not count', async () => {
  await spool.append(event('a'));
  for (const _ of numbers(5)) await spool.giveBack((await take()).position);
  assert.equal((await take()).tries, 0);
});

test('a quarantined event can be tried again or deleted', async () => {
  for (const id of ['a', 'b']) {
    await spool.append(event(id));
    const { event: bad, position } = await take();
    await spool.setAside(bad, 'no');
    await spool.done(position);
  }
  assert.equal(await spool.restore('spooled-a'), true);
  assert.equal(await spool.restore('spooled-a'), false);
  await spool.discard('spooled-b');
  assert.equal(spool.status().setAside, 0);
  assert.deepEqual(readdirSync(places.setAside), []);
  const { event: again, tries } = await take();
  assert.deepEqual([again, tries], [event('a'), 0]);
});

test('a draft of a killed hook is removed from the inbox, a draft being written stays', async () => {
  const [old, young] = ['1-a.json.tmp', '2-b.json.tmp'].map((name) => join(places.inbox, name));
  for (const path of [old, young]) writeFileSync(path ?? '', '{"half":');
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(old ?? '', longAgo, longAgo);
  assert.equal(await spool.drainInbox(), 0);
  assert.deepEqual(readdirSync(places.inbox), ['2-b.json.tmp']);
});

test('a full segment is followed by a new one and deleted when all its events are done', async () => {
  await spool.close();
  spool = await open({ segmentBytes: 2000 });
  await Promise.all(numbers(100).map((id) => spool.append(event(id))));
  assert.ok(segments().length > 5);
  for (const _ of numbers(50)) await spool.done((await take()).position);
  const left = segments();
  await die({ segmentBytes: 2000 });
  assert.equal(spool.status().depth, 50);
  assert.deepEqual(await drain(), numbers(100).slice(50));
  assert.ok(segments().length < left.length);
  await spool.sweep();
  assert.deepEqual(segments(), []);
  assert.doesNotMatch(readFileSync(join(places.spool, 'cursor.jsonl'), 'utf8'), /prompt of/);
  assert.equal(await spool.append(event('7')), 'known');
  await spool.append(event('new'));
  await die({ segmentBytes: 2000 });
  assert.deepEqual(await drain(), ['new']);
});

test('a line cut off by a crash was never acknowledged and is dropped', async () => {
  await spool.append(event('a'));
  const [segment = ''] = segments();
  const path = join(places.spool, segment);
  const whole = readFileSync(path);
  for (const cut of [1, 10, 60, whole.length - 1]) {
    writeFileSync(path, Buffer.concat([whole, whole.subarray(0, cut)]));
    await die();
    assert.equal(statSync(path).size, whole.length);
  }
  await spool.append(event('b'));
  assert.deepEqual(await drain(), ['a', 'b']);
  assert.deepEqual(problems, []);
});

test('a damaged line is quarantined with its position, and the others are delivered', async () => {
  for (const id of ['a', 'b', 'c']) await spool.append(event(id));
  const [segment = ''] = segments();
  const path = join(places.spool, segment);
  writeFileSync(path, readFileSync(path, 'utf8').replace('prompt of b', 'prompt 0f b'));
  await die();
  assert.deepEqual(await drain(), ['a', 'c']);
  assert.equal(spool.status().depth, 0);
  assert.deepEqual(
    problems.map(({ file, reason }) => [file, /damaged/.test(reason)]),
    [[path, true]],
  );
  assert.match((await spool.quarantined())[0]?.raw ?? '', /prompt 0f b/);
});

test('without a cursor the spool delivers the stored events again', async () => {
  for (const id of numbers(5)) await spool.append(event(id));
  await spool.done((await take()).position);
  for (const broken of ['', '{"segment":', '{"segment":-1,"offset":"x"}', 'null']) {
    writeFileSync(join(places.spool, 'cursor.jsonl'), broken);
    await die();
    assert.equal(spool.status().depth, 5);
  }
  assert.deepEqual(await drain(), numbers(5));
});

test('a stale cursor into a segment that was deleted skips no new event', async () => {
  for (const id of numbers(3)) await spool.append(event(id));
  await spool.done((await take()).position);
  const stale = readFileSync(join(places.spool, 'cursor.jsonl')); // not synced: a power cut may bring it back
  await drain();
  await spool.close();
  writeFileSync(join(places.spool, 'cursor.jsonl'), stale);
  spool = await open();
  const later = ['later-1', 'later-2', 'later-3'];
  for (const id of later) await spool.append(event(id));
  assert.deepEqual(await drain(), later);
  assert.deepEqual(problems, []);
});

test('a cursor beyond the end of its segment delivers the segment again', async () => {
  for (const id of numbers(2)) await spool.append(event(id));
  writeFileSync(join(places.spool, 'cursor.jsonl'), '{"segment":1,"offset":99999,"done":[],"tries":{}}\n');
  await die();
  assert.deepEqual(await drain(), numbers(2));
  assert.deepEqual(problems, []);
});

test('the events of the inbox are accepted once, in the order of their names', async () => {
  const names = ['0003-x', '0001-x', '0002-x'];
  for (const name of names) writeFileSync(join(places.inbox, `${name}.json`), JSON.stringify(event(name)));
  writeFileSync(join(places.inbox, '.half-written.json'), '{');
  await spool.append(event('0002-x'));
  assert.equal(await spool.drainInbox(), 3);
  assert.equal(await spool.drainInbox(), 0);
  assert.deepEqual(readdirSync(places.inbox), ['.half-written.json']);
  assert.deepEqual(await drain(), ['0002-x', '0001-x', '0003-x']);
  writeFileSync(join(places.inbox, '0001-x.json'), JSON.stringify(event('0001-x')));
  await die();
  assert.equal(await spool.drainInbox(), 1);
  assert.equal(await spool.next(), undefined);
});

test('a file in the inbox that is not an event is quarantined with the reason', async () => {
  writeFileSync(join(places.inbox, '1-broken.json'), '{"id":');
  writeFileSync(join(places.inbox, '2-foreign.json'), JSON.stringify({ hello: 'there' }));
  writeFileSync(
    join(places.inbox, '3-escaping.json'),
    JSON.stringify({ ...event('x'), id: '../../../escaped' }),
  );
  mkdirSync(join(places.inbox, '4-folder.json'));
  writeFileSync(join(places.inbox, '5-good.json'), JSON.stringify(event('good')));
  assert.equal(await spool.drainInbox(), 1);
  assert.deepEqual(readdirSync(places.inbox), []);
  assert.equal(spool.status().setAside, 4);
  const entries = await spool.quarantined();
  assert.deepEqual(
    entries.map(({ id }) => id),
    ['1-broken', '2-foreign', '3-escaping', '4-folder'],
  );
  assert.ok(
    entries.every(
      ({ reason, file }) => reason.length > 0 && readdirSync(places.setAside).includes(file ?? ''),
    ),
  );
  assert.deepEqual(await drain(), ['good']);
});

test('an id that cannot be a file name is refused', async () => {
  await assert.rejects(spool.append({ ...event('a'), id: '../../../../tmp/x' }), { code: 'bad-event' });
  assert.equal(spool.status().depth, 0);
});

test(
  'everything is for its owner only, also under a loose umask',
  { skip: process.platform === 'win32' },
  async () => {
    const umask = process.umask(0);
    try {
      await spool.append(event('a'));
      const { event: bad, position } = await take();
      await spool.setAside(bad, 'no');
      await spool.done(position);
      for (const entry of readdirSync(places.spool, { withFileTypes: true, recursive: true })) {
        const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
        assert.equal(mode, entry.isDirectory() ? 0o700 : 0o600, entry.name);
      }
    } finally {
      process.umask(umask);
    }
  },
);

test('events can be appended while others are delivered and segments are deleted', async () => {
  await spool.close();
  spool = await open({ segmentBytes: 5000 });
  const seen: string[] = [];
  const lanes = [0, 1, 2, 3].map(async (lane) => {
    for (let i = 0; i < 100; i++) await spool.append(event(`lane${lane}-${i}`, `s${lane}`));
  });
  const appended = Promise.all(lanes).then(() => true);
  let isOver = false;
  while (!isOver || spool.status().depth > 0) {
    seen.push(...(await drain()));
    isOver ||= await Promise.race([appended, spool.drainInbox().then(() => false)]);
  }
  assert.equal(new Set(seen).size, 400);
  assert.equal(seen.length, 400);
  for (const lane of [0, 1, 2, 3]) {
    const own = seen.filter((id) => id.startsWith(`lane${lane}-`));
    assert.deepEqual(
      own,
      numbers(100).map((i) => `lane${lane}-${i}`),
    );
  }
});

test('text added below the last line does no harm', async () => {
  await spool.append(event('a'));
  const [segment = ''] = segments();
  appendFileSync(join(places.spool, segment), 'a note\n');
  await die();
  assert.deepEqual(await drain(), ['a']);
});
