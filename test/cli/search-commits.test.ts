/** Commits with a reason: read from git by the daemon when a session starts, found by `tidemark search`, never injected. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MemoryIndex } from '../../src/database/index.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

interface Found {
  readonly hits: readonly unknown[];
  readonly turns: readonly unknown[];
  readonly commits: readonly {
    readonly commit: { readonly sha: string; readonly subject: string; readonly files: readonly string[] };
  }[];
}

const QUERY = 'proxy header limit';
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

test('a commit with a reason is listed after the memories, labelled, in text and JSON', async (t) => {
  const { machine, sha } = await withCommit(t);
  await machine.cli(['remember', 'Keep proxy headers small', '--kind', 'preference']);
  const { hits, commits } = await search(machine);
  assert.equal(hits.length, 1);
  assert.deepEqual(
    commits.map(({ commit }) => [commit.sha, commit.files]),
    [[sha, ['src/headers.ts']]],
  );
  const { stdout } = await machine.cli(['search', ...QUERY.split(' ')]);
  assert.match(
    stdout,
    new RegExp(
      `Keep proxy headers small[\\s\\S]*\\n\\nCommits that give a reason \\(git show <commit>\\):\\n${sha.slice(0, 10)}  commit  Lower the header limit +project · \\d{4}-\\d\\d-\\d\\d · src/headers.ts`,
    ),
  );
});

test('secrets of a message are not found, and a commit without a reason is not listed', async (t) => {
  const { machine } = await withCommit(t);
  const { stdout } = await machine.cli(['search', ...QUERY.split(' '), '--json']);
  assert.doesNotMatch(stdout, new RegExp(TOKEN));
  assert.match(stdout, /redacted/);
  assert.deepEqual((await search(machine, 'plain chore')).commits, []);
});

test('a prompt gets no commit', async (t) => {
  const { machine } = await withCommit(t);
  const prompt = 'Lower the header limit: why did the proxy cut them at eight kilobytes?';
  const fields = { session_id: uuid('asks'), transcript_path: join(machine.root, 'none.jsonl') };
  const { body } = await machine.deliver('UserPromptSubmit', { ...fields, prompt, prompt_id: randomUUID() });
  assert.doesNotMatch(body, /kilobytes|Lower the header/);
});

test('capture.commits false hides commits at once and removes them with the next session', async (t) => {
  const { machine } = await withCommit(t);
  assert.equal((await machine.cli(['config', 'set', 'capture.commits', 'false'])).code, 0);
  assert.deepEqual((await search(machine)).commits, []);
  await session(machine);
  const { project } = await machine.call('read.place', { dir: machine.project });
  await waitFor('the removal', () => {
    const index = MemoryIndex.open(machine.places.index, { readOnly: true });
    const left = index.commitShas(project).length;
    index.close();
    return left === 0;
  });
});

test('a deleted index gets the commits back', async (t) => {
  const { machine, sha } = await withCommit(t);
  await machine.stopDaemon();
  rmSync(dirname(machine.places.index), { recursive: true });
  await machine.up();
  assert.equal((await machine.cli(['reindex'])).code, 0);
  assert.equal((await search(machine)).commits[0]?.commit.sha, sha);
});

async function withCommit(t: TestContext): Promise<{ readonly machine: Machine; readonly sha: string }> {
  const machine = Machine.open(t);
  const repo = GitRepo.init(machine.project, machine.home);
  repo.commit('plain.txt', 'chore');
  repo.write('src/headers.ts', 'export const limit = 8;\n');
  repo.git('add', '-A');
  const body = `The proxy cuts them at eight kilobytes. Its key was ${TOKEN}.`;
  repo.git('commit', '-q', '-m', `Lower the header limit\n\n${body}`);
  await machine.up();
  await session(machine);
  await waitFor('the commit', async () => (await search(machine)).commits.length > 0);
  return { machine, sha: repo.git('rev-parse', 'HEAD') };
}

async function session(machine: Machine): Promise<void> {
  await machine.deliver('SessionStart', {
    session_id: randomUUID(),
    source: 'startup',
    cwd: machine.project,
  });
  await machine.drained();
}

async function search(machine: Machine, query = QUERY): Promise<Found> {
  const { code, stdout, stderr } = await machine.cli(['search', ...query.split(' '), '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Found;
}
