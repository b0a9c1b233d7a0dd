/**
 * The record types of the ledger: a closed set. A line that does not match its type is damaged; a line of an unknown kind
 * was written by a newer version and is skipped.
 */
import * as v from 'valibot';
import { AGENTS, EVIDENCE, MEMORY_KINDS, SUMMARY_FIELDS, type SessionSummary } from '../../core/index.ts';

const at = v.pipe(v.string(), v.regex(/^\d{4}-(0[1-9]|1[0-2])-\d{2}T/, 'not a time in ISO 8601'));
const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** An earlier version may have written an unsafe integer. That is not damage: the exchange replaces it. */
const clock = v.pipe(v.number(), v.integer(), v.minValue(0));
const maybe = v.exactOptional(text);
const texts = v.pipe(v.array(text), v.readonly());
const agent = v.picklist(AGENTS);

/** A complete memory that is not in the journal (yet). */
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
  evidence: v.exactOptional(v.picklist(EVIDENCE)),
  ended: v.exactOptional(v.object({ at, turn: text, maker: text, by: maybe })),
  supersedes: v.exactOptional(texts),
  provenance: v.object({ agent: text, session: text, turn: text, messages: texts, by: text }),
});

/** The eight fields, all of them texts. */
const summary = v.object(
  Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, text])) as Record<
    keyof SessionSummary,
    typeof text
  >,
);

/** Defines a record type; every record has a kind and a time. */
function record<const K extends string, E extends v.ObjectEntries>(kind: K, fields: E) {
  return v.object({ kind: v.literal(kind), at, ...fields });
}

const RECORDS = {
  /** An event of a session with the facts known at that time; a later record adds to them or replaces them. */
  session: record('session', {
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
    /** The number of turns by another tool's count, where it kept none of them. */
    turns: v.exactOptional(count),
  }),
  /** The complete name, keys and paths of a project from now on. */
  project: record('project', { project: v.object({ id: text, name: text, keys: texts, paths: texts }) }),
  /** A turn was distilled into these memories. It is not distilled again. */
  distilled: record('distilled', { turn: text, by: text, memories: texts }),
  /** The small model could not read this turn. The memories of the rules stay. */
  passed: record('passed', { turn: text, reason: text }),
  /** The summary of a session that another tool wrote. */
  summary: record('summary', { session: text, by: text, summary }),
  /** The memories injected at one moment, or the reason why none was. */
  injected: record('injected', {
    session: text,
    where: v.picklist(['brief', 'prompt', 'read', 'edit', 'stop']),
    /** The client's id of the prompt, or a hash of it. */
    prompt: maybe,
    /**
     * `read`: the log odds of the small model, if it read the memory with the prompt. `similar`: its meaning is near that
     * of the prompt. `file`: the file that was read or about to be changed.
     */
    memories: v.pipe(
      v.array(
        v.object({
          id: text,
          score: v.number(),
          read: v.exactOptional(v.number()),
          similar: v.exactOptional(v.boolean()),
          file: v.exactOptional(text),
        }),
      ),
      v.readonly(),
    ),
    /** The past session whose end was injected, and why. */
    conversation: v.exactOptional(v.object({ session: text, score: v.number(), why: text })),
    considered: count,
    reason: maybe,
    /** The subagent that got the memories: they are not in the session's own context. */
    agent: maybe,
  }),
  /** The agent opened a memory. */
  opened: record('opened', { session: text, memory: text }),
  /**
   * State of the work tree when a turn ended: git's blob hash of each file it mentions, as far as known, and the
   * commit. Lets an entry report later that its files changed or that its branch is not merged.
   */
  footing: record('footing', {
    turn: text,
    session: text,
    project: text,
    branch: maybe,
    head: maybe,
    files: v.record(text, text),
  }),
  /** A text file of the client, or a folder of notes, that is searched in place; or that it is no longer. */
  source: record('source', {
    path: text,
    project: text,
    isFolder: v.exactOptional(v.literal(true)),
    isRemoved: v.exactOptional(v.literal(true)),
  }),
  /** A memory that repeats an earlier one, which counts it. An empty `into` takes the merge back. */
  merged: record('merged', { memory, into: text, by: v.picklist(['words', 'person']) }),
  /** A new memory that waits for the user's review, where the project requires one. A `review` record ends the wait. */
  waiting: record('waiting', { memory }),
  /** A note that the agent made with a tool in a turn that is not stored yet. Erased when it is a memory. */
  noted: record('noted', {
    session: text,
    call: text,
    project: text,
    root: maybe,
    quote: text,
    ends: texts,
    by: maybe,
    draft: v.exactOptional(
      v.object({
        kind: v.picklist(MEMORY_KINDS),
        title: text,
        body: text,
        reason: maybe,
        facts: texts,
        concepts: texts,
        files: texts,
        personal: v.exactOptional(v.boolean()),
      }),
    ),
  }),
  /** The user changed a memory: its text (with the old one, redacted and cut), or its state. */
  changed: record('changed', {
    memory: text,
    how: v.picklist(['edited', 'resolved', 'reopened', 'superseded']),
    by: maybe,
    before: v.exactOptional(v.object({ title: text, body: text, reason: maybe })),
  }),
  /** The user's verdict on a memory. */
  review: record('review', { memory: text, verdict: text }),
  /** A memory was forgotten: hidden at once, then erased, or restored before that (`lifted`). Contains none of its text. */
  tombstone: record('tombstone', {
    memory: text,
    turn: text,
    hash: text,
    state: v.picklist(['hidden', 'erased', 'lifted']),
    project: maybe,
  }),
  /** A prompt of a session without a transcript (so far). If none is ever written, this is the only copy. */
  prompt: record('prompt', {
    session: text,
    prompt: text,
    promptId: maybe,
    answer: maybe,
    answeredAt: maybe,
  }),
  /** The number of secrets of each type that were replaced in an event or a turn. */
  redacted: record('redacted', { of: maybe, counts: v.record(text, count) }),
  /** Capture was paused or resumed everywhere, in one project or in one session. */
  paused: record('paused', {
    scope: v.picklist(['everywhere', 'project', 'session']),
    target: maybe,
    paused: v.boolean(),
    until: maybe,
  }),
  /** A project was shared with a team, is being withdrawn, or was withdrawn. */
  shared: record('shared', {
    project: text,
    remote: text,
    name: text,
    server: text,
    state: v.picklist(['shared', 'leaving', 'left']),
  }),
  /** A change to send to a team server. Written before it is sent, so that no version is used twice. */
  outbox: record('outbox', {
    remote: text,
    memory: text,
    action: v.picklist(['put', 'tombstone', 'withdraw']),
    clock,
    machine: text,
    hash: text,
  }),
  /** A new entry of a shared project waits before it is sent, or the user held it back or shared it. */
  sharing: record('sharing', { memory: text, state: v.picklist(['waiting', 'held', 'released']) }),
  /** The version of an entry that a team server and this machine agree on. */
  exchanged: record('exchanged', {
    remote: text,
    memory: text,
    state: v.picklist(['put', 'withdrawn', 'forgotten']),
    clock,
    machine: text,
    hash: text,
    home: maybe,
    author: maybe,
  }),
  /** Two machines changed an entry at once. `text` is the replaced version until the user has seen it, then left out. */
  conflict: record('conflict', {
    remote: text,
    memory: text,
    lost: v.picklist(['ours', 'theirs']),
    /** The machine that wrote the other text. */
    machine: text,
    text: v.exactOptional(memory),
  }),
  /** Turns were removed because the turn store was full. */
  dropped: record('dropped', { turns: count, bytes: count, from: text, to: text }),
};

