import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import type { Journal } from './journal.ts';

const DAY = 'acme-api/2026-11-15.md';
const head = sampleHead;
const memory = sampleMemory();

function text(journal: Journal, path = DAY): string {
  return readFileSync(join(journal.root, path), 'utf8');
}

function edit(journal: Journal, from: string | RegExp, to: string, path = DAY): void {
  const before = text(journal, path);
  const after = before.replace(from, to);
  assert.notEqual(after, before, 'the edit must change something');
  writeFileSync(join(journal.root, path), after);
}

test('written memories can be read, and the files are private', async (t) => {
  const journal = sampleJournal(t);
  const result = await journal.put([memory], [head]);
  assert.deepEqual(result.made, [memory.id]);
  assert.deepEqual(result.places, [{ id: memory.id, path: DAY, line: 6 }]);
  assert.deepEqual(journal.read(DAY).entries, [{ memory, line: 6, derived: false }]);
  assert.deepEqual(journal.read(DAY).sessions, [{ ...head, project: 'acme-api' }]);
  assert.equal(statSync(join(journal.root, DAY)).mode & 0o777, 0o600);
  assert.equal(statSync(join(journal.root, 'acme-api')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(journal.root, 'acme-api')), ['2026-11-15.md'], 'no temp file is left');
  assert.deepEqual(journal.files(), [{ path: DAY, project: 'acme-api', date: '2026-11-15', archive: false }]);
});

test('writing the same again does not change the file', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  const { mtimeNs, ino } = statSync(join(journal.root, DAY), { bigint: true });
  const result = await journal.put([memory], [head]);
  assert.deepEqual([result.made, result.updated, result.files], [[], [], []]);
  const now = statSync(join(journal.root, DAY), { bigint: true });
  assert.deepEqual([now.mtimeNs, now.ino], [mtimeNs, ino]);
});

test('new data replaces an unedited entry under the same id', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  const better = {
    ...memory,
    title: 'A better title',
    facts: [],
    provenance: { ...memory.provenance, by: 'model' },
  };
  assert.deepEqual((await journal.put([better], [head])).updated, [memory.id]);
  assert.deepEqual(
    journal.read(DAY).entries.map((entry) => entry.memory),
    [better],
  );
});

test('the user’s edit keeps its text, while state and links may still be set', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  edit(journal, 'decision · Refresh tokens rotate on every use', 'pattern · Tokens rotate');
  edit(journal, '- another', '- another one\n- and a third');
  const replaced = {
    ...memory,
    title: 'ignored',
    state: 'superseded' as const,
    supersededBy: '1nfkj80zqv09ef',
  };
  const result = await journal.put([replaced], [head]);
  assert.deepEqual(result.edited, [memory.id]);
  const [entry] = journal.read(DAY).entries;
  assert.deepEqual(entry?.memory, {
    ...memory,
    kind: 'pattern',
    title: 'Tokens rotate',
    facts: ['a fact', 'another one', 'and a third'],
    state: 'superseded',
    supersededBy: '1nfkj80zqv09ef',
  });
  assert.match(text(journal), /^### 14:32 pattern \(superseded\) · Tokens rotate$/m);
  await journal.put([memory], [head]);
  assert.equal(journal.read(DAY).entries[0]?.memory.state, 'current', 'a replay may take a state back');
});

test('white space and line ends changed by a formatter are not an edit', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  writeFileSync(join(journal.root, DAY), text(journal).replace(/-->\n/g, '-->\n\n').replace(/\n/g, '\r\n'));
  const result = await journal.put(
    [{ ...memory, title: 'Better' }, sampleMemory({ at: '2026-11-15T15:00:00Z', title: 'two' })],
    [],
  );
  assert.deepEqual([result.edited, result.updated], [[], [memory.id]]);
  assert.deepEqual(
    journal.read(DAY).entries.map((entry) => entry.memory.title),
    ['Better', 'two'],
  );
  assert.doesNotMatch(text(journal), /[^\r]\n/, 'the file keeps its line ends');
});

test('the user can change the state in the heading', async (t) => {
  const journal = sampleJournal(t);
  const issue = sampleMemory({ kind: 'issue', state: 'open' });
  await journal.put([issue], [head]);
  edit(journal, '14:32 issue ·', '14:32 issue (resolved) ·');
  assert.equal(journal.find(issue.id)?.memory.state, 'resolved');
  const before = text(journal);
  await journal.put([issue], [head]);
  assert.equal(text(journal), before);
  await journal.put([{ ...issue, body: 'more is known' }], [head]);
  assert.equal(journal.find(issue.id)?.memory.state, 'resolved');
  assert.equal(journal.find(issue.id)?.memory.body, 'more is known');
});

