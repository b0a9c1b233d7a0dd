/** `tidemark blame <file>:<line>`: the commit of a line, the session behind it, its decisions; and its errors. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

const START = new Date('2026-03-02T09:00:00.000Z');
const DECISION = 'We decided to keep headers under 8 KB because the proxy cuts longer ones.';

test('blame tells the story of a line: commit, session, decision', async (t) => {
  const { machine, sha } = await withSession(t);
  const { code, stdout, stderr } = await machine.cli(['blame', 'src/headers.ts:2']);
  assert.equal(code, 0, stderr);
  const parts = [
    /^src\/headers\.ts:2 {2}export const limit = 8;\n/,
    new RegExp(`\nCommit  ${sha.slice(0, 10)}  Lower the header limit  2026-03-02, .* ago\n`),
    /\n {9}The proxy cuts longer ones\.\n/,
    new RegExp(`\nSession ${uuid('blame').slice(0, 8)}  .* · made the commit\n`),
    /\n {9}“We decided to keep headers .*” {2}tidemark transcript \S+\n/,
    /\nMemories:\n\w{7} {2}decision {4}.*8 KB.* {2}current · .* ago · same turn\n/,
  ];
  for (const part of parts) assert.match(stdout, part);
});

test('blame works from a subfolder, with a column, and as JSON', async (t) => {
  const { machine, sha } = await withSession(t);
  const cwd = join(machine.project, 'src');
  const { stdout } = await machine.cli(['blame', 'headers.ts:2:7', '--json'], { cwd });
  const story = JSON.parse(stdout) as Record<string, Record<string, unknown>> & {
    memories: readonly { memory: { kind: string; source: string }; link: string }[];
  };
  assert.deepEqual(
    [story['file'], story['line'], story['commit']?.['sha'], story['session']?.['id']],
    ['src/headers.ts', 2, sha, uuid('blame')],
  );
  assert.deepEqual(
    story.memories.map(({ memory, link }) => [memory.kind, link]),
    [['decision', 'same turn']],
  );
});

test('a line that is not committed names the session that edited it, or says that there is none', async (t) => {
  const { machine } = await withSession(t);
  writeFileSync(join(machine.project, 'src/headers.ts'), '// changed by hand\nexport const limit = 8;\n');
  const { code, stdout } = await machine.cli(['blame', 'src/headers.ts:1']);
  assert.equal(code, 0);
  assert.match(stdout, /\nNot committed yet\.\n\nNo captured session edited it since the last commit\.\n/);
});

test('errors name the problem and the next step', async (t) => {
  const { machine } = await withSession(t);
  writeFileSync(join(machine.project, 'new.ts'), 'x\n');
  const outside = join(machine.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.ts'), 'x\n');
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['src/headers.ts', 2, /no file and line given\nhint: tidemark blame <file>:<line>/],
    ['src/headers.ts:0', 2, /no file and line given/],
    ['src/headers.ts:99', 2, /src\/headers\.ts has 2 lines\nhint: Name a line from 1 to 2\./],
    ['missing.ts:1', 3, /there is no file missing\.ts/],
    ['new.ts:1', 3, /git does not track new\.ts\nhint: .*tidemark search file:new\.ts/],
    [`${outside}/a.ts:1`, 3, /is not in a git repository\nhint: /],
  ];
  for (const [place, code, message] of cases) {
    const ran = await machine.cli(['blame', place]);
    assert.equal(ran.code, code, place);
    assert.match(ran.stderr, message);
  }
});

async function withSession(t: TestContext): Promise<{ readonly machine: Machine; readonly sha: string }> {
  const machine = Machine.open(t);
  const repo = GitRepo.init(machine.project, machine.home);
  repo.commitAt(new Date(START.getTime() - 60_000), 'src/headers.ts', '// limits\n', 'Start');
  const sha = repo.commitAt(
    new Date(START.getTime() + 90_000),
    'src/headers.ts',
    '// limits\nexport const limit = 8;\n',
    'Lower the header limit\n\nThe proxy cuts longer ones.',
  );
  await machine.up();
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('blame'),
    start: START.toISOString(),
  });
  const file = join(machine.project, 'src/headers.ts');
  transcript.append({
    prompt: DECISION,
    answer: 'Done.',
    tools: [
      { name: 'Edit', input: { file_path: file, old_string: 'a', new_string: 'b' }, output: 'ok' },
      {
        name: 'Bash',
        input: { command: 'git commit -am "Lower the header limit"' },
        output: `[main ${sha.slice(0, 7)}] Lower the header limit\n 1 file changed`,
      },
    ],
  });
  transcript.finish();
  const { session: session_id, path: transcript_path } = transcript;
  await machine.deliver('SessionEnd', { session_id, transcript_path, reason: 'other' });
  await machine.drained();
  return { machine, sha };
}
