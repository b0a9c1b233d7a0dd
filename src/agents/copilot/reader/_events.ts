/** Parses one line of Copilot's `events.jsonl`. Trusts no shape and skips lines without a meaning for turns unparsed. */
import { given } from '../../../core/index.ts';
import { lineText } from '../../reading/json-lines.ts';
import { isObject, parseObject, textOf, timeOf, type JsonObject } from '../../reading/json.ts';

export interface CopilotEvent {
  readonly type: string;
  readonly id: string;
  readonly at?: string;
  /** The subagent whose event it is. Its events are in the file of the session. */
  readonly subagent?: string;
  readonly data: JsonObject;
}

/** Where a session works, as its first event and later ones say. */
export interface Surroundings {
  readonly session?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly clientVersion?: string;
}

/** Hooks repeat whole files, and the system prompt is long: these lines are not parsed. */
const BULK = /^\{"type": ?"(?:hook\.|system\.message|session\.usage|model\.|permission\.)/;
const PEEK_BYTES = 40;

/** `'none'` for a line that is of no interest, undefined for one that is no JSON object. */
export function eventOf(bytes: Buffer): CopilotEvent | 'none' | undefined {
  if (BULK.test(bytes.toString('latin1', 0, PEEK_BYTES))) return 'none';
  const text = lineText(bytes);
  if (text === '') return 'none';
  const json = parseObject(text);
  if (json === undefined) return undefined;
  const { type, id, timestamp, agentId, data } = json;
  if (typeof type !== 'string' || typeof id !== 'string' || !isObject(data)) return 'none';
  return { type, id, data, ...given({ at: timeOf(timestamp), subagent: textOf(agentId) }) };
}

/** Returns what an event says about the surroundings; the same object if it says nothing. */
export function surroundings(known: Surroundings, { type, data, subagent }: CopilotEvent): Surroundings {
  if (subagent !== undefined) return known;
  if (type === 'session.start' || type === 'session.resume') {
    const context = isObject(data['context']) ? data['context'] : {};
    return { ...known, ...sessionOf(data), ...placeOf(context) };
  }
  return type === 'session.context_changed' ? { ...known, ...placeOf(data) } : known;
}

function sessionOf(data: JsonObject): Surroundings {
  return given({ session: textOf(data['sessionId']), clientVersion: textOf(data['copilotVersion']) });
}

function placeOf(context: JsonObject): Surroundings {
  return given({ cwd: textOf(context['cwd']), branch: textOf(context['branch']) });
}
