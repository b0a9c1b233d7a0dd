/**
 * A machine whose store is full of hostile text: project, branch, commit, session, turn, tool output, memories, authors,
 * settings and logs. For tests of everything that shows text.
 */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitRepo } from './git-repo.ts';
import { HOSTILE, HOSTILE_NAME as BAD } from './hostile-text.ts';
import { Machine } from './machine.ts';
import { SyntheticTranscript } from './synthetic-transcript.ts';

export interface HostileStore {
  readonly machine: Machine;
  /** The folder of the hostile project. */
  readonly folder: string;
  readonly project: string;
  /** Ids of two imported memories, and of the captured turn. */
  readonly first: string;
  readonly second: string;
  readonly turn: string;
  readonly session: string;
}

/** The caller closes the machine. */
export async function openHostileStore(): Promise<HostileStore> {
  const machine = new Machine();
  try {
    // A folder of this name is a project of this name.
    const folder = join(machine.root, `project ${BAD}`);
    mkdirSync(folder);
    const repo = GitRepo.init(folder, machine.home);
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/feat/\u202ehostile\u200b\u0085');
    writeFileSync(
      join(folder, 'facts.md'),
      `## Decisions\n- Hostile decision ${HOSTILE}: because ${HOSTILE}\n`,
    );
    repo.write(BAD, `${HOSTILE}\n`);
    repo.git('add', '-A');
    repo.git(
      'commit',
      '-q',
      '-m',
      `Warm the hostile kettle ${HOSTILE}\n\nIt was cold because ${HOSTILE} is.`,
    );
    writeFileSync(join(folder, '.tidemark.json'), JSON.stringify({ [BAD]: BAD, 'recall.briefTokens': BAD }));
    mkdirSync(machine.places.home, { recursive: true, mode: 0o700 });
    writeFileSync(machine.places.config, JSON.stringify({ [`recall.${BAD}`]: BAD, 'embed.model': BAD }));
    const captured = await seedTurn(machine, folder);
    const imported = await seedImport(machine, folder);
    seedLogs(machine);
    return { machine, folder, ...captured, ...imported };
  } catch (error) {
    await machine.close();
    throw error;
  }
}

/** A session in the hostile folder: prompt, tool output, file names, branch and answer are hostile. */
async function seedTurn(machine: Machine, folder: string): Promise<Pick<HostileStore, 'turn' | 'session'>> {
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: folder,
    session: 'b5e1a1f0-0000-4000-8000-000000000001',
    branch: `feat/${BAD}`,
  });
  transcript.append({
    prompt: `We decided to use Redis for the hostile cache because ${HOSTILE} is fast.`,
    answer: `Done, ${HOSTILE} is in place.`,
    tools: [
      { name: 'Bash', input: { command: `printf '${HOSTILE}'` }, output: HOSTILE, failed: true },
      { name: `Tool${HOSTILE}`, input: { file_path: join(folder, BAD) }, output: HOSTILE },
      {
        name: 'Edit',
        input: { file_path: join(folder, BAD), old_string: 'a', new_string: HOSTILE },
        output: 'a',
      },
    ],
  });
  transcript.finish();
  await machine.up();
  const fields = { session_id: transcript.session, transcript_path: transcript.path };
  const inFolder = { project: folder };
  await machine.hook('SessionStart', { ...fields, source: 'startup' }, inFolder);
  await machine.hook(
    'UserPromptSubmit',
    { ...fields, prompt: `Is the hostile cache ${HOSTILE} fast?` },
    inFolder,
  );
  await machine.hook('Stop', { ...fields, last_assistant_message: HOSTILE }, inFolder);
  await machine.hook('SessionEnd', { ...fields, reason: 'other' }, inFolder);
  await machine.drained();
  return { turn: transcript.turnId(0), session: transcript.session };
}

/** Another machine's export: names, titles, authors and branches that no machine of ours would store. */
async function seedImport(
  machine: Machine,
  folder: string,
): Promise<Pick<HostileStore, 'project' | 'first' | 'second'>> {
  const { project } = await machine.call('read.place', { dir: folder });
  const lines = (await machine.cli(['export'], { cwd: folder })).stdout.trim().split('\n');
  const session = {
    record: 'session',
    project,
    id: 'b5e1a1f0-0000-4000-8000-000000000002',
    agent: 'claude-code',
  };
  const memory = (id: string, title: string) => ({
    record: 'memory',
    memory: {
      id,
      project,
      at: '2026-03-02T10:00:00.000Z',
      kind: 'decision',
      title,
      body: `Body ${HOSTILE}`,
      reason: HOSTILE,
      facts: [HOSTILE],
      concepts: [HOSTILE],
      files: [HOSTILE],
      state: 'current',
      branch: BAD,
      author: BAD,
      provenance: { agent: BAD, session: session.id, turn: BAD, messages: [BAD], by: BAD },
    },
  });
  const [first, second] = ['1jh2y8m3k2m9qx', '1jh2y8m3k2m9qy'];
  const records = [
    ...lines.filter((line) => /"record":"(?:tidemark-export|project)"/.test(line)),
    JSON.stringify({ ...session, startedAt: '2026-03-02T10:00:00.000Z', title: `Hostile title ${HOSTILE}` }),
    JSON.stringify(memory(first, `Hostile title ${HOSTILE}`)),
    JSON.stringify(memory(second, `Another hostile title ${HOSTILE}`)),
  ];
  const file = join(machine.root, 'hostile.jsonl');
  writeFileSync(file, `${records.join('\n')}\n`);
  const { code, stdout, stderr } = await machine.cli(['import', 'file', file], { cwd: folder });
  assert.equal(code, 0, stdout + stderr);
  return { project: project ?? '', first, second };
}

/** Rows that an older version may have written as they came. */
function seedLogs(machine: Machine): void {
  const row = {
    at: '2026-03-02T10:00:00.000Z',
    level: 'error',
    what: BAD,
    error: HOSTILE,
    event: BAD,
    outcome: BAD,
  };
  for (const file of [machine.places.log, machine.places.hookLog])
    appendFileSync(file, `${JSON.stringify(row)}\n${BAD}\n`);
}
