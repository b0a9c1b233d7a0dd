/**
 * The driver for another coding agent of the user, one isolated run per request: no hooks, tools, servers or session, the
 * prompt on stdin. Needs no key; it uses the user's login. The agent's own part is in its folder of src/agents.
 */
import { join } from 'node:path';
import { codingAgent, type OneShot, type OneShotResult } from '../../agents/index.ts';
import { contentHash } from '../../core/index.ts';
import { isRegularFile, writeAtomicallySync } from '../../files/index.ts';
import { clientEnvironment } from './_client.ts';
import { runInGroup, type ProcessWatch } from './_process-group.ts';
import { ended } from './claude.ts';
import {
  failed,
  reasonOfStatus,
  type AgentDriverName,
  type Driver,
  type DriverAnswer,
  type DriverHealth,
  type Usage,
} from './driver.ts';

export interface AgentDriverOptions {
  /** Empty: the agent's own choice. */
  readonly model: string;
  readonly env: NodeJS.ProcessEnv;
  /** A folder that is not a project. */
  readonly cwd: string;
  readonly processes?: ProcessWatch | undefined;
}

export function agentDriver(name: AgentDriverName, options: AgentDriverOptions): Driver {
  const { model, env, cwd, processes } = options;
  const { title, oneShot } = oneShotOf(name);
  const run = (program: string, args: readonly string[], input: string, signal: AbortSignal, more = {}) =>
    runInGroup(program, args, { input, env: { ...clientEnvironment(env), ...more }, cwd, signal, processes });
  return {
    name,
    model: model || name,
    ask: async (request, signal) => {
      const program = oneShot.find(env);
      if (program === undefined) return failed('missing', `${title} was not found on this machine`);
      const asked = { model, instructions: instructionsIn(cwd, request.system), env };
      const input = `${request.prompt}\n\n${request.asText}`;
      const ran = await run(program, oneShot.args(asked), input, signal, oneShot.variables?.(asked));
      if (signal.aborted) return ended(signal);
      if (ran.kind === 'not-started') return failed('missing', `${title} does not start: ${ran.message}`);
      return answerOf(oneShot.read(ran.stdout), title, model || name);
    },
    health: (signal) =>
      health(oneShot, { title, name }, (program) => run(program, ['--version'], '', signal), env),
    close: async () => {},
  };
}

/** The title and the one-shot part of an agent that is a driver. */
export function oneShotOf(name: AgentDriverName): { readonly title: string; readonly oneShot: OneShot } {
  const agent = codingAgent(name);
  if (!agent?.oneShot) throw new Error(`${name} has no one-shot requests`);
  return { title: agent.title, oneShot: agent.oneShot };
}

/** The system prompt as a file, which is the same for many requests and contains nothing of a conversation. */
function instructionsIn(folder: string, system: string): string {
  const path = join(folder, `instructions-${contentHash(system).slice(0, 12)}.md`);
  if (!isRegularFile(path)) writeAtomicallySync(path, system, { mode: 0o600 });
  return path;
}

function answerOf(result: OneShotResult, title: string, model: string): DriverAnswer {
  const { text, inputTokens, outputTokens, error } = result;
  const usage: Usage = { model, inputTokens, outputTokens, requests: 1 };
  if (text !== undefined) return { kind: 'answered', text, usage };
  const spent = inputTokens + outputTokens > 0 ? { usage } : {};
  if (error === undefined) return failed('died', `${title} ended without an answer`, spent);
  // The message may quote the request, so only its kind is passed on.
  const status = Number(/\bstatus (\d{3})\b/.exec(error)?.[1] ?? Number.NaN);
  if (!Number.isNaN(status)) return failed(reasonOfStatus(status), `the API answered ${status}`, spent);
  if (/usage limit|rate limit|quota/i.test(error))
    return failed('limited', `${title} reports a limit`, spent);
  if (/log ?in|authenticat|API key/i.test(error))
    return failed('refused', `${title} is not logged in`, spent);
  if (/connect|sending request|stream/i.test(error))
    return failed('unreachable', `${title} did not reach its model`, spent);
  return failed('no-answer', `${title} reported an error`, spent);
}

async function health(
  oneShot: OneShot,
  { title, name }: { readonly title: string; readonly name: string },
  version: (program: string) => ReturnType<typeof runInGroup>,
  env: NodeJS.ProcessEnv,
): Promise<DriverHealth> {
  const next = `Install ${title}, or choose another driver: tidemark config set distill.driver local`;
  const program = oneShot.find(env);
  if (program === undefined)
    return { works: false, evidence: `${title} was not found on this machine`, next };
  const ran = await version(program);
  if (ran.kind === 'ended' && ran.code === 0)
    return { works: true, evidence: ran.stdout.trim().slice(0, 80) || name };
  return { works: false, evidence: `${program} does not run`, next };
}
