/** The work log: one line per turn in the day's file, for people and for search, never a memory. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid, type SyntheticTurn } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

const DAY = '2026-03-02';
const TURNS: readonly SyntheticTurn[] = [
  {
    prompt: 'Please make the uploader retry.',
    answer: 'Let me look.\n\nThe uploader retries three times now. Tests pass.',
    tools: [
      { name: 'Edit', input: { file_path: 'src/zebrafish.ts' }, output: 'ok' },
      {
        name: 'Bash',
        input: { command: 'git commit -m "feat: retry uploads quokkawise"' },
        output: '[main 3f2a1bc] feat: retry uploads quokkawise\n 1 file changed',
      },
    ],
  },
  {
    prompt: 'We decided to use pg-boss for the job queue because Redis is one more server.',
    answer: 'Noted.',
  },
  { prompt: '/tidemark:search queue', answer: 'Memory says that you use pg-boss.' },
];

async function played(machine: Machine): Promise<SyntheticTranscript> {
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('work-log'),
    start: `${DAY}T09:00:00.000Z`,
  });
  for (const turn of TURNS) transcript.append(turn);
  transcript.finish();
  await machine.up();
  const event = { session_id: transcript.session, transcript_path: transcript.path };
  await machine.deliver('SessionStart', { ...event, source: 'startup' });
  await machine.deliver('SessionEnd', { ...event, reason: 'other' });
  await machine.drained();
  return transcript;
}

function dayFile(machine: Machine): string {
  const [name] = readdirSync(machine.places.journal, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith(`${DAY}.md`),
  );
  assert.ok(name, 'there is a file of the day');
  return join(machine.places.journal, name);
}

const logged = (machine: Machine): readonly string[] =>
  readFileSync(dayFile(machine), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- 09:'))
    .map((line) => line.replace(/ <!-- turn .*-->$/, ''));

const LINES = [
  '- 09:01 Asked: Please make the uploader retry. Done: The uploader retries three times now. Files: src/zebrafish.ts. Commit: 3f2a1bc feat: retry uploads quokkawise.',
  '- 09:02 Asked: We decided to use pg-boss for the job queue because Redis is one more server. Done: Noted.',
];

test('every turn leaves a line, which search finds and which is no memory', async (t) => {
  const machine = Machine.open(t);
  await played(machine);
  assert.deepEqual(logged(machine), LINES, 'our own command leaves none');
  for (const words of ['zebrafish', 'quokkawise', '3f2a1bc']) {
    const { hits, turns } = await machine.call('read.search', { query: words, dir: machine.project });
    assert.ok(hits.length + turns.length > 0, `${words} is found`);
  }
  const memories = await machine.call('read.memories', { limit: 50 });
  assert.ok(memories.every(({ title }) => !/Asked:|Work log/.test(title)));
  const brief = await machine.call('read.brief', { tokens: 2000, dir: machine.project });
  assert.doesNotMatch(brief?.text ?? '', /Work log|zebrafish\.ts\. Commit/);
  assert.match((await machine.cli(['doctor', '--json'])).stdout, /"journal"/);
});

test('the log survives an edit of the file, a reindex and a deleted index', async (t) => {
  const machine = Machine.open(t);
  await played(machine);
  const file = dayFile(machine);
  const edited = readFileSync(file, 'utf8')
    .replace('Please make the uploader retry.', 'The uploader must retry.')
    .replace('## Work log\n', '## Work log\n\nA good day.\n');
  writeFileSync(file, edited);
  await machine.call('reindex', {});
  assert.equal(readFileSync(file, 'utf8'), edited);
  await machine.stopDaemon();
  rmSync(dirname(machine.places.index), { recursive: true });
  await machine.drained();
  await waitFor('the index', () => machine.call('read.stats', {}).catch(() => undefined));
  assert.equal(readFileSync(file, 'utf8'), edited);
  const { hits, turns } = await machine.call('read.search', { query: '3f2a1bc', dir: machine.project });
  assert.ok(hits.length + turns.length > 0, 'found after the rebuild');
});

test('forgetting a memory removes the line of its turn, and restoring it brings the line back', async (t) => {
  const machine = Machine.open(t);
  await played(machine);
  const { hits } = await machine.call('read.search', { query: 'pg-boss queue', dir: machine.project });
  const id = hits[0]?.memory.id ?? '';
  await machine.call('forget', { ids: [id] });
  assert.deepEqual(logged(machine), LINES.slice(0, 1));
  await machine.call('forget', { ids: [id], undo: true });
  assert.deepEqual(logged(machine), LINES);
  await machine.call('forget', { ids: [id], now: true });
  assert.doesNotMatch(readFileSync(dayFile(machine), 'utf8'), /pg-boss/);
});