export type LedgerKind = keyof typeof RECORDS;
export type LedgerRecord = v.InferOutput<(typeof RECORDS)[LedgerKind]>;

export type RecordParse =
  | { readonly kind: 'record'; readonly record: LedgerRecord }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'malformed'; readonly reason: string };

/** With `only`, a record of another kind is `unknown`. */
export function parseRecord(json: string, only?: LedgerKind): RecordParse {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null) return { kind: 'malformed', reason: 'not a JSON object' };
  const { kind } = value as { kind?: unknown };
  if (typeof kind !== 'string') return { kind: 'malformed', reason: 'no kind' };
  if (!isKnown(kind) || (only !== undefined && kind !== only)) return { kind: 'unknown' };
  const parsed = v.safeParse(RECORDS[kind], value);
  if (parsed.success) return { kind: 'record', record: parsed.output };
  const [issue] = parsed.issues;
  return { kind: 'malformed', reason: `${kind}: ${issue.message} (${v.getDotPath(issue) ?? 'record'})` };
}

/** Returns the key of a record. Of records with the same key the last one counts, so writing one twice changes nothing. */
export function recordKey(record: LedgerRecord): string {
  const key = KEYS[record.kind] as (record: LedgerRecord) => string; // the function for this kind
  return `${record.kind}:${key(record)}`;
}

const KEYS: { readonly [K in LedgerKind]: (record: v.InferOutput<(typeof RECORDS)[K]>) => string } = {
  session: ({ session, change, at }) => `${session}:${change}:${at}`,
  project: ({ project }) => project.id,
  distilled: ({ turn }) => turn,
  passed: ({ turn }) => turn,
  summary: ({ session }) => session,
  injected: ({ session, where, prompt, at }) => `${session}:${where}:${prompt ?? at}`,
  opened: ({ session, memory }) => `${session}:${memory}`,
  footing: ({ turn }) => turn,
  source: ({ path }) => path,
  merged: ({ memory }) => memory.id,
  waiting: ({ memory }) => memory.id,
  noted: ({ session, call, at }) => `${session}:${call}:${at}`,
  changed: ({ memory, at }) => `${memory}:${at}`,
  review: ({ memory }) => memory,
  tombstone: ({ memory }) => memory,
  prompt: ({ session, promptId, at }) => `${session}:${promptId ?? at}`,
  redacted: ({ of, at }) => of ?? at,
  paused: ({ scope, target }) => `${scope}:${target ?? ''}`,
  outbox: ({ remote, memory }) => `${remote}:${memory}`,
  shared: ({ project }) => project,
  sharing: ({ memory }) => memory,
  exchanged: ({ remote, memory }) => `${remote}:${memory}`,
  conflict: ({ remote, memory, at }) => `${remote}:${memory}:${at}`,
  dropped: ({ at }) => at,
};

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
