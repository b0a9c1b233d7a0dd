/**
 * What the ledger records: a closed set, one doc line each. A line that does not fit is damage; a kind that is not in
 * the set was written by a newer version and is passed over.
 */
import * as v from 'valibot';
import { MEMORY_KINDS } from '../../core/index.ts';

const at = v.pipe(v.string(), v.regex(/^\d{4}-(0[1-9]|1[0-2])-\d{2}T/, 'not a time in ISO 8601'));
const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** An earlier version may have written one too large to count with: no damage, the exchange replaces it. */
const clock = v.pipe(v.number(), v.integer(), v.minValue(0));
const maybe = v.exactOptional(text);
const texts = v.pipe(v.array(text), v.readonly());
const agent = v.picklist(['claude-code', 'codex', 'opencode', 'gemini']);

/** A memory that stands in no journal (yet), whole. */
const memory = v.object({
  id: text,
  kind: v.picklist(MEMORY_KINDS),
  title: text,
  body: text,
  reason: maybe,
  facts: texts,
  concepts: texts,
  files: texts,
  state: v.picklist(['current', 'open', 'resolved', 'superseded']),
  project: text,
  at,
  branch: maybe,
  author: maybe,
  provenance: v.object({ agent: text, session: text, turn: text, messages: texts, by: text }),
});

const RECORDS = {
  /** What happened to a session, with the facts known at that moment; a later one adds to or replaces them. */
  session: v.object({
    kind: v.literal('session'),
    at,
    session: text,
    change: v.picklist(['started', 'resumed', 'forked', 'cleared', 'compacted', 'titled', 'ended']),
    project: maybe,
    agent: v.exactOptional(agent),
    transcript: maybe,
    branch: maybe,
    worktree: maybe,
    source: maybe,
    reason: maybe,
    title: maybe,
    status: v.exactOptional(v.picklist(['active', 'completed', 'interrupted', 'failed'])),
  }),
  /** A project as it is known from now on: name, keys and paths, whole. */
  project: v.object({
    kind: v.literal('project'),
    at,
    project: v.object({ id: text, name: text, keys: texts, paths: texts }),
  }),
  /** A turn was distilled, by which distiller, into which memories: it is not distilled again. */
  distilled: v.object({ kind: v.literal('distilled'), at, turn: text, by: text, memories: texts }),
  /** A turn that no model improved, and why: not worth a request, or asked for in vain. What `local` made of it stands. */
  passed: v.object({ kind: v.literal('passed'), at, turn: text, driver: text, reason: text }),
  /** What a model answered, as it came, so that a better parser needs no second request; without a turn, the summary. */
  reply: v.object({ kind: v.literal('reply'), at, turn: maybe, session: maybe, driver: text, text }),
  /** What one request cost; without a turn it was for the session's summary. */
  cost: v.object({
    kind: v.literal('cost'),
    at,
    turn: maybe,
    session: text,
    driver: text,
    model: text,
    inputTokens: count,
    outputTokens: count,
    usd: v.number(),
  }),
  /** What was put before the agent, and where; or why nothing was. */
  injected: v.object({
    kind: v.literal('injected'),
    at,
    session: text,
    where: v.picklist(['brief', 'prompt', 'edit']),
    /** The client's id of the prompt, or a hash of it. */
    prompt: maybe,
    memories: v.pipe(v.array(v.object({ id: text, score: v.number() })), v.readonly()),
    considered: count,
    reason: maybe,
    /** The subagent it was put before: the session's own context does not hold it. */
    agent: maybe,
  }),
  /** A memory that was shown was of use: opened, or echoed in the answer. */
  used: v.object({
    kind: v.literal('used'),
    at,
    session: text,
    memory: text,
    how: v.picklist(['opened', 'echoed']),
  }),
  /**
   * What a turn ended on: the files it spoke of as they were (git's blob hash, as far as known) and the commit
   * of the work tree. An entry can say later that its files changed, or that its branch was not merged.
   */
  footing: v.object({
    kind: v.literal('footing'),
    at,
    turn: text,
    session: text,
    project: text,
    branch: maybe,
    head: maybe,
    files: v.record(text, text),
  }),
  /** A text of the client's own that is searched where it lies. */
  source: v.object({ kind: v.literal('source'), at, path: text, project: text }),
  /** What says the same as an earlier entry: counted there, kept here for the fold. An empty `into` takes that back. */
  merged: v.object({
    kind: v.literal('merged'),
    at,
    memory,
    into: text,
    by: v.picklist(['words', 'person']),
  }),
  /** A new memory that waits for a person's yes, where the project wants that; `review` ends the waiting. */
  waiting: v.object({ kind: v.literal('waiting'), at, memory }),
  /** What a person said about a memory. */
  review: v.object({ kind: v.literal('review'), at, memory: text, verdict: text }),
  /** A memory was forgotten: hidden at once, erased later or lifted before that. Holds none of its text. */
  tombstone: v.object({
    kind: v.literal('tombstone'),
    at,
    memory: text,
    turn: text,
    hash: text,
    state: v.picklist(['hidden', 'erased', 'lifted']),
  }),
  /** A prompt of a session whose client has written no transcript (yet); all that is left of it if none ever comes. */
  prompt: v.object({
    kind: v.literal('prompt'),
    at,
    session: text,
    prompt: text,
    promptId: maybe,
    answer: maybe,
    answeredAt: maybe,
  }),
  /** How many secrets of each type were replaced, in what (an event or a turn). */
  redacted: v.object({ kind: v.literal('redacted'), at, of: maybe, counts: v.record(text, count) }),
  /** Capture was paused or goes on: everywhere, in one project or in one session. */
  paused: v.object({
    kind: v.literal('paused'),
    at,
    scope: v.picklist(['everywhere', 'project', 'session']),
    target: maybe,
    paused: v.boolean(),
    until: maybe,
  }),
  /** A project is shared with a team from now on, or is being taken back, or was. */
  shared: v.object({
    kind: v.literal('shared'),
    at,
    project: text,
    remote: text,
    name: text,
    server: text,
    state: v.picklist(['shared', 'leaving', 'left']),
  }),
  /** Something a team server is to get, and under which version: written before it is sent, so that none is used twice. */
  outbox: v.object({
    kind: v.literal('outbox'),
    at,
    remote: text,
    memory: text,
    action: v.picklist(['put', 'tombstone', 'withdraw']),
    clock,
    machine: text,
    hash: text,
  }),
  /** What a team server and this machine agree on about an entry. */
  exchanged: v.object({
    kind: v.literal('exchanged'),
    at,
    remote: text,
    memory: text,
    state: v.picklist(['put', 'withdrawn', 'forgotten']),
    clock,
    machine: text,
    hash: text,
    home: maybe,
    author: maybe,
  }),
  /** Two changed an entry at once: the text that gave way, whole, until a person has seen it (`text` is then left out). */
  conflict: v.object({
    kind: v.literal('conflict'),
    at,
    remote: text,
    memory: text,
    lost: v.picklist(['ours', 'theirs']),
    /** Where the other text was written. */
    machine: text,
    text: v.exactOptional(memory),
  }),
  /** Turns left the turn store because it was full. */
  dropped: v.object({ kind: v.literal('dropped'), at, turns: count, bytes: count, from: text, to: text }),
};

