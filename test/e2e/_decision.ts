/** The story of many tests: one session makes a decision and edits a file, and a later one gets the decision injected. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions, SessionResult, Stage } from '../support/claude.ts';
import { contextOf } from '../support/hook-context.ts';
import { memoriesStored } from '../support/memories-stored.ts';

const PROMPT =
  'We decided to rotate refresh tokens on every use because stolen tokens must die at first reuse. Please do that in auth.ts.';
const RELATED_PROMPT = 'What happens when someone reuses a refresh token, and why did we want it that way?';
const MOST_TRIES = 5;
const DECISION = /rotate refresh tokens on every use/i;

/** Session 1, with the client's real Write and Edit tools. */
export async function makeDecision(stage: Stage, options: RunOptions = {}): Promise<SessionResult> {
  const file = join(stage.project, 'auth.ts');
  const steps = [
    { tools: [{ name: 'Write', input: { file_path: file, content: 'export const rotation = "never";\n' } }] },
    {
      tools: [{ name: 'Edit', input: { file_path: file, old_string: '"never"', new_string: '"every-use"' } }],
    },
    { text: 'Done: auth.ts now rotates refresh tokens on every use.' },
  ];
  const prompt = 'Please do that in auth\\.ts';
  stage.mock.rules.push(...steps.map((reply, step) => ({ when: { prompt, step, hasTool: 'Edit' }, reply })));
  const session = await stage.run(PROMPT, {
    ...options,
    args: ['--allowedTools', 'Write,Edit', ...(options.args ?? [])],
  });
  assert.equal(session.result, steps[2]?.text);
  assert.equal(readFileSync(file, 'utf8'), 'export const rotation = "every-use";\n');
  return session;
}

/** Waits until the decision is stored. */
export function decisionStored(stage: Stage): Promise<void> {
  return memoriesStored(stage, DECISION);
}

/** Runs a new session in the same project, with a prompt about the decision. */
export async function startAnew(stage: Stage, options: RunOptions = {}): Promise<SessionResult> {
  const session = await stage.run(RELATED_PROMPT, options);
  assert.ok(session.requests.length > 0, 'a request reached the model');
  return session;
}

/** Asserts that the hook of that event injected the decision into the first request of a session. */
export function assertTold(
  stage: Stage,
  session: SessionResult,
  event: 'SessionStart' | 'UserPromptSubmit',
): void {
  const context = contextOf(session.requests[0], event);
  assert.match(context, DECISION, `${event} did not bring the decision.\n${stage.logs()}`);
}

/**
 * Starts a session and asserts the same of it. If the hook's log says that the machine was too busy for an answer
 * within the budget, another session is started.
 */
export async function assertToldAnew(stage: Stage, options: RunOptions = {}): Promise<void> {
  for (let tries = 1; ; tries++) {
    const late = lateStarts(stage);
    const session = await startAnew(stage, options);
    const isExcused =
      lateStarts(stage) > late && !DECISION.test(contextOf(session.requests[0], 'SessionStart'));
    if (!isExcused || tries === MOST_TRIES) return assertTold(stage, session, 'SessionStart');
  }
}

function lateStarts(stage: Stage): number {
  if (!existsSync(stage.places.hookLog)) return 0;
  const log = readFileSync(stage.places.hookLog, 'utf8');
  return (
    log.match(/"event":"SessionStart".*"reason":"(?:no answer in time|timed-out|left alone)"/g)?.length ?? 0
  );
}
