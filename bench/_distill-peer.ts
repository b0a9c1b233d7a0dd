/** Runs another tool on the same session: fires its hooks like the client and counts the requests to the model. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { MockApi } from '../test/support/mock-api.ts';
import type { SixtyCalls } from './_sixty-calls.ts';

const command = v.pipe(v.array(v.string()), v.minLength(1));
const Peer = v.strictObject({
  name: v.string(),
  version: v.string(),
  /** The whole environment, except the address of the mock API. Give it its own HOME. */
  env: v.record(v.string(), v.string()),
  cwd: v.string(),
  /** The reply of the mock API, in the form the tool asks for. */
  reply: v.string(),
  SessionStart: v.optional(command),
  UserPromptSubmit: v.optional(command),
  PostToolUse: v.optional(command),
  Stop: v.optional(command),
  SessionEnd: v.optional(command),
});

/** The tool works in the background. It is done when no request arrived for this long. */
const QUIET_MS = 15_000;
const MOST_MS = 10 * 60_000;

export interface PeerRun {
  readonly name: string;
  /** Events whose hook did not exit with 0. A tool that fails would look cheap. */
  readonly failed: number;
}

export async function runPeer(
  file: string,
  { turns }: SixtyCalls,
  session: string,
  mock: MockApi,
): Promise<PeerRun> {
  const peer = v.parse(Peer, JSON.parse(readFileSync(file, 'utf8')));
  mock.rules.push({ reply: { text: peer.reply } });
  const env = { ...peer.env, ANTHROPIC_BASE_URL: mock.url };
  let failed = 0;
  const fire = async (
    event: 'SessionStart' | 'UserPromptSubmit' | 'PostToolUse' | 'Stop' | 'SessionEnd',
    fields: object,
  ) => {
    const [program, ...args] = peer[event] ?? [];
    if (program === undefined) return;
    const common = { session_id: session, cwd: peer.cwd, hook_event_name: event };
    const code = await run(program, args, env, peer.cwd, JSON.stringify({ ...common, ...fields }));
    if (code !== 0) failed++;
  };
  await fire('SessionStart', { source: 'startup' });
  for (const turn of turns) {
    await fire('UserPromptSubmit', { prompt: turn.prompt });
    for (const tool of turn.tools ?? [])
      await fire('PostToolUse', {
        tool_name: tool.name,
        tool_input: tool.input,
        tool_response: { stdout: tool.output },
      });
    await fire('Stop', { last_assistant_message: turn.answer, stop_hook_active: false });
  }
  await fire('SessionEnd', { reason: 'other' });
  await quiet(mock);
  return { name: `${peer.name} ${peer.version}`, failed };
}

async function quiet(mock: MockApi): Promise<void> {
  const stopAt = Date.now() + MOST_MS;
  let seen = -1;
  while (seen !== mock.requests.length && Date.now() < stopAt) {
    seen = mock.requests.length;
    await delay(QUIET_MS);
  }
}

function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  input: string,
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'ignore', 'inherit'] });
    child.on('error', reject);
    child.on('exit', resolve);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
