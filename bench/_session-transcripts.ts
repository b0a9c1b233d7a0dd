/**
 * Writes labelled sessions as Claude Code transcripts. Every id and time is derived from the names of project, session and
 * turn, so that the same sessions always give the same turns, memories and model requests.
 */
import { utimesSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { SyntheticTranscript, uuid, type SyntheticTool } from '../test/support/synthetic-transcript.ts';
import type { LabelledProject, LabelledSession, LabelledTool, LabelledTurn } from './labelled-sessions.ts';

/** A prompt every two and a half minutes. */
const TURN_MS = 150_000;

export interface WrittenTranscripts {
  /** Turn id → the label's name of the turn, for example `s1.2`. In the order of the turns. */
  readonly turns: ReadonlyMap<string, string>;
  /** Session id → the label's name of the session. */
  readonly sessions: ReadonlyMap<string, string>;
  readonly endedAt: Date;
}

/** Writes the transcripts of a project below `<config>/projects`, as if its sessions ran in the folder `cwd`. */
export function writeTranscripts(
  project: LabelledProject,
  options: { readonly config: string; readonly cwd: string },
): WrittenTranscripts {
  const turns = new Map<string, string>();
  const sessions = new Map<string, string>();
  let last = 0;
  for (const session of project.sessions) {
    const id = sessionId(project.name, session.id);
    const transcript = new SyntheticTranscript({ ...options, session: id, branch: session.branch });
    sessions.set(id, session.id);
    for (const [n, turn] of session.turns.entries()) {
      turns.set(transcript.turnId(n), `${session.id}.${n + 1}`);
      const lines = transcript.lines({
        prompt: promptOf(turn),
        answer: turn.assistant,
        tools: (turn.tools ?? []).map((tool) => toolOf(tool, options.cwd)),
        at: timeOf(session, n),
      });
      transcript.write(turn.assistant === '' ? lines.slice(0, 1) : lines);
    }
    transcript.finish();
    const end = new Date(timeOf(session, session.turns.length));
    last = Math.max(last, end.getTime());
    utimesSync(transcript.path, end, end);
  }
  return { turns, sessions, endedAt: new Date(last) };
}

/** Whether the reader must make a turn of it: not of an interruption or a command of the client, which get no answer. */
export function isTurn({ user, assistant }: LabelledTurn): boolean {
  return assistant !== '' && !user.startsWith('[Request interrupted by user');
}

export function sessionId(project: string, session: string): string {
  return uuid('bench:memory', project, session);
}

function timeOf(session: LabelledSession, turn: number): string {
  return new Date(Date.parse(session.at) + turn * TURN_MS).toISOString();
}

const COMMAND = /^\/([a-z][a-z-]*)$/;

/** The client writes a slash command in tags. */
function promptOf({ user }: LabelledTurn): string {
  const name = COMMAND.exec(user)?.[1];
  if (name === undefined) return user;
  return `<command-name>/${name}</command-name>\n<command-message>${name}</command-message>\n<command-args></command-args>`;
}

/** The client names files by absolute paths, and says in the result that a call failed. */
function toolOf({ name, input, output }: LabelledTool, cwd: string): SyntheticTool {
  const file = input['file_path'];
  const absolute =
    typeof file === 'string' && !isAbsolute(file) && !file.startsWith('~')
      ? { ...input, file_path: join(cwd, file) }
      : input;
  return { name, input: absolute, output, failed: hasFailed(name, output) };
}

const COMMAND_FAILED =
  /^(?:\s*(?:error|fatal|npm ERR!|FAIL|FAILED|Traceback|panic|Segmentation fault)\b|Exit code [1-9])|command not found|No such file or directory|exit(?:ed)?(?: with)?(?: code| status)? [1-9]|\b[1-9]\d* fail(?:ed|ures?|ing)\b|Failing [1-9]/im;
const CALL_FAILED = /^(?:error|failed|string to replace not found|file (?:does not exist|not found))/i;

/** The labelled sessions contain only the output of a call, so its status is read from there. */
function hasFailed(name: string, output: string): boolean {
  if (name === 'Bash') return COMMAND_FAILED.test(output);
  return CALL_FAILED.test(output);
}
