/**
 * Schemas of the other routes of a team server: search, memories, members, keys and the audit. Same version and rules as
 * wire.ts. Pure.
 */
import * as v from 'valibot';
import { Author, id, name, ROLES, SCOPES, text, time, uuid, WireEntry } from './wire.ts';

/** Most rows of a page; a client asks for the next page with the cursor. */
export const MOST_ROWS = 200;
const DEFAULT_ROWS = 50;
const LONGEST_QUERY = 2000;
const LONGEST_CURSOR = 300;

export const Cursor = v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_CURSOR));
const rows = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_ROWS));
/** A number in a query is text. */
export const countText = (most: number) =>
  v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'not a number'), v.transform(Number), v.maxValue(most));

export const PageQuery = v.object({
  cursor: v.exactOptional(Cursor),
  limit: v.exactOptional(v.pipe(countText(MOST_ROWS), v.minValue(1))),
});

/** An entry as the server returns it: with its project and author. */
export const TeamMemory = v.object({ ...WireEntry.entries, project: uuid, author: Author });
export const MemoryPage = v.object({
  memories: v.pipe(v.array(TeamMemory), v.readonly()),
  cursor: v.nullable(Cursor),
});

export const SearchRequest = v.object({
  query: v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_QUERY)),
  project: v.exactOptional(uuid),
  limit: v.optional(rows, DEFAULT_ROWS),
  cursor: v.exactOptional(Cursor),
});
const { machine: _machine, version: _version, ...found } = WireEntry.entries;
/** A `TeamMemory` without the fields that only syncing needs. */
export const FoundMemory = v.object({ ...found, project: uuid, author: Author });
export const SearchAnswer = v.object({
  hits: v.pipe(
    v.array(
      v.object({
        /** Between 0 and 1: relative to the best hit. */
        score: v.number(),
        /** Between 0 and 1: how sure it is that this hit answers the query. */
        evidence: v.number(),
        memory: FoundMemory,
      }),
    ),
    v.readonly(),
  ),
  cursor: v.nullable(Cursor),
});

export const TeamMember = v.object({
  id: uuid,
  name,
  role: v.picklist(ROLES),
  createdAt: time,
  removedAt: v.exactOptional(time),
});
export const MemberList = v.object({ members: v.pipe(v.array(TeamMember), v.readonly()) });
export const NewMember = v.object({ name: v.pipe(name, v.minLength(1)), role: v.picklist(ROLES) });
export const MemberChange = v.object({
  name: v.exactOptional(NewMember.entries.name),
  role: v.exactOptional(NewMember.entries.role),
});

/** `handOver`: the member who gets their projects. `erase`: also forget their memories; repeat it until `more` is false. */
export const Removal = v.object({
  handOver: v.exactOptional(uuid),
  erase: v.exactOptional(v.literal('true', 'erase=true, or leave it out')),
});
export const Removed = v.object({
  /** Projects that belong to another member now. */
  handedOver: v.pipe(v.array(uuid), v.readonly()),
  /** Memories forgotten by this request. */
  erased: v.number(),
  /** Memories of theirs remain: send the same request again. */
  more: v.boolean(),
});

/** By name; null removes one. The names and values are in docs/server.md. */
export const TeamSettings = v.object({ settings: v.record(name, v.unknown()) });

export const TeamKey = v.object({
  id: name,
  member: uuid,
  name,
  prefix: name,
  scopes: v.pipe(v.array(v.picklist(SCOPES)), v.readonly()),
  createdAt: time,
  expiresAt: v.exactOptional(time),
  revokedAt: v.exactOptional(time),
  lastUsedAt: v.exactOptional(time),
});
export const KeyList = v.object({ keys: v.pipe(v.array(TeamKey), v.readonly()) });
export const NewKey = v.object({
  /** The caller's own without it. */
  member: v.exactOptional(uuid),
  name: v.optional(name, ''),
  scopes: v.pipe(v.array(v.picklist(SCOPES)), v.minLength(1), v.maxLength(SCOPES.length), v.readonly()),
  expiresAt: v.exactOptional(time),
});
/** `secret` is the complete key, shown only once. */
export const MadeKey = v.object({ key: TeamKey, secret: v.string() });

const access = v.picklist(['read', 'write']);
export const ShareBody = v.object({ access });
export const ShareList = v.object({
  /** No member: everyone in the team. */
  shares: v.pipe(v.array(v.object({ member: v.nullable(uuid), access })), v.readonly()),
});

export const AuditPage = v.object({
  entries: v.pipe(
    v.array(
      v.object({
        id: v.number(),
        at: time,
        member: v.exactOptional(uuid),
        key: v.exactOptional(name),
        action: name,
        object: text,
        detail: v.record(v.string(), v.unknown()),
      }),
    ),
    v.readonly(),
  ),
  cursor: v.nullable(Cursor),
});

/** The public answer of a server: that it is a Tidemark server, and its version. */
export const Health = v.object({
  status: v.literal('ok'),
  name: v.literal('tidemark'),
  version: name,
  /** Only of a trial with an embedded database. */
  trial: v.optional(v.boolean()),
});

/** `key` is part of the hub's address and admits one browser, once. */
export const HubLink = v.object({ key: v.string(), until: time });

export const Nothing = v.object({});
export const Withdrawn = v.object({ withdrawn: v.pipe(v.number(), v.integer()) });
export const MemoryIdParam = v.object({ id });

export type TeamMemory = v.InferOutput<typeof TeamMemory>;
export type MemoryPage = v.InferOutput<typeof MemoryPage>;
export type SearchRequest = v.InferOutput<typeof SearchRequest>;
export type SearchAnswer = v.InferOutput<typeof SearchAnswer>;
export type FoundMemory = v.InferOutput<typeof FoundMemory>;
export type TeamMember = v.InferOutput<typeof TeamMember>;
export type TeamKey = v.InferOutput<typeof TeamKey>;
export type MadeKey = v.InferOutput<typeof MadeKey>;
export type AuditPage = v.InferOutput<typeof AuditPage>;
export type ShareList = v.InferOutput<typeof ShareList>;
export type HubLink = v.InferOutput<typeof HubLink>;
