/** Forgotten memories and turns of a pause do not come back by replay, import or rebuild. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { isAnywhereIn, leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored, titled } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { deliverAll, makeHistory, takeIn } from './_history.ts';

test('a forgotten memory is hidden everywhere, and neither replay, import, rebuild nor restart restores it', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  const word = 'quokkaberry'; // part of one turn only
  const transcript = sessionWith(machine, 'forget', [
    { prompt: `We decided to call the service ${word} because nobody else does.`, answer: 'Renamed.' },
    { prompt: 'We decided to log to files because the console is lost.', answer: 'Logging to files.' },
  ]);
  await takeIn(machine, history);
  await machine.deliver('SessionEnd', endOf(transcript));
  await machine.drained();
  const found = await titled(machine, word);
  assert.equal(found.length, 1);
  const id = found[0]?.id ?? '';

  assert.equal((await machine.ask('forget', id)).code, 0);
  await isHidden('at once');
  const { forgotten } = await stored(machine);
  assert.deepEqual(
    forgotten.map(({ memory }) => memory),
    [id],
  );
  assert.equal(JSON.stringify(forgotten).includes(word), false, 'the record of it holds no text');

  for (const again of ['replay', 'import', 'reindex', 'restart']) {
    if (again === 'replay') {
      await machine.deliver('SessionEnd', endOf(transcript));
      await deliverAll(machine, history.events);
    }
    if (again === 'import') await machine.ask('import', 'history');
    if (again === 'reindex') await machine.ask('reindex');
    if (again === 'restart') await machine.stopDaemon();
    await machine.drained();
    await isHidden(again);
  }

  async function isHidden(when: string): Promise<void> {
    assert.equal(JSON.stringify(await memoriesOf(machine)).includes(word), false, when);
    const { hits } = await machine.json<{ hits: unknown[] }>('search', word, '--all');
    assert.deepEqual(hits, [], when);
    assert.equal((await machine.ask('show', id)).code, 3, when);
    assert.equal((await machine.ask('brief')).stdout.includes(word), false, when);
  }
});

test('a forgotten memory is listed and can be restored after a restart and a reindex', async (t) => {
  const machine = Machine.open(t);
  const transcript = sessionWith(machine, 'trash', [
    { prompt: 'We decided to keep invoices for ten years because the law says so.', answer: 'Noted.' },
  ]);
  await machine.up();
  await machine.deliver('SessionEnd', endOf(transcript));
  await machine.drained();
  const before = await memoriesOf(machine);
  const id = before[0]?.id ?? '';
  const short = shortId(id);
  assert.equal((await machine.ask('forget', id)).code, 0);
  await machine.stopDaemon();
  assert.equal((await machine.ask('reindex')).code, 0);
  const { stdout } = await machine.ask('forget', '--list');
  assert.match(stdout, new RegExp(`^${short}  .*invoices.*erased in 24 h$`, 'm'));
  assert.equal((await machine.json<unknown[]>('forget', '--list')).length, 1);
  assert.equal((await machine.ask('forget', '--undo')).code, 2);
  const restored = await machine.ask('forget', '--undo', short);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(await memoriesOf(machine), before);
  assert.match((await machine.ask('transcript', id)).stdout, /invoices for ten years/);
  assert.match((await machine.ask('forget', '--list')).stderr, /Nothing can be restored/);
});

test('forget --now removes the memory from every file', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const word = 'numbatfruit';
  const { id } = await machine.json<{ id: string }>('remember', `We keep the ${word} cold.`);
  assert.ok(isAnywhereIn(machine.places.home, word));
  assert.equal((await machine.ask('forget', id, '--now')).code, 0);
  assert.deepEqual(leaksIn(machine.places.home, [{ name: word, text: word }]), []);
});

test('turns of a pause are never stored, not even by an import; others are', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const transcript = sessionWith(machine, 'pause', []);
  const say = (word: string) =>
    transcript.append({
      prompt: `We decided to keep the ${word} cache because it is small.`,
      answer: 'Kept.',
      at: new Date().toISOString(),
    });
  const stop = () => machine.deliver('Stop', { ...endOf(transcript), last_assistant_message: 'Kept.' });
  await machine.deliver('SessionStart', { ...endOf(transcript), source: 'startup' });
  say('first');
  await stop();
  await machine.drained();
  assert.equal((await machine.ask('pause')).code, 0);
  say('second');
  await stop();
  await machine.drained();
  assert.equal((await machine.ask('resume')).code, 0);
  say('third');
  transcript.finish();
  await stop();
  await machine.deliver('SessionEnd', endOf(transcript));
  await machine.drained();
  await machine.ask('import', 'history');
  await machine.ask('reindex');
  const { turns } = await stored(machine);
  assert.deepEqual(
    turns.map(({ prompt }) => /the (\w+) cache/.exec(prompt)?.[1]),
    ['first', 'third'],
  );
  assert.deepEqual(leaksIn(machine.places.home, [{ name: 'second', text: 'the second cache' }]), []);
});

test('a project with .tidemark-ignore is never captured', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  writeFileSync(join(machine.project, '.tidemark-ignore'), '');
  const transcript = sessionWith(machine, 'ignored', [
    { prompt: 'We decided to keep the wallabee cache because it is small.', answer: 'Kept.' },
  ]);
  await machine.deliver('SessionStart', { ...endOf(transcript), source: 'startup' });
  await machine.deliver('SessionEnd', endOf(transcript));
  await machine.drained();
  await machine.ask('import', 'history');
  assert.deepEqual(leaksIn(machine.places.home, [{ name: 'wallabee', text: 'wallabee' }]), []);
});

function sessionWith(
  machine: Machine,
  name: string,
  turns: readonly { readonly prompt: string; readonly answer: string }[],
): SyntheticTranscript {
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid(name),
  });
  for (const turn of turns) transcript.append(turn);
  if (turns.length > 0) transcript.finish();
  return transcript;
}

function endOf({ session, path }: SyntheticTranscript) {
  return { session_id: session, transcript_path: path, reason: 'other' };
}
