/** `tidemark recap`: what happened since a day, of this project or all, as text, Markdown and JSON. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Recap } from '../../src/recall/index.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid, type SyntheticTurn } from '../support/synthetic-transcript.ts';

const DAY = '2026-03-02';
const SINCE = ['--since', DAY];
const TURNS: readonly SyntheticTurn[] = [
  {
    prompt: 'We decided to use pg-boss for the job queue because Redis is one more server.',
    answer: 'Noted.',
  },
  {
    prompt: 'Please make the uploader retry.',
    answer: 'The uploader retries three times now.',
    tools: [
      { name: 'Edit', input: { file_path: 'src/uploader.ts' }, output: 'ok' },
      {
        name: 'Bash',
        input: { command: 'git commit -m "feat: uploads retry three times"' },
        output: '[main 3f2a1bc] feat: uploads retry three times\n 1 file changed',
      },
    ],
  },
  {
    prompt: 'Translate the mails into Dutch',
    answer: 'Ok!',
    tools: [{ name: 'Edit', input: { file_path: 'nl.ts' }, output: 'ok' }],
  },
  { prompt: 'ok thanks', answer: 'You are welcome!' },
];

const machine = new Machine({ TZ: 'UTC' });
before(async () => {
  await machine.up();
  await play(machine.project, 'recap', TURNS);
});
after(() => machine.close());

async function play(cwd: string, name: string, turns: readonly SyntheticTurn[]): Promise<void> {
  mkdirSync(cwd, { recursive: true });
  const start = `${DAY}T09:00:00.000Z`;
  const transcript = new SyntheticTranscript({ config: machine.config, cwd, session: uuid(name), start });
  for (const turn of turns) transcript.append(turn);
  transcript.finish();
  const event = { cwd, session_id: transcript.session, transcript_path: transcript.path };
  await machine.deliver('SessionStart', { ...event, source: 'startup' }, { 'project-dir': cwd });
  await machine.deliver('SessionEnd', { ...event, reason: 'other' }, { 'project-dir': cwd });
  await machine.drained();
}

async function recapOf(args: readonly string[], cwd = machine.project): Promise<Recap> {
  const { code, stdout, stderr } = await machine.cli(['recap', ...SINCE, '--json', ...args], { cwd });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Recap;
}

test('the project of this folder: decisions, work and commits, without small talk', async () => {
  const { code, stdout, stderr } = await machine.cli(['recap', ...SINCE]);
  assert.deepEqual([code, stderr], [0, '']);
  const id = '[0-9a-z]{7}';
  assert.match(
    stdout,
    new RegExp(
      [
        '^Since Monday 2 March',
        '',
        'project',
        'Decided',
        ` •  Use pg-boss for the job queue. Why: Redis is one more server  ${id}`,
        'Done',
        ` •  The uploader retries three times now  commit 3f2a1bc · ${id}`,
        ' •  Worked on: Translate the mails into Dutch  [0-9a-f]{8}',
        '$',
      ].join('\n'),
    ),
  );
});

test('each line has an id that show or transcript accepts', async () => {
  const { projects } = await recapOf([]);
  const [project] = projects;
  assert.ok(project);
  for (const { memory, turn } of [...project.decided, ...project.done]) {
    const args = memory === undefined ? ['transcript', turn ?? ''] : ['show', memory];
    assert.equal((await machine.cli(args)).code, 0, args.join(' '));
  }
});

test('Markdown can be pasted', async () => {
  const { stdout } = await machine.cli(['recap', ...SINCE, '--markdown']);
  assert.match(
    stdout,
    /^# Since Monday 2 March\n\n## project\n\n\*\*Decided\*\*\n\n- Use pg-boss .*\(\w+\)\n/,
  );
});

test('a day without work is said plainly, also as JSON', async () => {
  const { code, stdout, stderr } = await machine.cli(['recap', '--since', '2026-03-03']);
  assert.deepEqual([code, stdout], [0, 'Nothing happened in project since Tuesday 3 March.\n']);
  assert.match(stderr, /tidemark recap --all/);
  const { stdout: json } = await machine.cli(['recap', '--since', '2026-03-03', '--json']);
  assert.deepEqual((JSON.parse(json) as Recap).projects, []);
});

test('outside of a known project, and with --all, every project is listed', async () => {
  const other = join(machine.root, 'other');
  await play(other, 'other-recap', [
    {
      prompt: 'Write the release notes for March',
      answer: 'Ok!',
      tools: [{ name: 'Edit', input: { file_path: 'n.md' }, output: 'ok' }],
    },
  ]);
  const names = ({ projects }: Recap) => projects.map(({ name }) => name).toSorted();
  assert.deepEqual(names(await recapOf([])), ['project']);
  assert.deepEqual(names(await recapOf(['--all'])), ['other', 'project']);
  assert.deepEqual(names(await recapOf([], machine.home)), ['other', 'project']);
  assert.deepEqual(names(await recapOf(['--project', 'other'])), ['other']);
  assert.deepEqual(names(await recapOf(['--project', other])), ['other']);
});

test('a line of the work log counts as the user changed it', async () => {
  const [name] = readdirSync(machine.places.journal, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.startsWith('project-') && path.endsWith(`${DAY}.md`),
  );
  assert.ok(name);
  const file = join(machine.places.journal, name);
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(
    /(Translate the mails into Dutch\. Done: )[^<]*?( Files|<)/,
    '$1Dutch mails are drafts.$2',
  );
  assert.notEqual(changed, text);
  writeFileSync(file, changed);
  const { projects } = await recapOf([]);
  assert.equal(projects[0]?.done.at(-1)?.text, 'Dutch mails are drafts');
  writeFileSync(file, text.replace(/^- .*Translate the mails.*\n/m, ''));
  assert.doesNotMatch(JSON.stringify(await recapOf([])), /Dutch/);
});

for (const [args, code, message] of [
  [['--since', 'whenever'], 2, /I don't understand the time "whenever"\nhint: .*yesterday, monday/],
  [['--project', 'nope'], 3, /no project nope/],
  [['--project', 'x', '--all'], 2, /use only one of --project and --all/],
] as const)
  test(`wrong use: recap ${args.join(' ')}`, async () => {
    const ran = await machine.cli(['recap', ...args]);
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, message);
  });