export type LedgerKind = keyof typeof RECORDS;
export type LedgerRecord = v.InferOutput<(typeof RECORDS)[LedgerKind]>;

export type RecordParse =
  | { readonly kind: 'record'; readonly record: LedgerRecord }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'malformed'; readonly reason: string };

export function parseRecord(json: string): RecordParse {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null) return { kind: 'malformed', reason: 'not a JSON object' };
  const { kind } = value as { kind?: unknown };
  if (typeof kind !== 'string') return { kind: 'malformed', reason: 'no kind' };
  if (!isKnown(kind)) return { kind: 'unknown' };
  const parsed = v.safeParse(RECORDS[kind], value);
  if (parsed.success) return { kind: 'record', record: parsed.output };
  const [issue] = parsed.issues;
  return { kind: 'malformed', reason: `${kind}: ${issue.message} (${v.getDotPath(issue) ?? 'record'})` };
}

/** Records with the same key say the same thing: the last one counts. Writing one twice therefore changes nothing. */
export function recordKey(record: LedgerRecord): string {
  switch (record.kind) {
    case 'session':
      return `session:${record.session}:${record.change}:${record.at}`;
    case 'project':
      return `project:${record.project.id}`;
    case 'distilled':
      return `distilled:${record.turn}`;
    case 'passed':
      return `passed:${record.turn}`;
    case 'reply':
      return `reply:${record.turn ?? record.session}:${record.driver}`;
    case 'cost':
      return `cost:${record.turn ?? record.session}:${record.driver}:${record.at}`;
    case 'injected':
      return `injected:${record.session}:${record.where}:${record.prompt ?? record.at}`;
    case 'used':
      return `used:${record.session}:${record.memory}:${record.how}`;
    case 'footing':
      return `footing:${record.turn}`;
    case 'source':
      return `source:${record.path}`;
    case 'merged':
      return `merged:${record.memory.id}`;
    case 'waiting':
      return `waiting:${record.memory.id}`;
    case 'review':
      return `review:${record.memory}`;
    case 'tombstone':
      return `tombstone:${record.memory}`;
    case 'prompt':
      return `prompt:${record.session}:${record.promptId ?? record.at}`;
    case 'redacted':
      return `redacted:${record.of ?? record.at}`;
    case 'paused':
      return `paused:${record.scope}:${record.target ?? ''}`;
    case 'outbox':
      return `outbox:${record.remote}:${record.memory}`;
    case 'shared':
      return `shared:${record.project}`;
    case 'exchanged':
      return `exchanged:${record.remote}:${record.memory}`;
    case 'conflict':
      return `conflict:${record.remote}:${record.memory}:${record.at}`;
    case 'dropped':
      return `dropped:${record.at}`;
  }
}

function isKnown(kind: string): kind is LedgerKind {
  return Object.hasOwn(RECORDS, kind);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
