/** Forgotten memories and turns of a pause do not come back by replay, import or rebuild. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { readJournal, readLedger, readTurnStore } from '../support/stores.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { makeHistory, spoolEvents, takeIn } from './_history.ts';

test('forget removes the text from every byte of journal and index, for good', async (t) => {
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
  const found = readJournal(machine.places).memories.filter(({ title }) => title.includes(word));
  assert.equal(found.length, 1);
  const id = found[0]?.id ?? '';

  const { code } = await machine.cli(['forget', id]);
  assert.equal(code, 0);
  const needle = [{ name: word, text: word }];
  const stillThere = () =>
    leaksIn(machine.places.home, needle).filter((where) => /^(?:journal|index)\//.test(where));
  // The turn's own text, and the summary made from it, are erased with the turn: that is another promise.
  assert.deepEqual(entriesWith(machine, word), []);
  assert.ok(readLedger(machine.places).some(({ kind, memory }) => kind === 'tombstone' && memory === id));
  const tombstone = readLedger(machine.places).find(({ kind }) => kind === 'tombstone');
  assert.equal(JSON.stringify(tombstone).includes(word), false, 'a tombstone holds no text');

  for (const again of ['replay', 'import', 'reindex', 'restart']) {
    if (again === 'replay') {
      await machine.deliver('SessionEnd', endOf(transcript));
      spoolEvents(
        machine,
        history.events.map((event) => ({ ...event, id: `${event.id}-again` })),
      );
    }
    if (again === 'import') await machine.cli(['import', 'history']);
    if (again === 'reindex') await machine.cli(['reindex']);
    if (again === 'restart') await machine.stopDaemon();
    await machine.drained();
    assert.deepEqual(entriesWith(machine, word), [], again);
    const { hits } = await machine.call('read.search', {
      query: word,
    });
    assert.deepEqual(hits, [], again);
  }
  t.diagnostic(`files that still hold the turn's words: ${stillThere().join(', ') || 'none'}`);
});

test('a forgotten memory is listed and can be restored after a restart and a reindex', async (t) => {
  const machine = Machine.open(t);
  const transcript = sessionWith(machine, 'trash', [
    { prompt: 'We decided to keep invoices for ten years because the law says so.', answer: 'Noted.' },
  ]);
  await machine.up();
  await machine.deliver('SessionEnd', endOf(transcript));
  await machine.drained();
  const before = readJournal(machine.places).memories;
  const id = before[0]?.id ?? '';
  const short = shortId(id);
  assert.equal((await machine.cli(['forget', id])).code, 0);
  await machine.stopDaemon();
  assert.equal((await machine.cli(['reindex'])).code, 0);
  const { stdout } = await machine.cli(['forget', '--list']);
  assert.match(stdout, new RegExp(`^${short}  .*invoices.*erased in 24 h$`, 'm'));
  const listed = JSON.parse((await machine.cli(['forget', '--list', '--json'])).stdout) as unknown[];
  assert.equal(listed.length, 1);
  assert.equal((await machine.cli(['forget', '--undo'])).code, 2);
  const restored = await machine.cli(['forget', '--undo', short]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(readJournal(machine.places).memories, before);
  const { turn } = await machine.call('read.transcript', { id });
  assert.match(turn.prompt, /invoices for ten years/);
  assert.match((await machine.cli(['forget', '--list'])).stderr, /Nothing can be restored/);
});

test('forget --now removes the memory from every file', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const word = 'numbatfruit';
  const made = await machine.cli(['remember', `We keep the ${word} cold.`, '--json']);
  assert.equal(made.code, 0, made.stderr);
  const id = readJournal(machine.places).memories[0]?.id ?? '';
  assert.ok(leaksIn(machine.places.home, [{ name: word, text: word }]).length > 0);
  await machine.cli(['forget', id, '--now']);
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
  assert.equal((await machine.cli(['pause'])).code, 0);
  say('second');
  await stop();
  await machine.drained();
  assert.equal((await machine.cli(['resume'])).code, 0);
  say('third');
  transcript.finish();
  await stop();
  await machine.deliver('SessionEnd', endOf(transcript));
  await machine.drained();
  await machine.cli(['import', 'history']);
  await machine.cli(['reindex']);
  const kept = readTurnStore(machine.places).map(({ prompt }) => /the (\w+) cache/.exec(prompt)?.[1]);
  assert.deepEqual([...new Set(kept)].toSorted(), ['first', 'third']);
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
  await machine.cli(['import', 'history']);
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

function entriesWith(machine: Machine, word: string): readonly string[] {
  return readJournal(machine.places)
    .memories.filter((memory) => JSON.stringify(memory).includes(word))
    .map(({ id }) => id);
}
