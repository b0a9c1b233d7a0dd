/** A disk that is full: hooks continue and report it once, acknowledged events wait, and capture continues by itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { stored, titled } from '../support/stored.ts';
import { inventedDecision, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

const DISK_MB = 12;
const SESSIONS = 30;
/** The free space with which events still arrive but the stores can no longer grow. */
const LITTLE_ROOM = 384 * 1024;

test(
  'on a full disk nothing acknowledged is lost, and nothing is set aside',
  { skip: cannotMount() },
  async (t) => {
    const disk = mkdtempSync(join(tmpdir(), 'dk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0700`, 'tmpfs', disk]);
    const machine = new Machine({ TIDEMARK_HOME: join(disk, 'data') });
    t.after(async () => {
      await machine.close();
      execFileSync('umount', ['-l', disk]); // lazily: the kernel may still be closing what the killed had open
      rmSync(disk, { recursive: true });
    });
    await machine.up();
    await say(machine, 'before');
    await machine.drained();

    const filler = join(machine.places.home, 'filler');
    fill(filler, LITTLE_ROOM);
    const acknowledged = ['before'];
    for (let i = 0; i < SESSIONS; i++) if (await say(machine, `full${i}`)) acknowledged.push(`full${i}`);
    fill(`${filler}-2`, 0);
    for (let i = 0; i < SESSIONS; i++) if (await say(machine, `fuller${i}`)) acknowledged.push(`fuller${i}`);

    const prompt = await machine.hook('UserPromptSubmit', {
      session_id: uuid('lost'),
      prompt: 'Hello there.',
    });
    assert.deepEqual([prompt.code, prompt.stdout], [0, ''], 'a hook goes on and is silent');
    // Whatever the daemon tidies away meanwhile makes room again, and a session that fits in is right to start.
    const fillers = [filler, `${filler}-2`];
    await waitFor('a session to get the notice', async () => {
      fillers.push(`${filler}-${fillers.length + 1}`);
      fill(fillers.at(-1) ?? '', 0);
      const session_id = uuid('told', fillers.length);
      const start = await machine.hook('SessionStart', { session_id, source: 'startup' });
      assert.equal(start.code, 0);
      return /"systemMessage":"[^"]*the disk is full/.test(start.stdout);
    });

    for (const file of fillers) rmSync(file);
    const status = await machine.drained();
    assert.deepEqual(status.setAside, [], machine.logs());
    assert.equal(status.waiting, 0);
    const { turns, memories } = await stored(machine);
    for (const { word } of acknowledged.map(inventedDecision)) {
      assert.ok(
        turns.some(({ prompt: text }) => text.includes(` ${word} `)),
        `the turn of ${word} is stored`,
      );
      assert.equal(
        memories.filter(({ title }) => title.includes(` ${word} `)).length,
        1,
        `the memory of ${word} is stored`,
      );
    }
    await say(machine, 'after');
    await machine.drained();
    assert.equal((await titled(machine, inventedDecision('after').word)).length, 1, 'it goes on');
    t.diagnostic(`${acknowledged.length} of ${2 * SESSIONS + 1} sessions were acknowledged`);
  },
);

/** A whole session without a transcript; whether every event of it was acknowledged. */
async function say(machine: Machine, name: string): Promise<boolean> {
  const session_id = uuid('disk', name);
  const prompt = inventedDecision(name).text;
  const answers = [
    await machine.deliver('UserPromptSubmit', { session_id, prompt, prompt_id: uuid(name) }),
    await machine.deliver('Stop', {
      session_id,
      last_assistant_message: `Done. ${'It is on disk. '.repeat(100)}`,
    }),
    await machine.deliver('SessionEnd', { session_id, reason: 'other' }),
  ];
  return answers.every(({ status }) => status === 200);
}

function fill(path: string, leave: number): void {
  const file = openSync(path, 'w', 0o600);
  const block = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  if (leave > 0) execFileSync('truncate', ['-s', `-${leave}`, path]);
}

function cannotMount(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'dk-'));
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return false;
  } catch {
    return 'a small disk cannot be mounted here';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
