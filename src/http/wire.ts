/**
 * The API between the hub's page and its server: every route under `/api` with its query, body and answer. Types only;
 * the page imports them from `src/http/index.ts` with `import type`. Answers are derived from the functions that build
 * them, queries and bodies from the schemas that check them. A team server has only some of the routes: `GET /here`
 * says which kind of hub answers.
 *
 * Every request carries the cookie and the header `tidemark-page` (from `POST /api/page-key`). POST and PUT carry
 * `content-type: application/json`. Times are ISO 8601 UTC, days are `YYYY-MM-DD` in the requested zone
 * (`zone=Europe/Vienna`; without it, the zone of the machine). An error is an `ErrorBody` with an HTTP status.
 *
 * Tests and `bench/hub.ts` find elements by `data-testid`: `home-memory`, `overview-card`, `heatmap`, `memory-row`, `timeline` (the
 * list that scrolls), `load-more`, `search-input`, `search-hit`, `live`.
 */
import type { InferInput, InferOutput } from 'valibot';
import type { ConfigProblem } from '../config/index.ts';
import type { Memory, StoredTurn } from '../core/index.ts';
import type { Conflict } from '../database/index.ts';
import type { DaemonStatus, HubReads, SettingRow } from '../daemon/index.ts';
import type { KeepHealth } from '../distill/index.ts';
import type { ImportProgress, ImportReport } from '../exchange/import/index.ts';
import type { AuditPage, ROLES, ShareList, TeamKey, TeamMember } from '../exchange/sync/index.ts';
import type { TeamView } from '../exchange/sync/team/index.ts';
import type { Change, Moment, UsedMemory } from '../recall/index.ts';
import type { ErrorShape } from './answer.ts';
import type {
  AuditInput,
  ChangeBody,
  EditBody,
  ImportBody,
  ListInput,
  MemoriesInput,
  MoveBody,
  ReviewBody,
  SearchInput,
  SessionsInput,
  SettingBody,
  SupersedeBody,
  ZoneInput,
} from './hub-input.ts';

/** Route → query or body, and answer. `:id` is one encoded path segment. */
export interface Routes {
  'GET /here': { readonly answer: Here };
  'GET /overview': { readonly query: InferInput<typeof ZoneInput>; readonly answer: Overview };
  'GET /home': { readonly query: InferInput<typeof ZoneInput>; readonly answer: Home };
  'GET /changes': { readonly query: InferInput<typeof ListInput>; readonly answer: readonly Change[] };
  'GET /uses': { readonly query: InferInput<typeof ListInput>; readonly answer: Uses };
  'GET /projects': { readonly answer: readonly ProjectCard[] };
  'GET /projects/:id': { readonly answer: ProjectDetail };
  'GET /memories': { readonly query: MemoriesQuery; readonly answer: MemoryList };
  'GET /memories/:id': { readonly answer: MemoryDetail };
  'GET /memories/:id/transcript': { readonly answer: Conversation };
  'POST /memories/:id/edit': { readonly body: EditRequest; readonly answer: Changed };
  'POST /memories/:id/resolve': { readonly body: ChangeRequest; readonly answer: Changed };
  'POST /memories/:id/reopen': { readonly body: ChangeRequest; readonly answer: Changed };
  'POST /memories/:id/supersede': { readonly body: SupersedeRequest; readonly answer: Changed };
  'POST /memories/:id/move': { readonly body: MoveRequest; readonly answer: Changed };
  'POST /memories/:id/forget': { readonly body: ChangeRequest; readonly answer: Forgotten };
  'POST /memories/:id/undo-forget': { readonly body: Nothing; readonly answer: Changed };
  'GET /search': { readonly query: InferInput<typeof SearchInput>; readonly answer: Found };
  'GET /sessions': { readonly query: InferInput<typeof SessionsInput>; readonly answer: SessionList };
  'GET /sessions/:id': { readonly answer: SessionDetail };
  'GET /review': { readonly answer: readonly Waiting[] };
  'POST /review/:id': { readonly body: ReviewRequest; readonly answer: readonly Waiting[] };
  'GET /trash': { readonly answer: TrashList };
  'GET /settings': { readonly answer: Settings };
  'PUT /settings/:key': { readonly body: InferOutput<typeof SettingBody>; readonly answer: SettingRow };
  'GET /import/sources': { readonly answer: readonly ImportSource[] };
  'GET /import': { readonly answer: ImportState };
  'POST /import/history': { readonly body: ImportRequest; readonly answer: ImportState };
  'POST /import/cancel': { readonly body: Nothing; readonly answer: ImportState };
  'GET /team': { readonly answer: Team };
  'GET /members': { readonly answer: Members };
  'GET /audit': { readonly query: InferInput<typeof AuditInput>; readonly answer: AuditList };
  'POST /logout': { readonly body: Nothing; readonly answer: Nothing };
  'POST /page-key': { readonly body: Nothing; readonly answer: { readonly key: string } };
}

