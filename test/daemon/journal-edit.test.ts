/** A person edits the files of memories while the daemon runs: search follows, nothing comes back, nothing is lost. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { filesOf, memoryFolder } from '../support/damage.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { waitFor } from '../support/wait-for.ts';
import { deliverAll, makeHistory, takeIn, type History } from './_history.ts';

interface Hit {
  readonly memory: { readonly id: string; readonly title: string; readonly body: string };
}

test('an edited entry is found, keeps its id, and is never overwritten by a replay', async (t) => {
  const { machine, history, day } = await workedIn(t);
  const [before] = await search(machine, 'refresh tokens');
  edit(day, (text) => text.replaceAll(/rotate refresh tokens/gi, 'recycle zebra tokens'));
  const found = await waitFor('the new words to be found', async () => (await search(machine, 'zebra'))[0], {
    explain: () => machine.logs() + readFileSync(day, 'utf8'),
  });
  assert.equal(found.memory.id, before?.memory.id);
  assert.match(found.memory.title, /recycle zebra tokens/i);
  const [change, ...others] = await machine.call('read.changes', { limit: 10 });
  assert.deepEqual([change?.how, change?.before?.title], ['edited', before?.memory.title]);
  const text = readFileSync(day, 'utf8');
  await replay(machine, history);
  await machine.ask('reindex');
  assert.equal(readFileSync(day, 'utf8'), text);
  assert.deepEqual(await machine.call('read.changes', { limit: 10 }), [change, ...others]);
});

test('an entry deleted by hand is no longer found, and no replay, import or rebuild restores it', async (t) => {
  const { machine, history, day } = await workedIn(t);
  const [hit] = await search(machine, 'refresh tokens');
  const id = hit?.memory.id ?? '';
  edit(day, (text) => withoutEntry(text, id));
  const gone = async () => !(await search(machine, 'refresh tokens')).some(({ memory }) => memory.id === id);
  await waitFor('it to be gone', gone);
  await replay(machine, history);
  await machine.ask('import', 'history');
  await machine.ask('reindex');
  assert.ok(await gone());
  assert.equal(readFileSync(day, 'utf8').includes(id), false);
});

test('an entry that comes back, as after a stash, is found again', async (t) => {
  const { machine, day } = await workedIn(t);
  const [hit] = await search(machine, 'refresh tokens');
  const id = hit?.memory.id ?? '';
  const whole = readFileSync(day, 'utf8');
  const there = async () => (await search(machine, 'refresh tokens')).some(({ memory }) => memory.id === id);
  edit(day, (text) => withoutEntry(text, id));
  await waitFor('it to be gone', async () => !(await there()));
  edit(day, () => whole);
  await waitFor('it to be back', there);
});

test('an entry written by hand is found under a permanent id', async (t) => {
  const { machine, history, day } = await workedIn(t);
  edit(
    day,
    (text) =>
      `${text.trimEnd()}\n\n### 17:05 decision · Never deploy on a walrus day\n\nThe walrus was asleep.\n`,
  );
  const found = await waitFor('it to be found', async () => (await search(machine, 'walrus'))[0]);
  assert.equal(readFileSync(day, 'utf8').includes(found.memory.id), false, 'not while the person is at it');
  await machine.call('sweep', { now: new Date(Date.now() + 60_000).toISOString() });
  assert.ok(readFileSync(day, 'utf8').includes(found.memory.id), 'its id is written once the editor rests');
  edit(day, (text) => text.replace('on a walrus day', 'on a long walrus day'));
  const again = await waitFor('the edit to be found', async () => {
    const [hit] = await search(machine, 'walrus');
    return hit?.memory.title.includes('long') ? hit : undefined;
  });
  assert.equal(again.memory.id, found.memory.id);
  await replay(machine, history);
  assert.match(readFileSync(day, 'utf8'), /long walrus day/);
});

test('a file written by hand in a new project folder is found, and a deleted file is forgotten', async (t) => {
  const { machine, day } = await workedIn(t);
  const garden = join(memoryFolder(machine), 'garden-abc123');
  const file = join(garden, '2026-04-01.md');
  mkdirSync(garden);
  writeFileSync(
    file,
    '# 2026-04-01\n\n### 08:00 discovery · Tulips like cold winters\n\nThey need weeks of frost.\n',
  );
  await waitFor('it to be found', async () => (await search(machine, 'tulips frost')).length > 0);
  rmSync(garden, { recursive: true });
  await waitFor('it to be gone', async () => (await search(machine, 'tulips frost')).length === 0);
  assert.ok(readFileSync(day, 'utf8').length > 0);
});

test('a merge conflict loses nothing, and doctor shows file and line', async (t) => {
  const { machine, history, day } = await workedIn(t);
  const before = (await memoriesOf(machine)).length;
  edit(day, (text) => {
    const lines = text.trimEnd().split('\n');
    const at = lines.findLastIndex((line) => line.startsWith('### '));
    const entry = lines.slice(at);
    const theirs = entry.map((line) => line.replace('cents', 'pennies'));
    return [...lines.slice(0, at), '<<<<<<< HEAD', ...entry, '=======', ...theirs, '>>>>>>> other', ''].join(
      '\n',
    );
  });
  const line = readFileSync(day, 'utf8').split('\n').indexOf('<<<<<<< HEAD') + 1;
  const name = day.slice(memoryFolder(machine).length + 1);
  const told = async () => (await machine.ask('doctor')).stdout;
  await waitFor('doctor to tell', async () => (await told()).includes(`${name}:${line}`), {
    explain: () => machine.logs(),
  });
  const text = readFileSync(day, 'utf8');
  await replay(machine, history);
  assert.ok(readFileSync(day, 'utf8').startsWith(text), 'what is in conflict is not touched');
  edit(day, (now) => now.replace('<<<<<<< HEAD\n', '').replace(/=======\n[^]*>>>>>>> other\n/, ''));
  await waitFor('doctor to be content', async () => !(await told()).includes(`${name}:${line}`));
  assert.equal((await memoriesOf(machine)).length, before);
});

async function workedIn(t: TestContext): Promise<{ machine: Machine; history: History; day: string }> {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const isOfTokens = (path: string): boolean => /rotate refresh tokens/i.test(readFileSync(path, 'utf8'));
  return { machine, history, day: filesOf(machine, 'memories').find(isOfTokens) ?? '' };
}

async function search(machine: Machine, query: string): Promise<readonly Hit[]> {
  return (await machine.json<{ hits: readonly Hit[] }>('search', query, '--all')).hits;
}

/** As an editor saves: the whole file at once. */
function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  assert.notEqual(after, before, 'the edit changes something');
  writeFileSync(file, after);
}

/** Its heading and everything up to the next. */
function withoutEntry(text: string, id: string): string {
  const parts = text.split(/^(?=### |## )/m);
  return parts.filter((part) => !part.includes(`tidemark ${id}`)).join('');
}

function replay(machine: Machine, { events }: History): Promise<void> {
  return deliverAll(machine, events);
}
