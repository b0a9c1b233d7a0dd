/**
 * Files that a cloned repository or a hook's input can point the daemon at: pipes, devices, folders, files without end.
 * None of them stops capture, neither in that project nor in another one.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

/** A daemon at work takes about 150 MB. */
const MOST_MB = 512;
const GIGABYTE = 1024 ** 3;
/** A daemon that hangs answers never; this only ends the test. */
const HANGS_MS = 60_000;
/** Pipes and devices under these names, and memory by process. */
const ON_LINUX = { skip: process.platform !== 'linux' };

const HOSTILE: Readonly<Record<string, (path: string) => void>> = {
  'a link to /dev/zero': (path) => symlinkSync('/dev/zero', path),
  'a FIFO': (path) => void execFileSync('mkfifo', [path]),
  'a file of 1 GB': (path) => (writeFileSync(path, ''), truncateSync(path, GIGABYTE)),
  'a folder': (path) => void mkdirSync(path),
};

for (const [kind, make] of Object.entries(HOSTILE)) {
  test(`.tidemark.json as ${kind} stops capture nowhere, and doctor names it`, ON_LINUX, async (t) => {
    const machine = Machine.open(t);
    const { other, guarded } = await prepare(t, machine);
    make(join(machine.project, '.tidemark.json'));
    await guarded(
      runSession(machine, machine.project, 'hostile', 'We decided to use Redis because it is fast.'),
    );
    await guarded(runSession(machine, other, 'other', 'We decided to use Postgres because it is safe.'));
    await guarded(waitForMemories(machine, ['Redis', 'Postgres']));
    const { waiting, setAside } = await guarded(machine.drained());
    assert.deepEqual([waiting, setAside], [0, []]);
    const { stdout } = await guarded(machine.cli(['doctor']));
    assert.match(stdout, /settings .*\.tidemark\.json.*(?:is not a regular file|is larger than 64 KB)/);
  });
}

/** Regular files by their mode, without an end or without an answer. Some can be read by the superuser only. */
const OF_THE_KERNEL = ['/proc/kmsg', '/proc/self/pagemap', '/proc/self/mem', '/sys/kernel/uevent_seqnum'];

for (const file of OF_THE_KERNEL) {
  test(`a transcript that is ${file} stalls neither the queue nor a stop`, ON_LINUX, async (t) => {
    const machine = Machine.open(t);
    const { other, guarded } = await prepare(t, machine);
    const transcript_path = join(machine.root, 'transcript.jsonl');
    symlinkSync(file, transcript_path);
    const prompt = 'We decided to use Redis because it is fast.';
    await guarded(runSession(machine, machine.project, 'hostile', prompt, { transcript_path }));
    await guarded(runSession(machine, other, 'other', 'We decided to use Postgres because it is safe.'));
    await guarded(waitForMemories(machine, ['Redis', 'Postgres']));
    const { waiting } = await guarded(machine.drained());
    assert.equal(waiting, 0);
    await guarded(machine.stopDaemon());
  });
}

for (const [kind, make] of Object.entries({
  'a FIFO': HOSTILE['a FIFO']!,
  'a link to /dev/zero': HOSTILE['a link to /dev/zero']!,
  'a folder': HOSTILE['a folder']!,
})) {
  test(
    `a transcript that is ${kind} counts as none: the turn is kept from the events`,
    ON_LINUX,
    async (t) => {
      const machine = Machine.open(t);
      const { other, guarded } = await prepare(t, machine);
      const transcript_path = join(machine.root, 'transcript.jsonl');
      make(transcript_path);
      const prompt = 'We decided to use Redis because it is fast.';
      await guarded(runSession(machine, machine.project, 'hostile', prompt, { transcript_path }));
      await guarded(runSession(machine, other, 'other', 'We decided to use Postgres because it is safe.'));
      await guarded(waitForMemories(machine, ['Redis', 'Postgres']));
      const { waiting } = await guarded(machine.drained());
      assert.equal(waiting, 0);
    },
  );
}