test('a state set by a verb survives distilling again', async (t) => {
  const journal = sampleJournal(t);
  const issue = sampleMemory({ kind: 'issue', state: 'open' });
  await journal.put([issue], [head]);
  assert.equal(
    await journal.setState(issue.id, { state: 'superseded', supersededBy: '1nfkj80zqv09ef' }),
    true,
  );
  await journal.put([issue], [head]);
  const found = journal.find(issue.id)?.memory;
  assert.deepEqual([found?.state, found?.supersededBy], ['superseded', '1nfkj80zqv09ef']);
  await journal.setState(issue.id, { state: 'open', supersededBy: '' });
  assert.deepEqual(journal.find(issue.id)?.memory, issue);
  assert.equal(await journal.setState('1nfkj80zqv09ef', { state: 'open' }), false);
});

test('a text set by a verb survives distilling again', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  assert.equal(await journal.update(memory.id, { title: 'Mine', reason: '', kind: 'preference' }), true);
  assert.deepEqual((await journal.put([memory], [head])).edited, [memory.id]);
  const { reason: _, ...rest } = memory;
  assert.deepEqual(journal.find(memory.id)?.memory, { ...rest, title: 'Mine', kind: 'preference' });
});

test('an entry keeps its id in another day’s file and project and is not written again', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  mkdirSync(join(journal.root, 'other'));
  renameSync(join(journal.root, DAY), join(journal.root, 'other/2026-11-20.md'));
  const result = await journal.put([{ ...memory, title: 'Better' }], [head]);
  assert.deepEqual([result.made, result.updated], [[], [memory.id]]);
  assert.deepEqual(journal.find(memory.id)?.memory, { ...memory, title: 'Better', project: 'other' });
  assert.equal(journal.find(memory.id)?.path, 'other/2026-11-20.md');
});

test('removing the last entry removes the file', async (t) => {
  const journal = sampleJournal(t);
  const other = sampleMemory({ at: '2026-11-15T15:00:00Z', title: 'two' });
  await journal.put([memory], [head]);
  const alone = text(journal);
  await journal.put([other], [head]);
  assert.deepEqual(await journal.remove([other.id, '1nfkj80zqv09ef']), [other.id]);
  assert.equal(text(journal), alone);
  await journal.remove([memory.id]);
  assert.deepEqual(journal.files(), []);
});

test('a copy in a second file is removed too', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  writeFileSync(join(journal.root, 'acme-api/2026-11-16.md'), text(journal));
  assert.match(journal.check()[0]?.reason ?? '', /is also in acme-api\/2026-11-15\.md/);
  await journal.remove([memory.id]);
  assert.deepEqual(journal.files(), []);
});

test('an entry the user added gets its id with the next write and keeps it through edits', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  appendFileSync(join(journal.root, DAY), '\n### 16:00 preference: tabs\n\nAlways tabs.\n');
  const [, first] = journal.read(DAY).entries;
  assert.deepEqual([first?.derived, first?.memory.kind, first?.memory.title], [true, 'preference', 'tabs']);
  assert.deepEqual(first?.memory.provenance, {
    agent: 'person',
    session: '',
    turn: '',
    messages: [],
    by: 'person',
  });
  await journal.put([sampleMemory({ at: '2026-11-15T15:00:00Z', title: 'two' })], [head]);
  edit(journal, 'Always tabs.', 'Always tabs, never spaces.');
  const now = journal.find(first?.memory.id ?? '');
  assert.equal(now?.memory.body, 'Always tabs, never spaces.');
  assert.deepEqual(now?.memory.provenance, first?.memory.provenance);
  assert.equal(await journal.adopt(DAY), false);
});

test('a summary is written on the day the session began, other days have only its heading', async (t) => {
  const journal = sampleJournal(t);
  const late = sampleMemory({ at: '2026-11-16T00:10:00.000Z', title: 'late' });
  await journal.put([memory, late], [head]);
  const summary = {
    request: 'Rotate',
    investigated: '',
    learned: '',
    completed: 'Done',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  };
  await journal.put([], [{ ...head, status: 'completed', summary }]);
  assert.match(text(journal), /^- Request: Rotate\n- Completed: Done$/m);
  assert.match(
    text(journal, 'acme-api/2026-11-16.md'),
    /^## Session 2026-11-15 14:30 · Rotating refresh tokens\n<!-- .*status=completed.*\n\n###/m,
  );
  await journal.put([memory], [head]);
  assert.deepEqual(
    journal.read(DAY).sessions[0]?.summary,
    summary,
    'a head without a summary takes none away',
  );
});

