/**
 * The driver for the user's own Claude Code, one isolated run per request: no settings, no hooks, no tools, no servers,
 * no transcript, the prompt on stdin. Needs no key; it uses the user's login.
 */
import { findClient } from '../../agents/index.ts';
import { answerOf, clientEnvironment, usageOf, type ClientResult } from './_client.ts';
import { runInGroup, type ProcessWatch } from './_process-group.ts';
import {
  failed,
  reasonOfStatus,
  type Driver,
  type DriverAnswer,
  type DriverHealth,
  type DriverRequest,
} from './driver.ts';

export interface ClaudeOptions {
  readonly model: string;
  readonly env: NodeJS.ProcessEnv;
  /** A folder that is not a project: the client tells the model its folder. */
  readonly cwd: string;
  /** The program; searched where installers put it if absent. */
  readonly program?: string;
  readonly processes?: ProcessWatch | undefined;
}

const MISSING = 'Claude Code was not found on this machine';

export function claudeDriver(options: ClaudeOptions): Driver {
  const { model, env, cwd } = options;
  const program = (): string | undefined => options.program ?? findClient(env);
  return {
    name: 'claude',
    model,
    ask: async (request, signal) => {
      const path = program();
      if (path === undefined) return failed('missing', MISSING);
      const ran = await runInGroup(path, argumentsFor(request, model), {
        input: request.prompt,
        env: clientEnvironment(env),
        cwd,
        signal,
        processes: options.processes,
      });
      if (signal.aborted) return ended(signal);
      if (ran.kind === 'not-started') return failed('missing', `Claude Code does not start: ${ran.message}`);
      return read(ran.stdout, ran.code, model);
    },
    health: (signal) => health(program(), env, cwd, signal),
    close: async () => {},
  };
}

function argumentsFor(request: DriverRequest, model: string): readonly string[] {
  const flags = {
    '--model': model,
    '--output-format': 'json',
    '--tools': '',
    '--setting-sources': '',
    '--system-prompt': request.system,
    '--json-schema': JSON.stringify(request.schema),
  };
  const switches = ['-p', '--strict-mcp-config', '--no-session-persistence', '--disable-slash-commands'];
  return [...switches, ...Object.entries(flags).flat()];
}

/** The failure for a request that a signal ended: stopped or timed out. */
export function ended(signal: AbortSignal): DriverAnswer {
  const reason: unknown = signal.reason;
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? failed('timed-out', 'no answer in time')
    : failed('aborted', 'stopped');
}

function read(stdout: string, code: number | null, model: string): DriverAnswer {
  const result = resultIn(stdout);
  if (!result)
    return failed(
      'died',
      `Claude Code exited with ${code === null ? 'a signal' : `code ${code}`} and no answer`,
    );
  const usage = usageOf(result, model);
  const text = answerOf(result);
  if (text !== undefined) return { kind: 'answered', text, usage };
  return failedResult(result, usage);
}

/** The failure that the client reports, without text of the conversation. */
export function failedResult(result: ClientResult, usage: ReturnType<typeof usageOf>): DriverAnswer {
  const status = result.api_error_status;
  const spent = usage.inputTokens + usage.outputTokens > 0 ? { usage } : {};
  if (typeof status === 'number') return failed(reasonOfStatus(status), `the API answered ${status}`, spent);
  if (/log ?in|authenticat|API key/i.test(result.result ?? ''))
    return failed('refused', 'Claude Code is not logged in', spent);
  return failed('no-answer', `Claude Code reported ${result.subtype ?? 'an error'}`, spent);
}

function resultIn(stdout: string): ClientResult | undefined {
  try {
    const json: unknown = JSON.parse(stdout);
    const found: unknown = Array.isArray(json) ? json.at(-1) : json;
    return typeof found === 'object' && found !== null ? (found as ClientResult) : undefined;
  } catch {
    return undefined;
  }
}

async function health(
  path: string | undefined,
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal: AbortSignal,
): Promise<DriverHealth> {
  const install = 'Install Claude Code, or choose another driver: tidemark config set distill.driver local';
  if (path === undefined) return { works: false, evidence: MISSING, next: install };
  const ran = await runInGroup(path, ['--version'], { input: '', env: clientEnvironment(env), cwd, signal });
  if (ran.kind === 'ended' && ran.code === 0)
    return { works: true, evidence: ran.stdout.trim().slice(0, 80) };
  return { works: false, evidence: `${path} does not run`, next: install };
}