export type Nothing = Readonly<Record<string, never>>;

export interface ErrorBody extends ErrorShape {
  /** With 409 `conflict`: the current entry and its revision. */
  readonly present?: Changed;
}

/** The answer of one of the reader thread's calls for the hub. */
type Read<K extends keyof HubReads> = Awaited<ReturnType<HubReads[K]>>;
/** A page of a list as it is sent: the place of the next page is text that `before` accepts. */
type Listed<T extends { readonly next: unknown }> = Omit<T, 'next'> & { readonly next: string | null };

export type Here = {
  readonly version: string;
  /** Names of the agents for users, by id. */
  readonly agents: Readonly<Record<string, string>>;
} & (
  | { readonly kind: 'machine' }
  | {
      readonly kind: 'team';
      readonly team: string;
      readonly member: { readonly id: string; readonly name: string; readonly role: Role };
      /** Whether role and key allow any change. */
      readonly mayWrite: boolean;
      /** The server is a trial with an embedded database. */
      readonly isTrial: boolean;
    }
);

export type Role = (typeof ROLES)[number];

// Overview

type OverviewRead = Read<'read.overview'>;

export interface Overview extends Omit<OverviewRead, 'paused' | 'captures' | 'inReview'> {
  /** Only on a machine. */
  readonly health?: CaptureHealth;
  /** Only on a team server: how many members wrote the memories counted here. */
  readonly authors?: number;
}

export type DayCount = Overview['heatmap'][number];

export interface CaptureHealth extends Pick<OverviewRead, 'paused' | 'inReview'> {
  /** `off`: by the setting capture.enabled; `paused`: everywhere, by `tidemark pause`. */
  readonly state: 'capturing' | 'paused' | 'off';
  readonly version: string;
  readonly daemonSince: string;
  readonly busy: boolean;
  readonly lastHook: DaemonStatus['lastEvent'];
  /** Events that are accepted but not processed yet. */
  readonly spoolBacklog: number;
  readonly oldestWaiting?: string;
  readonly setAside: DaemonStatus['setAside'];
  readonly configProblems: readonly ConfigProblem[];
  /** The small model, which distills every turn on this machine. */
  readonly small: KeepHealth;
}

/** The first screen. Newest first; a team server has no changes and no uses. */
export type Home = Omit<Read<'read.home'>, 'changed' | 'used'> &
  Partial<Pick<Read<'read.home'>, 'changed' | 'used'>>;
export type Uses = Read<'read.uses'>;
export type { Change, UsedMemory };

// Projects

/** Only on a team server: the names of those who wrote the project's memories. */
interface Authored {
  readonly authors?: readonly string[];
}

export type ProjectCard = Read<'read.cards'>[number] & Authored;
/** `page` is the text of `brief --markdown`, or null while nothing is remembered. It is Markdown: data, never markup. */
export type ProjectDetail = Read<'read.project'> & Authored;

// Memories

export type MemoriesQuery = InferInput<typeof MemoriesInput>;
export type MemoryPage = Read<'read.page'>;
export type MemoryList = Listed<MemoryPage>;

export interface MemoryDetail extends Omit<Read<'read.memory'>, 'actions'> {
  /** The actions that the user may take. */
  readonly actions: readonly MemoryAction[];
  /** Only on a team server: the machine that has the conversation. */
  readonly origin?: { readonly author: string; readonly machine: string };
  /** Only on a team server: earlier texts that were replaced, newest first. */
  readonly gaveWay?: readonly ReplacedText[];
}

export type MemoryAction = Read<'read.memory'>['actions'][number];
export type MemoryRef = MemoryDetail['chain'][number];
export type FileState = MemoryDetail['files'][number];
export type Recall = MemoryDetail['recalls'][number];

export interface ReplacedText extends Pick<Memory, 'title' | 'body' | 'reason'> {
  readonly author: string;
  readonly machine: string;
  /** The time when it was replaced. */
  readonly at: string;
}

export interface Conversation {
  readonly memory?: Memory;
  readonly turn: StoredTurn;
  /** Ids of the neighbouring turns of the session; `GET /memories/:id/transcript` accepts them too. */
  readonly previous?: string;
  readonly next?: string;
}

