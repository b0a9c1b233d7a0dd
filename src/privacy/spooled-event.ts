/**
 * Turns a hook's stdin into an event that may be written: only the fields we use, bounded and redacted. The socket and the
 * fallback both use it, so that they give the same event.
 */
import {
  FIRST_AGENT,
  given,
  isAgent,
  isHookName,
  type Agent,
  type ClientProcess,
  type HookInput,
  type HookName,
  type SpooledEvent,
} from '../core/index.ts';
import { redact } from './redact.ts';

/** Enough for recall, and to replace a missing transcript; the transcript has the full text. */
const FIELD_LIMIT = 64 * 1024;
/** A cut could split a secret and hide it from the rules, so it moves back to white space within this range. */
const CUT_REACH = 4 * 1024;

const TEXT_FIELDS = [
  'transcript_path',
  'cwd',
  'prompt_id',
  'prompt',
  'source',
  'reason',
  'trigger',
  'agent_id',
  'agent_type',
  'agent_transcript_path',
  'last_assistant_message',
  'session_title',
] as const;

/** Names the agent of an input, and translates it into our fields or gives the reason why it is no event. */
export type Translate = (input: Readonly<Record<string, unknown>>) => {
  readonly agent: Agent;
  readonly fields: Readonly<Record<string, unknown>> | string;
};

export interface Envelope {
  readonly attempt: string;
  readonly projectDir?: string;
  /** Reports whether a regular file exists at a path. Asked only about transcripts whose path looks like a secret. */
  readonly isFile?: (path: string) => boolean;
}

/**
 * A client names the folder of a transcript after the whole path of the project, in one word, which can look like a
 * secret. The path of an existing file stays as it is, or the session could not be read.
 */
const FILE_FIELDS: readonly string[] = ['transcript_path', 'agent_transcript_path'];

export type EventParse =
  | { readonly ok: true; readonly event: SpooledEvent; readonly counts: Readonly<Record<string, number>> }
  /** `isIgnored`: it is as the client should send it, but no event of ours. */
  | { readonly ok: false; readonly reason: string; readonly isIgnored?: true };

/** Parses a hook's stdin. `name` is the event of the hook entry, because some inputs do not name it. */
export function toSpooledEvent(
  stdin: string,
  name: HookName,
  envelope: Envelope,
  at: Date,
  translate: Translate = asItIs,
): EventParse {
  const given = parse(stdin);
  if (given === undefined)
    return { ok: false, reason: stdin.trim() === '' ? 'empty input' : 'input is not a JSON object' };
  const { agent, fields: raw } = translate(given);
  if (typeof raw === 'string') return { ok: false, reason: raw, isIgnored: true };
  const named = raw['hook_event_name'];
  if (named !== undefined && named !== name) return { ok: false, reason: 'input names another event' };
  const session = raw['session_id'];
  if (typeof session !== 'string' || session === '') return { ok: false, reason: 'input has no session_id' };

  const counts: Record<string, number> = {};
  const clean = (text: string, isKept?: (text: string) => boolean): string => {
    const redacted = redact(bounded(text));
    if (redacted.text !== text && isKept?.(text)) return text;
    for (const [type, n] of Object.entries(redacted.counts)) counts[type] = (counts[type] ?? 0) + n;
    return redacted.text;
  };
  const fields: Partial<Record<(typeof TEXT_FIELDS)[number], string>> = {};
  for (const field of TEXT_FIELDS) {
    const value = raw[field];
    if (typeof value === 'string')
      fields[field] = clean(value, FILE_FIELDS.includes(field) ? envelope.isFile : undefined);
  }
  const tasks = raw['background_tasks'];
  const input: HookInput = {
    ...fields,
    session_id: clean(session),
    hook_event_name: name,
    ...(typeof raw['stop_hook_active'] === 'boolean' ? { stop_hook_active: raw['stop_hook_active'] } : {}),
    ...(Array.isArray(tasks) ? { background_tasks: tasks.length } : {}),
  };
  const projectDir = envelope.projectDir === undefined ? {} : { projectDir: clean(envelope.projectDir) };
  return {
    ok: true,
    event: { id: envelope.attempt, at: at.toISOString(), agent, ...projectDir, input },
    counts,
  };
}

const asItIs: Translate = (fields) => ({ agent: FIRST_AGENT, fields });

/** Parses an event from disk; undefined if it is incomplete or not ours. */
export function readSpooledEvent(value: unknown): SpooledEvent | undefined {
  if (!isRecord(value) || !isRecord(value['input'])) return undefined;
  const { id, at, agent, input } = value;
  if (typeof id !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return undefined;
  if (typeof agent !== 'string' || !isAgent(agent)) return undefined;
  if (typeof input['session_id'] !== 'string') return undefined;
  if (typeof input['hook_event_name'] !== 'string' || !isHookName(input['hook_event_name'])) return undefined;
  // toSpooledEvent wrote the text fields; a field of another type is dropped.
  const texts = TEXT_FIELDS.filter((field) => typeof input[field] === 'string').map((field) => [
    field,
    input[field],
  ]);
  const projectDir = typeof value['projectDir'] === 'string' ? { projectDir: value['projectDir'] } : {};
  return {
    id,
    at,
    agent,
    ...projectDir,
    ...given({ client: readClient(value['client']) }),
    input: {
      ...Object.fromEntries(texts),
      session_id: input['session_id'],
      hook_event_name: input['hook_event_name'],
      ...(typeof input['stop_hook_active'] === 'boolean'
        ? { stop_hook_active: input['stop_hook_active'] }
        : {}),
      ...(typeof input['background_tasks'] === 'number'
        ? { background_tasks: input['background_tasks'] }
        : {}),
    },
  };
}

function readClient(value: unknown): ClientProcess | undefined {
  if (!isRecord(value)) return undefined;
  const { pid, startTime } = value;
  return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
}

function bounded(text: string): string {
  if (text.length <= FIELD_LIMIT) return text;
  const head = text.slice(0, FIELD_LIMIT);
  const space = head.search(/\s\S*$/);
  const cut = space >= FIELD_LIMIT - CUT_REACH ? space : FIELD_LIMIT - CUT_REACH;
  return `${head.slice(0, cut)} [... truncated, original: ${text.length} chars]`;
}

function parse(stdin: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(stdin);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
