/**
 * Schemas of the requests and answers between a team server and its clients, version 1. Both sides check what they
 * receive. Pure; the routes are in docs/server-api.md.
 */
import * as v from 'valibot';
import { LONGEST_TITLE, EVIDENCE, ID_PATTERN, MEMORY_KINDS } from '../../core/index.ts';

export const ROLES = ['owner', 'member', 'reader'] as const;
export const SCOPES = ['read', 'write', 'admin'] as const;
/** How the server searches by meaning: an index of the database, rescoring of full-text hits, or not at all. */
export const VECTORS = ['pgvector', 'rescoring', 'none'] as const;

/** Limits of one request; a client splits larger ones. */
export const MOST_CHANGES = 500;
export const MOST_BYTES = 5 * 1024 * 1024;
/** Longer texts are cut before they are sent. */
export const LONGEST_TEXT = 64 * 1024;
export const LONGEST_NAME = 500;
export const MOST_ITEMS = 200;

export const name = v.pipe(v.string(), v.maxLength(LONGEST_NAME));
export const text = v.pipe(v.string(), v.maxLength(LONGEST_TEXT));
const names = v.pipe(v.array(name), v.maxLength(MOST_ITEMS), v.readonly());
const texts = v.pipe(v.array(text), v.maxLength(MOST_ITEMS), v.readonly());
export const id = v.pipe(v.string(), v.regex(ID_PATTERN, 'not an id of a memory'));
export const uuid = v.pipe(v.string(), v.uuid());
export const time = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Orders the texts of an entry: the higher clock wins, then the later machine name. */
export const Version = v.object({ clock: count, machine: v.pipe(name, v.minLength(1)) });

export const WireEntry = v.object({
  id,
  kind: v.picklist(MEMORY_KINDS),
  title: v.pipe(v.string(), v.maxLength(LONGEST_TITLE)),
  body: text,
  reason: v.exactOptional(text),
  facts: texts,
  concepts: names,
  files: names,
  state: v.picklist(['current', 'open', 'resolved', 'superseded']),
  at: time,
  branch: v.exactOptional(name),
  supersedes: v.exactOptional(v.pipe(v.array(id), v.maxLength(MOST_ITEMS), v.readonly())),
  supersededBy: v.exactOptional(id),
  resolvedBy: v.exactOptional(id),
  evidence: v.exactOptional(v.picklist(EVIDENCE)),
  seen: v.exactOptional(count),
  provenance: v.object({ agent: name, session: name, turn: name, messages: names, by: name }),
  /** The machine whose journal file it is stored in. */
  machine: v.pipe(name, v.regex(/^[A-Za-z0-9_-]+$/, 'not a name for a machine')),
  version: Version,
});

/** `withdraw`: no longer shared, may be shared again; `tombstone`: forgotten for good. */
export const Change = v.variant('op', [
  v.object({ op: v.literal('put'), entry: WireEntry }),
  v.object({ op: v.literal('tombstone'), id, turn: name, hash: name, version: Version }),
  v.object({ op: v.literal('withdraw'), id, version: Version }),
]);

export const PushRequest = v.object({
  changes: v.pipe(v.array(Change), v.minLength(1), v.maxLength(MOST_CHANGES), v.readonly()),
  /** A repeated key is a repeated request: answered as before, applied once. */
  idempotencyKey: v.pipe(name, v.minLength(8)),
});

/**
 * `older`: another text is current, and its version is returned. `forgotten`: a member has forgotten the entry.
 * `refused`: the change is not stored, and `reason` says why; the other changes of the request are.
 */
export const PushResult = v.object({
  id,
  outcome: v.picklist(['stored', 'same', 'older', 'forgotten', 'refused']),
  version: v.exactOptional(Version),
  reason: v.exactOptional(text),
});
export const PushAnswer = v.object({ results: v.pipe(v.array(PushResult), v.readonly()), cursor: count });

export const Author = v.object({ id: uuid, name });
const SeenChange = v.intersect([Change, v.object({ seq: count, author: Author })]);
export const PullAnswer = v.object({
  changes: v.pipe(v.array(SeenChange), v.readonly()),
  /** `after` of the next request. */
  next: count,
  more: v.boolean(),
  /** The highest clock that the server accepts at this moment. Older servers do not send it. */
  latest: v.exactOptional(count),
  /** Access of the caller's key, so that a reader's client sends nothing. Older servers do not send it. */
  access: v.exactOptional(v.picklist(['read', 'write'])),
  /** Settings that the team makes stricter on this machine. Older servers do not send it. */
  settings: v.exactOptional(v.record(name, v.unknown())),
});

/** Projects in one wait. A client with more leaves the others to its regular pulls. */
export const MOST_WAITED = 200;
export const WaitRequest = v.object({
  projects: v.pipe(
    v.array(v.object({ id: uuid, after: count })),
    v.minLength(1),
    v.maxLength(MOST_WAITED),
    v.readonly(),
  ),
});
/** All empty: nothing changed in time. */
export const Waited = v.object({
  /** Projects with changes after the given number. */
  changed: v.pipe(v.array(uuid), v.readonly()),
  /** Projects that do not exist or are not shared with the caller. */
  gone: v.pipe(v.array(uuid), v.readonly()),
  /** The client pulls at a random moment within this time, because many others get the same answer now. */
  spreadMs: count,
});

export const Me = v.object({
  member: v.object({ id: uuid, name, role: v.picklist(ROLES) }),
  team: v.object({ id: uuid, name }),
  key: v.object({
    id: name,
    scopes: v.pipe(v.array(v.picklist(SCOPES)), v.readonly()),
    expiresAt: v.nullable(time),
  }),
  server: v.object({ version: name, vectors: v.picklist(VECTORS) }),
});

export const NewProject = v.object({
  name: v.pipe(name, v.minLength(1)),
  keys: names,
  /** Members who can write to a new project: everyone in the team, or only its creator. */
  with: v.optional(v.picklist(['everyone', 'nobody']), 'everyone'),
});
export const SharedProject = v.object({
  id: uuid,
  name,
  keys: names,
  /** Access of the caller. */
  access: v.picklist(['read', 'write']),
  createdBy: Author,
});
export const ProjectPage = v.object({
  projects: v.pipe(v.array(SharedProject), v.readonly()),
  cursor: v.nullable(name),
});

export const WireError = v.object({
  error: v.object({ code: name, message: text, hint: v.exactOptional(text) }),
});

export type Version = v.InferOutput<typeof Version>;
export type WireEntry = v.InferOutput<typeof WireEntry>;
export type Change = v.InferOutput<typeof Change>;
export type PushRequest = v.InferOutput<typeof PushRequest>;
export type PushResult = v.InferOutput<typeof PushResult>;
export type PushAnswer = v.InferOutput<typeof PushAnswer>;
export type PullAnswer = v.InferOutput<typeof PullAnswer>;
export type WaitRequest = v.InferOutput<typeof WaitRequest>;
export type Waited = v.InferOutput<typeof Waited>;
export type Me = v.InferOutput<typeof Me>;
export type NewProject = Omit<v.InferOutput<typeof NewProject>, 'with'> & {
  readonly with?: 'everyone' | 'nobody';
};
export type SharedProject = v.InferOutput<typeof SharedProject>;
export type ProjectPage = v.InferOutput<typeof ProjectPage>;
export type WireError = v.InferOutput<typeof WireError>;

/** Whether `a` wins against `b`. */
export function isLater(a: Version, b: Version): boolean {
  return a.clock > b.clock || (a.clock === b.clock && a.machine > b.machine);
}
