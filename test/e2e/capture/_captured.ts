/** Reads through the daemon what it stored of a session, after it has processed every event. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Session, StoredTurn, ToolCall } from '../../../src/core/index.ts';
import { callDaemon } from '../../support/call.ts';
import { PLUGIN, type Stage } from '../../support/claude.ts';
import { daemonPid } from '../../support/daemon.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The facts of a turn that tests compare. */
export interface Listed {
  readonly prompt: string;
  readonly answer: string;
  readonly outcome: StoredTurn['outcome'];
  readonly origin?: StoredTurn['origin'];
  /** `Bash ok`, `Write error` … in the order they were called. */
  readonly tools?: readonly string[];
}

/** Waits until a daemon is up and has processed every event. */
export async function settle(stage: Stage): Promise<void> {
  const explain = (): string => stage.logs();
  await waitFor('a daemon', () => daemonPid(stage.places), { explain });
  await callDaemon(stage.places, 'drain', {});
}

export async function turnsOf(stage: Stage, session: string): Promise<readonly StoredTurn[]> {
  await settle(stage);
  return callDaemon(stage.places, 'read.turns', { session });
}

export async function sessionsOf(stage: Stage, dir = stage.project): Promise<readonly Session[]> {
  await settle(stage);
  return callDaemon(stage.places, 'read.sessions', { dir, limit: 100 });
}

export async function sessionOf(stage: Stage, id: string): Promise<Session> {
  const found = (await sessionsOf(stage)).find((session) => session.id === id);
  assert.ok(found, `session ${id} is not known\n${stage.logs()}`);
  return found;
}

/** Asserts that a session has exactly these turns, each stored once, and returns them. */
export async function assertTurns(
  stage: Stage,
  session: string,
  expected: readonly Listed[],
): Promise<readonly StoredTurn[]> {
  const turns = await turnsOf(stage, session);
  const wanted = expected.map((turn) => ({ origin: 'person', tools: [], ...turn }));
  assert.deepEqual(turns.map(listed), wanted, stage.logs());
  assert.equal(new Set(turns.map(({ id }) => id)).size, turns.length, 'each turn is there once');
  return turns;
}

export function toolOf(turn: StoredTurn | undefined, name: string): ToolCall {
  const found = turn?.tools.find((tool) => tool.name === name);
  assert.ok(found, `no call of ${name}`);
  return found;
}

/** Runs a verb of the CLI in the project and returns its JSON. */
export function tidemark<T>(stage: Stage, args: readonly string[], cwd = stage.project): T {
  return JSON.parse(printed(stage, [...args, '--json'], cwd)) as T;
}

function printed(stage: Stage, args: readonly string[], cwd = stage.project): string {
  const command = [join(PLUGIN, 'dist', 'cli.cjs'), ...args];
  const ended = spawnSync(process.execPath, command, { cwd, env: stage.env(), encoding: 'utf8' });
  assert.equal(ended.status, 0, `tidemark ${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}

/** Returns the text of everything that was stored: the memories, the turns, and the sessions with their titles. */
export function exported(stage: Stage): string {
  const sessions = tidemark<readonly Session[]>(stage, ['sessions', '--all']);
  return `${printed(stage, ['export', '--turns'])}\n${JSON.stringify(sessions)}`;
}

/** Runs a session whose client prints every message as a line of JSON, with notices to the user. */
export async function streamed(
  stage: Stage,
  prompt: string,
  args: readonly string[] = [],
): Promise<readonly string[]> {
  const output = ['-p', '--output-format', 'stream-json', '--verbose', ...args];
  const { code, stdout, stderr } = await stage.claude([...output, ...stage.pluginArgs, '--', prompt]);
  assert.equal(code, 0, stderr);
  return stdout.trim().split('\n');
}

function listed(turn: StoredTurn): Required<Listed> {
  const { prompt, answer, outcome, origin } = turn;
  return {
    prompt,
    answer,
    outcome,
    origin,
    tools: turn.tools.map(({ name, status }) => `${name} ${status}`),
  };
}