test('the user’s note under a session’s heading stays when the summary is written', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [head]);
  edit(journal, /(<!-- tidemark session .*\n)/, '$1My own note.\n');
  const summary = {
    request: 'Rotate',
    investigated: '',
    learned: '',
    completed: '',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  };
  await journal.put([], [{ ...head, summary }]);
  assert.match(text(journal), /- Request: Rotate\n\nMy own note\.\n\n###/);
  edit(journal, 'Session 14:30 · Rotating refresh tokens', 'Session 14:30 · My title');
  await journal.put([], [{ ...head, title: 'Another', status: 'failed', summary }]);
  assert.match(text(journal), /## Session 14:30 · My title\n<!-- .*status=failed/);
});

test('a summary can be written for a session without entries', async (t) => {
  const journal = sampleJournal(t);
  const summary = {
    request: 'Rotate',
    investigated: '',
    learned: '',
    completed: '',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  };
  await journal.put([], [head, { ...head, id: 's2', summary, project: 'acme-api' }]);
  assert.deepEqual(
    journal.read(DAY).sessions.map(({ id }) => id),
    ['s2'],
  );
});

test('a shared journal has one writing machine per file', async (t) => {
  const journal = sampleJournal(t, { machine: 'desk' });
  await journal.put([memory], [head]);
  assert.deepEqual(
    journal.files().map(({ path, machine }) => [path, machine]),
    [['acme-api/2026-11-15.desk.md', 'desk']],
  );
  const theirs = 'acme-api/2026-11-15.lap.md';
  renameSync(join(journal.root, 'acme-api/2026-11-15.desk.md'), join(journal.root, theirs));
  const before = text(journal, theirs);
  const result = await journal.put([{ ...memory, title: 'Better' }], [{ ...head, title: 'Other' }]);
  assert.deepEqual(result.skipped, [memory.id]);
  assert.equal(text(journal, theirs), before);
});

test('a journal of one project has its files at the root', async (t) => {
  const journal = sampleJournal(t, { project: 'acme-api' });
  await journal.put([memory], [head]);
  assert.deepEqual(
    journal.files().map(({ path, project }) => [path, project]),
    [['2026-11-15.md', 'acme-api']],
  );
  assert.equal(journal.find(memory.id)?.memory.project, 'acme-api');
});

test('archives are read by day and changed in place', async (t) => {
  const journal = sampleJournal(t);
  const later = sampleMemory({ at: '2026-11-17T09:00:00.000Z', title: 'later' });
  await journal.put([memory, later], [head]);
  const archive = 'acme-api/archive/2026-11.md';
  mkdirSync(join(journal.root, 'acme-api/archive'));
  const days = [DAY, 'acme-api/2026-11-17.md'].map((path) => text(journal, path));
  writeFileSync(join(journal.root, archive), `${days.join('\n')}\n### by hand\n`);
  for (const path of [DAY, 'acme-api/2026-11-17.md']) rmSync(join(journal.root, path));
  const { entries, sessions, problems } = journal.read(archive);
  assert.deepEqual(
    entries.map(({ memory: { title, at } }) => [title, at]),
    [
      [memory.title, memory.at],
      ['later', later.at],
      ['by hand', '2026-11-17T00:00:00.000Z'],
    ],
  );
  assert.deepEqual([sessions.length, problems], [1, []]);
  await journal.put([{ ...later, state: 'superseded' }], [head]);
  assert.deepEqual(
    journal.files().map(({ path }) => path),
    [archive],
  );
  assert.equal(journal.find(later.id)?.memory.state, 'superseded');
});

test('names outside the journal are refused', async (t) => {
  const journal = sampleJournal(t);
  await assert.rejects(journal.put([sampleMemory({ project: '../x' })], []), { code: 'journal.bad-project' });
  await assert.rejects(journal.put([sampleMemory({ project: '' })], []), { code: 'journal.bad-project' });
  assert.throws(() => journal.read('../../etc/passwd'), { code: 'journal.not-a-file' });
  assert.throws(() => sampleJournal(t, { machine: 'a/b' }), { code: 'journal.bad-machine' });
});