test('a transcript without end is set aside, and the rest of the queue is processed', ON_LINUX, async (t) => {
  const machine = Machine.open(t);
  const { other, guarded } = await prepare(t, machine);
  const transcript_path = join(machine.root, 'transcript.jsonl');
  writeFileSync(transcript_path, '');
  truncateSync(transcript_path, 8192 * GIGABYTE);
  await guarded(runSession(machine, machine.project, 'hostile', 'Say hello.', { transcript_path }));
  await guarded(runSession(machine, other, 'other', 'We decided to use Postgres because it is safe.'));
  await guarded(waitForMemories(machine, ['Postgres']));
  const { setAside } = await guarded(machine.drained());
  assert.ok(setAside.length > 0);
  for (const { reason } of setAside) assert.match(reason, /transcript\.jsonl is larger than/);
});

test('files of git that are pipes or without end do not stop capture', ON_LINUX, async (t) => {
  const machine = Machine.open(t);
  const { guarded } = await prepare(t, machine);
  const git = join(machine.project, '.git');
  for (const folder of ['objects', 'logs']) mkdirSync(join(git, folder), { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  HOSTILE['a file of 1 GB']!(join(git, 'config'));
  HOSTILE['a FIFO']!(join(git, 'packed-refs'));
  HOSTILE['a link to /dev/zero']!(join(git, 'logs', 'HEAD'));
  HOSTILE['a FIFO']!(join(machine.project, '.gitattributes'));
  await guarded(runSession(machine, machine.project, 'git', 'We decided to use Redis because it is fast.'));
  await guarded(waitForMemories(machine, ['Redis']));
});

/** `guarded` rejects when the daemon takes too much memory or hangs, and ends a daemon that does. */
async function prepare(t: TestContext, machine: Machine) {
  const other = join(machine.root, 'other');
  mkdirSync(other);
  await machine.up();
  const over = new AbortController();
  t.after(() => over.abort());
  const watching = watchMemory(machine, over.signal);
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    const hangs = delay(HANGS_MS, undefined, { signal: over.signal, ref: false }).then(() => {
      throw new Error(`the daemon hangs\n${machine.logs()}`);
    });
    work.catch(() => {});
    hangs.catch(() => {});
    return Promise.race([work, hangs, watching]);
  };
  return { other, guarded };
}

/** Never resolves. Rejects once a daemon of this machine takes more memory than it may. */
async function watchMemory(machine: Machine, signal: AbortSignal): Promise<never> {
  const watching = (async () => {
    while (!signal.aborted) {
      for (const pid of machine.daemons()) {
        const peak = peakMb(pid);
        if (peak <= MOST_MB) continue;
        process.kill(pid, 'SIGKILL');
        throw new Error(`the daemon took ${peak} MB`);
      }
      await delay(20);
    }
    return new Promise<never>(() => {});
  })();
  watching.catch(() => {});
  return watching;
}

function peakMb(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
}

/** One turn by real hooks, from the start of the session to its end. */
async function runSession(
  machine: Machine,
  project: string,
  name: string,
  prompt: string,
  fields: { readonly transcript_path?: string } = {},
): Promise<void> {
  const session = { session_id: uuid(name), ...fields };
  const fire = async (hook: Parameters<Machine['hook']>[0], more: object) => {
    const { code, stderr } = await machine.hook(hook, { ...session, ...more }, { project });
    assert.deepEqual([code, stderr], [0, ''], hook);
  };
  await fire('SessionStart', { source: 'startup' });
  await fire('UserPromptSubmit', { prompt });
  await fire('Stop', { last_assistant_message: 'Done.' });
  await fire('SessionEnd', { reason: 'other' });
}

function waitForMemories(machine: Machine, words: readonly string[]): Promise<unknown> {
  let kept: readonly string[] = [];
  return waitFor(
    `memories of ${words.join(' and ')}`,
    async () => {
      kept = (await memoriesOf(machine)).map(({ title }) => title);
      return words.every((word) => kept.some((title) => title.includes(word)));
    },
    { explain: () => `${kept.join('\n')}\n${machine.logs()}` },
  );
}