/** Without `revision` the change applies whatever the entry says now. */
export type ChangeRequest = InferOutput<typeof ChangeBody>;
/** An empty reason removes the reason; omitted fields stay. */
export type EditRequest = InferOutput<typeof EditBody>;
export type SupersedeRequest = InferOutput<typeof SupersedeBody>;
export type MoveRequest = InferOutput<typeof MoveBody>;

export interface Changed {
  readonly memory: Memory;
  readonly revision: string;
}

export interface Forgotten {
  readonly id: string;
  /** `undo-forget` works until then; null where it cannot be undone. */
  readonly undoUntil: string | null;
}

// Search

export type Found = Read<'read.found'>;
export type Hit = Found['hits'][number];
/** A turn of a conversation that matches. */
export type TurnHit = Found['turns'][number];
/** A section of a file that agents load themselves. */
export type SectionHit = Found['sections'][number];

// Sessions

export type SessionPage = Read<'read.sessionPage'>;
export type SessionList = Listed<SessionPage>;
export type SessionCard = SessionPage['sessions'][number];
export type SessionDetail = Read<'read.session'>;
export type SessionTurn = SessionDetail['turns'][number];

// Review, settings, import, team

export type Waiting = Read<'read.inbox'>[number];
export type ReviewRequest = InferOutput<typeof ReviewBody>;

/** Forgotten memories that can be restored, newest first. */
export type TrashList = Read<'read.trash'>;
export type Trashed = TrashList['memories'][number];

export type { SettingRow };

export interface Settings {
  readonly rows: readonly SettingRow[];
  readonly problems: readonly ConfigProblem[];
}

export type ImportSource = Read<'read.sources'>[number];
export type ImportRequest = InferOutput<typeof ImportBody>;

export type ImportState =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly startedAt: string; readonly progress: ImportProgress | null }
  | {
      readonly state: 'done';
      readonly startedAt: string;
      readonly endedAt: string;
      readonly report: ImportReport;
    }
  | {
      readonly state: 'failed';
      readonly startedAt: string;
      readonly endedAt: string;
      readonly error: string;
    };

/** Never contains the key. */
export type Team = Omit<TeamView, 'conflicts'> & {
  /** Texts that were replaced by another machine's text, newest first. */
  readonly conflicts: readonly (Pick<Conflict, 'memory' | 'at' | 'lost' | 'machine'> & {
    readonly text: Pick<Memory, 'title' | 'body'>;
  })[];
};

export interface Members {
  readonly team: string;
  readonly members: readonly TeamMember[];
  /** Former members, because the page still names what they did. */
  readonly former: readonly { readonly id: string; readonly name: string }[];
  /** The member's own keys; an owner gets the keys of all. Never contains a secret. */
  readonly keys: readonly TeamKey[];
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    /** Null where the project is not shared with the member; an owner sees that it exists. */
    readonly access: 'read' | 'write' | null;
    readonly createdBy: string;
    readonly shares: ShareList['shares'];
  }[];
}

/** Newest first. Only for owners. */
export interface AuditList {
  readonly entries: AuditPage['entries'];
  readonly next: string | null;
}

// Live

/**
 * `GET /events`: `text/event-stream`. EventSource cannot send the page's key, so the page reads the stream with `fetch`
 * and sends `Last-Event-ID` itself when it reconnects. `event:` is the kind, `data:` the JSON below, `id:` the value
 * for `Last-Event-ID`. `hello` is always first. A comment line follows every 15 seconds. `reset` means that the gap was
 * too long and the page has to load everything again. 503 with `Retry-After` when there are too many listeners.
 */
export type LiveEvent =
  | { readonly kind: 'hello' }
  | {
      readonly kind: 'memories';
      /** `captured` and `remembered` are new ones; `changed` has the ids where they are known, else none. */
      readonly what: 'captured' | 'remembered' | 'changed' | 'forgotten' | 'restored';
      readonly ids: readonly string[];
      readonly session?: string;
    }
  | {
      readonly kind: 'recall';
      readonly at: string;
      readonly session: string;
      readonly project: string;
      readonly where: Moment['where'];
      readonly memories: readonly { readonly id: string; readonly score: number }[];
    }
  | { readonly kind: 'review'; readonly waiting: number }
  | { readonly kind: 'import'; readonly state: ImportState }
  | { readonly kind: 'settings'; readonly key: string }
  | { readonly kind: 'reset' };
