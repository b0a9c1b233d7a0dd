import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runChild } from '../../../test/support/child-process.ts';
import { placesIn } from '../../core/index.ts';
import type { StoreProblem } from '../../files/index.ts';
import { Spool } from './spool.ts';

const ROUNDS = 20;

let root: string;
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-spool-crash-'));
});
after(() => rmSync(root, { recursive: true, force: true }));

const SMALL_SEGMENTS = 20_000;

const child = (home: string, body: string, before: readonly string[] = [], segmentBytes = SMALL_SEGMENTS) =>
  runChild(
    `
      import { Spool } from '${import.meta.dirname}/spool.ts';
      import { placesIn } from '${import.meta.dirname}/../../core/index.ts';
      const spool = await Spool.open(placesIn(${JSON.stringify(home)}), { segmentBytes: ${segmentBytes} });
      const event = (id, session, size = 10) => ({
        id, at: new Date().toISOString(), agent: 'claude-code',
        input: { session_id: session, hook_event_name: 'Stop', prompt: 'x'.repeat(size) },
      });
      ${body}
    `,
    before,
  );

async function deliverAll(home: string, problems: StoreProblem[]): Promise<string[]> {
  const spool = await Spool.open(placesIn(home), { report: (problem) => problems.push(problem) });
  const ids: string[] = [];
  for (let next = await spool.next(); next; next = await spool.next()) {
    ids.push(next.event.id);
    await spool.done(next.position);
  }
  await spool.close();
  return ids;
}

test(`killed ${ROUNDS} times while accepting, the spool has every acknowledged event once, in order`, async () => {
  const home = join(root, 'accepting');
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const {
      process: killed,
      lines,
      exited,
    } = child(
      home,
      `
        await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(async (lane) => {
          for (let i = 0; ; i++) {
            const id = ['round${round}', lane, String(i).padStart(5, '0')].join('-');
            await spool.append(event(id, 's' + lane, (i * 37) % 3000));
            console.log(id);
          }
        }));
      `,
    );
    let left = 1 + Math.floor(Math.random() * 120);
    for await (const id of lines) {
      acknowledged.push(id);
      if (--left === 0) killed.kill('SIGKILL');
    }
    assert.equal((await exited).signal, 'SIGKILL');
  }
  const problems: StoreProblem[] = [];
  const delivered = await deliverAll(home, problems);
  assert.deepEqual(problems, []);
  assert.equal(new Set(delivered).size, delivered.length);
  const there = new Set(delivered);
  assert.deepEqual(
    acknowledged.filter((id) => !there.has(id)),
    [],
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (let lane = 0; lane < 8; lane++) {
      const own = delivered.filter((id) => id.startsWith(`round${round}-${lane}-`));
      assert.deepEqual(own, own.toSorted());
    }
  }
});

test('killed repeatedly while processing, the spool delivers every event and none that was done', async () => {
  const home = join(root, 'processing');
  const all = Array.from({ length: 400 }, (_, i) => `event-${String(i).padStart(5, '0')}`);
  const spool = await Spool.open(placesIn(home), { segmentBytes: SMALL_SEGMENTS });
  await Promise.all(
    all.map((id, i) =>
      spool.append({
        id,
        at: new Date().toISOString(),
        agent: 'claude-code',
        input: { session_id: `s${i % 5}`, hook_event_name: 'Stop', prompt: 'x'.repeat((i * 37) % 3000) },
      }),
    ),
  );
  await spool.close();
  const done: string[] = [];
  for (let isOver = false; !isOver;) {
    const {
      process: killed,
      lines,
      exited,
    } = child(
      home,
      `
        for (let next = await spool.next(); next; next = await spool.next()) {
          await spool.done(next.position);
          // Waits for the write: a kill discards lines that are still queued in the process.
          await new Promise((written) => process.stdout.write(next.event.id + '\\n', written));
        }
        console.log('over');
      `,
    );
    let left = 20 + Math.floor(Math.random() * 60);
    for await (const id of lines) {
      if (id === 'over') isOver = true;
      else done.push(id);
      if (--left === 0) killed.kill('SIGKILL');
    }
    await exited;
  }
  assert.equal(new Set(done).size, done.length);
  // One event per kill may have been processed without being marked as done.
  assert.ok(done.length >= all.length - 20, `${done.length} of ${all.length}`);
  assert.deepEqual(await deliverAll(home, []), []);
});

test('a backlog larger than the available memory is processed', async () => {
  const home = join(root, 'backlog');
  const { lines, exited } = child(
    home,
    `
      let accepted = 0;
      while (accepted < 30000) {
        await Promise.all(Array.from({ length: 500 }, () => spool.append(event('backlog-' + accepted++, 's' + accepted % 50, 2000))));
      }
      const again = await Spool.open(placesIn(${JSON.stringify(home)}));
      console.log(again.status().depth);
      let delivered = 0;
      for (let next = await again.next(); next; next = await again.next()) {
        if (next.event.id === 'backlog-' + delivered) delivered++;
        void again.done(next.position);
      }
      console.log(delivered);
      process.exit();
    `,
    ['/usr/bin/env', 'NODE_OPTIONS=--max-old-space-size=48 --max-semi-space-size=2'],
    8 * 1024 * 1024,
  );
  const said: string[] = [];
  for await (const line of lines) said.push(line);
  assert.deepEqual(said, ['30000', '30000'], (await exited).stderr);
});

const hasPrlimit = process.platform === 'linux' && existsSync('/usr/bin/prlimit');

test(
  'a full disk acknowledges nothing, and accepting goes on when there is room',
  { skip: !hasPrlimit },
  async () => {
    const home = join(root, 'full');
    const {
      process: limited,
      lines,
      exited,
    } = child(
      home,
      `
      import { createInterface } from 'node:readline';
      for await (const id of createInterface(process.stdin)) {
        console.log(await spool.append(event(id, 's', 2000)).catch((error) => error.code));
      }
    `,
      ['/usr/bin/prlimit', '--fsize=5000:unlimited'],
    );
    const say = async (id: string): Promise<unknown> => {
      limited.stdin?.write(`${id}\n`);
      return (await lines.next()).value;
    };
    assert.equal(await say('event-0001'), 'accepted');
    assert.equal(await say('event-0002'), 'accepted');
    assert.equal(await say('event-0003'), 'disk-full');
    execFileSync('/usr/bin/prlimit', ['--pid', String(limited.pid), '--fsize=unlimited']);
    assert.equal(await say('event-0004'), 'accepted');
    assert.equal(await say('event-0003'), 'accepted');
    limited.kill('SIGKILL');
    await exited;
    const problems: StoreProblem[] = [];
    assert.deepEqual(await deliverAll(home, problems), [
      'event-0001',
      'event-0002',
      'event-0004',
      'event-0003',
    ]);
    assert.deepEqual(problems, []);
  },
);
