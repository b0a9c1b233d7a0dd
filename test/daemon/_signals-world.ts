/** A repository with a past: decisions on two branches, files that changed since, sessions that were shown what was remembered. */
import { randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory, MemoryDraft } from '../../src/core/index.ts';
import { GitRepo } from '../support/git-repo.ts';
import type { Machine } from '../support/machine.ts';
import {
  inventedDecision,
  SyntheticTranscript,
  uuid,
  type SyntheticTool,
} from '../support/synthetic-transcript.ts';

export const LONG_AGO = new Date('2026-01-05T00:00:00Z');

/** A repository where the machine's project lies, with files older than every session. */
export function makeRepository(machine: Machine, files: readonly string[]): GitRepo {
  const repo = GitRepo.init(machine.project, machine.home);
  for (const file of files) repo.write(file, `// ${file}\n`);
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'first');
  for (const file of files) utimesSync(join(repo.root, file), LONG_AGO, LONG_AGO);
  return repo;
}

export interface PastSession {
  readonly name: string;
  readonly branch: string;
  readonly start: string;
  /** Each makes one decision about one file. */
  readonly files: readonly string[];
}

/** Transcripts of past sessions, one turn for each file. */
export function writePast(machine: Machine, sessions: readonly PastSession[]): void {
  for (const { name, branch, start, files } of sessions) {
    const session = uuid('session', name);
    const { config, project: cwd } = machine;
    const transcript = new SyntheticTranscript({ config, cwd, session, start, branch });
    for (const [i, file] of files.entries())
      transcript.append({
        prompt: inventedDecision(`${name}-${i}`).text,
        answer: `Done in ${file}.`,
        tools: [
          {
            name: 'Edit',
            input: { file_path: join(cwd, file), old_string: 'a', new_string: 'b' },
            output: `// ${file}\n`,
          },
        ],
      });
    transcript.finish();
  }
}

export async function importPast(machine: Machine): Promise<void> {
  await machine.up();
  await machine.call('import.history', { sources: machine.sources, finished: true });
}

export interface Told {
  readonly session: string;
  /** The context that the hooks injected. */
  readonly brief: string;
  readonly context: string;
}

/** A session of today: asked one thing, answered, ended, in the main work tree or in another one. */
export async function liveSession(
  machine: Machine,
  talk: {
    readonly prompt: string;
    readonly answer: string;
    readonly tools?: readonly SyntheticTool[];
    readonly root?: string;
    readonly session?: string;
    readonly branch?: string;
  },
): Promise<Told> {
  const {
    prompt,
    answer,
    tools = [],
    root = machine.project,
    session = randomUUID(),
    branch = 'main',
  } = talk;
  const transcript = new SyntheticTranscript({ config: machine.config, cwd: root, session, branch });
  const fields = { session_id: session, transcript_path: transcript.path };
  const at = { project: root };
  const start = await machine.hook('SessionStart', { ...fields, source: 'startup' }, at);
  const told = await machine.hook('UserPromptSubmit', { ...fields, prompt, prompt_id: randomUUID() }, at);
  transcript.append({ prompt, answer, tools, at: new Date().toISOString() });
  transcript.finish();
  await machine.hook('Stop', { ...fields, last_assistant_message: answer, stop_hook_active: false }, at);
  await machine.hook('SessionEnd', { ...fields, reason: 'other' }, at);
  await machine.drained();
  return { session, brief: contextIn(start.stdout), context: contextIn(told.stdout) };
}

export function remember(
  machine: Machine,
  {
    title,
    kind = 'decision',
    body = '',
    facts = [],
    files = [],
  }: Partial<MemoryDraft> & { readonly title: string },
): Promise<Memory> {
  const said = facts.flatMap((fact) => ['--fact', fact]);
  const about = files.flatMap((file) => ['--file', file]);
  return machine.json('remember', title, '--kind', kind, '--body', body, ...said, ...about);
}

function contextIn(stdout: string): string {
  if (stdout.trim() === '') return '';
  const { hookSpecificOutput } = JSON.parse(stdout) as {
    hookSpecificOutput?: { additionalContext?: string };
  };
  return hookSpecificOutput?.additionalContext ?? '';
}
