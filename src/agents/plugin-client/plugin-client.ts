/**
 * Sends events from inside the process of a client that runs our code, without a process per event. Never throws, and never
 * waits longer than a hook may. If the daemon does not answer, the hook's Node client redacts and stores the event and
 * starts the daemon, under the same attempt: an event that arrives twice counts once.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  ANSWER_LIMIT_MS,
  HOOK_BUDGET_MS,
  placesIn,
  TOOL_BUDGET_MS,
  VERSION,
  type Agent,
  type HookName,
  type Places,
} from '../../core/index.ts';
import { ask, findSocket, firstLineOf, isExecutable, printable, type Sent } from '../../files/index.ts';
import type { HookAnswer, HookFields, ToolHookName } from '../wire/wire.ts';

/** A part of the budget of a tool call; the rest is for the client. hook.sh has the same number. */
const TOOL_ANSWER_MS = TOOL_BUDGET_MS - 30;
/** Time for the Node client to take the event: less would lose it on a busy machine. */
const LEAST_MS = 400;

type Env = Readonly<Record<string, string | undefined>>;

export interface PluginClientOptions {
  readonly agent: Agent;
  /** The data folder. */
  readonly home: string;
  /** The folder of our programs. */
  readonly program: string;
  readonly env: Env;
}

export interface PluginClient {
  /** Delivers an event. Returns our answer; undefined if there is none in time. `attended`: a user sees our messages. */
  deliver(event: HookName, fields: HookFields, attended?: boolean): Promise<HookAnswer | undefined>;
  /** Asks at a tool call. Without the daemon there is no answer. */
  ask(hook: ToolHookName, fields: HookFields): Promise<HookAnswer | undefined>;
}

export function openPluginClient(options: PluginClientOptions): PluginClient {
  const { env, home } = options;
  const places = placesIn(home);
  // Our own calls of a model leave no trace, and sessions that were open at an uninstall neither.
  const isOff = (hook: string): boolean =>
    env['TIDEMARK_NESTED'] === '1' || (hook !== 'SessionStart' && existsSync(places.uninstalled));
  return {
    deliver: (event, fields, attended = true) =>
      quietly(async () => {
        if (isOff(event)) return '';
        const attempt = randomUUID();
        const body = Buffer.from(JSON.stringify(fields));
        const head = envelope(options, attempt, attended);
        const limit = granted(env) || ANSWER_LIMIT_MS[event];
        const started = performance.now();
        const result = await post(options, places, event, Buffer.concat([head, body]), limit);
        if (typeof result === 'object') return result.output;
        const spent = performance.now() - started;
        const left = HOOK_BUDGET_MS[event] + limit - ANSWER_LIMIT_MS[event] - spent;
        return fallBack(options, places, { event, attempt, sent: result, body }, Math.max(LEAST_MS, left));
      }),
    ask: (hook, fields) =>
      quietly(async () => {
        if (isOff(hook)) return '';
        const head = envelope(options, randomUUID(), true);
        const body = Buffer.concat([head, Buffer.from(JSON.stringify(fields))]);
        const result = await post(options, places, hook, body, granted(env) || TOOL_ANSWER_MS);
        return typeof result === 'object' ? result.output : '';
      }),
  };
}

/** The client must never see an error of ours. */
async function quietly(work: () => Promise<string>): Promise<HookAnswer | undefined> {
  try {
    const output = await work();
    return output === '' ? undefined : (JSON.parse(output) as HookAnswer); // made by us
  } catch {
    return undefined;
  }
}

async function post(
  { agent }: PluginClientOptions,
  places: Places,
  hook: string,
  body: Buffer,
  limitMs: number,
): Promise<{ readonly output: string } | Sent> {
  const socket = existsSync(places.leaveAlone) ? undefined : findSocket(places);
  if (socket === undefined) return 'unsent';
  const answer = await ask(socket, `/v1/hook/${hook}/${agent}`, body, limitMs);
  return answer.kind === 'answer' ? { output: answer.output } : answer.kind;
}

interface Undelivered {
  readonly event: HookName;
  readonly attempt: string;
  readonly sent: Sent;
  readonly body: Buffer;
}

/** Runs the hook's Node client. Returns what it prints; empty if that takes too long, but then it continues by itself. */
function fallBack(
  { agent, home, program, env }: PluginClientOptions,
  places: Places,
  { event, attempt, sent, body }: Undelivered,
  limitMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const recorded = firstLineOf(places.node) ?? '';
    const node = isAbsolute(recorded) && isExecutable(recorded) ? recorded : 'node';
    const child = spawn(node, [join(program, 'hook.cjs'), event, attempt, sent, agent], {
      env: { ...env, TIDEMARK_HOME: home, NODE_OPTIONS: '' },
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    const end = (): void => {
      clearTimeout(timer);
      child.unref();
      resolve(printable(Buffer.concat(chunks).toString('utf8')));
    };
    const timer = setTimeout(end, limitMs);
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', end).on('close', end);
    child.stdin.on('error', () => {}); // it ended before it read the event
    child.stdin.end(body);
  });
}

function envelope({ program }: PluginClientOptions, attempt: string, attended: boolean): Buffer {
  const lines = [
    `attempt: ${attempt}`,
    `client: ${VERSION}`,
    ...(program.includes('\n') ? [] : [`program: ${program}`]),
    `pid: ${process.pid}`,
    ...(attended ? [] : ['unattended: 1']),
  ];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

/** Milliseconds that a slow machine allows for every answer. */
function granted(env: Env): number {
  return Number(env['TIDEMARK_ANSWER_S'] ?? 0) * 1000;
}
