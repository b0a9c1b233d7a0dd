/** Builds one turn from its messages. Decides its outcome, and whether the client says that the agent stopped. Pure. */
import {
  contentHash,
  given,
  type ToolCall,
  type Turn,
  type TurnOrigin,
  type TurnOutcome,
} from '../../../core/index.ts';
import { isObject, textOf, type JsonObject } from '../../reading/json.ts';
import { reportIn } from '../../reading/report.ts';
import { toolCalls, type Call } from '../../reading/tool-facts.ts';
import type { SessionRow } from './database.ts';
import type { UserMessage } from './prompt.ts';
import { callOf } from './_tools.ts';

/** An answer of the agent: one step of the model. */
export interface Step {
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

export interface TurnParts {
  readonly session: SessionRow;
  readonly message: UserMessage;
  readonly created: number;
  readonly origin: TurnOrigin;
  readonly continues?: string;
  /** Ids of all its messages, in order. */
  readonly messages: readonly string[];
  readonly steps: readonly Step[];
  /** The client told the agent to go on, and there is no step since. */
  readonly isContinued: boolean;
  /** When the next prompt was sent. */
  readonly nextAt?: number;
}

export interface BuiltTurn {
  readonly turn: Turn;
  readonly complete: boolean;
}

/** The model stopped to call tools, or the stream ended early: another step follows. */
const GOES_ON = new Set(['tool-calls', 'unknown']);

export function buildTurn(parts: TurnParts): BuiltTurn {
  const { session, message, created, origin, continues, messages, steps, nextAt } = parts;
  const calls = steps.flatMap((step) => step.parts.flatMap((part) => callOf(part) ?? []));
  const prompt = promptOf(message, calls);
  const spoken = (some: typeof steps): string =>
    some.flatMap((step) => step.parts.flatMap((part) => saidIn(part) ?? [])).join('\n\n');
  const answer = spoken(steps);
  const last = steps.at(-1);
  const cwd = steps.map(({ info }) => folderOf(info)).findLast(Boolean) ?? textOf(session.directory);
  const stopped = parts.isContinued ? undefined : endOf(last, message.kind === 'shell');
  const outcome = stopped ?? outcomeWithoutEnd(last, nextAt);
  const tools = toolCalls(calls, { prompt, answer, cwd: cwd ?? '' });
  const turn: Turn = {
    id: turnId(created, message.raw),
    agent: 'opencode',
    session: session.id,
    origin,
    startedAt: isoTime(created),
    endedAt: isoTime(Math.max(created, ...steps.map(({ info, updated }) => completedAt(info) ?? updated))),
    outcome,
    prompt,
    answer,
    tools: outcome === 'interrupted' ? tools.map(asCutShort) : tools,
    messages,
    ...given({
      continues,
      cwd,
      model: steps.map(({ info }) => textOf(info['modelID'])).findLast(Boolean),
      clientVersion: textOf(session.version),
      report: reportIn(answer, spoken(steps.slice(-1))),
    }),
  };
  return { turn, complete: stopped !== undefined || nextAt !== undefined };
}

/**
 * A fork copies all messages under new ids, so the id derives from what stays the same: the time and the user's text.
 * In the form of a uuid, as the ids of other agents.
 */
export function turnId(created: number, raw: string): string {
  const hash = contentHash(`${created}\n${raw}`);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ].join('-');
}

function asCutShort(call: ToolCall): ToolCall {
  return call.status === 'unknown' ? { ...call, status: 'interrupted' } : call;
}

/** The user's words, also those on denying a tool. */
function promptOf(message: UserMessage, calls: readonly Call[]): string {
  if (message.kind === 'shell') return `!${calls[0]?.pending.command ?? ''}`;
  const typed = message.kind === 'prompt' ? [message.text] : [];
  return [...typed, ...calls.flatMap(({ result }) => result?.said ?? [])].join('\n\n');
}

function saidIn(part: JsonObject): string | undefined {
  if (part['type'] !== 'text' || part['synthetic'] === true || part['ignored'] === true) return undefined;
  return textOf(textOf(part['text'])?.trim());
}

/** How the turn ended, if its last step says so. */
function endOf(last: Step | undefined, isShell: boolean): TurnOutcome | undefined {
  if (last === undefined) return undefined;
  const { error } = last.info;
  if (isObject(error)) return error['name'] === 'MessageAbortedError' ? 'interrupted' : 'failed';
  if (completedAt(last.info) === undefined) return undefined;
  const finish = textOf(last.info['finish']);
  if (isShell || (finish !== undefined && !GOES_ON.has(finish))) return 'answered';
  const results = last.parts.flatMap((part) => callOf(part)?.result ?? []);
  // A denial with the user's words lets the agent go on.
  return results.some(({ status, said }) => status === 'denied' && said === undefined) ? 'denied' : undefined;
}

/** A prompt that was sent while the agent worked does not interrupt it. */
function outcomeWithoutEnd(last: Step | undefined, nextAt: number | undefined): TurnOutcome {
  if (nextAt === undefined) return 'open';
  const completed = last && completedAt(last.info);
  return completed !== undefined && completed >= nextAt ? 'answered' : 'interrupted';
}

function completedAt({ time }: JsonObject): number | undefined {
  const completed = isObject(time) ? time['completed'] : undefined;
  return typeof completed === 'number' ? completed : undefined;
}

function folderOf({ path }: JsonObject): string | undefined {
  return isObject(path) ? textOf(path['cwd']) : undefined;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
