/**
 * What the hub's page and its server say to each other: each route under `/api`, what it takes, what it answers. Types
 * only, and the one source of them: the page imports them from `src/http/index.ts` with `import type`. The page is one;
 * `GET /here` says whose hub it is, that of a machine or that of a team's server, which has not every route.
 *
 * Every request carries the cookie and the header `tidemark-page` (`POST /api/page-key` gives it once). POST and PUT
 * carry `content-type: application/json`. Times are ISO 8601 UTC, days are `YYYY-MM-DD` in the zone that was asked for
 * (`zone=Europe/Vienna`; without it, that of the machine). An error is an `ErrorBody` with a status of its own.
 *
 * Marks that tests and `bench/hub.ts` find things by (`data-testid`): `overview-card`, `heatmap`, `memory-row`,
 * `timeline` (the list that scrolls), `load-more`, `search-input`, `search-hit`, `live`.
 */
import type { ConfigOrigin, ConfigProblem, Setting, SettingKey, SettingValue } from '../config/index.ts';
import type { HookName, Memory, MemoryKind, Project, Session, StoredTurn } from '../core/index.ts';
import type { Spent } from '../database/index.ts';
import type { ImportProgress, ImportReport } from '../exchange/import/index.ts';
import type { AuditPage, ROLES, ShareList, TeamKey, TeamMember } from '../exchange/sync/index.ts';
import type { TeamView } from '../exchange/sync/team/index.ts';
import type { Moment, BranchNow, Query, ScorePart } from '../recall/index.ts';
import type { MemoryPatch } from '../storage/journal/index.ts';

/** Query of a route → what it answers. `:id` stands for one encoded path segment. */
export interface Routes {
  'GET /here': { readonly answer: Here };
  'GET /overview': { readonly query: ZoneQuery; readonly answer: Overview };
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
  'GET /search': { readonly query: SearchQuery; readonly answer: Found };
  'GET /sessions': { readonly query: SessionsQuery; readonly answer: SessionList };
  'GET /sessions/:id': { readonly answer: SessionDetail };
  'GET /review': { readonly answer: readonly Waiting[] };
  'POST /review/:id': { readonly body: ReviewRequest; readonly answer: readonly Waiting[] };
  'GET /settings': { readonly answer: Settings };
  'PUT /settings/:key': { readonly body: SettingRequest; readonly answer: SettingRow };
  'GET /import/sources': { readonly answer: readonly ImportSource[] };
  'GET /import': { readonly answer: ImportState };
  'POST /import/history': { readonly body: ImportRequest; readonly answer: ImportState };
  'POST /import/cancel': { readonly body: Nothing; readonly answer: ImportState };
  'GET /team': { readonly answer: Team };
  'GET /members': { readonly answer: Members };
  'GET /audit': { readonly query: AuditQuery; readonly answer: AuditList };
  'POST /logout': { readonly body: Nothing; readonly answer: Nothing };
  'POST /page-key': { readonly body: Nothing; readonly answer: { readonly key: string } };
}

export type Nothing = Readonly<Record<string, never>>;

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
  /** With 409 `conflict`: the entry as it stands now, and its revision. */
  readonly present?: Changed;
}

/** Whose hub it is. A machine shows all views; a team's server those that make sense there. */
export type Here =
  | { readonly kind: 'machine'; readonly version: string }
  | {
      readonly kind: 'team';
      readonly version: string;
      readonly team: string;
      readonly member: { readonly id: string; readonly name: string; readonly role: Role };
      /** Whether role and key allow any change. */
      readonly mayWrite: boolean;
    };

export type Role = (typeof ROLES)[number];

export interface ZoneQuery {
  /** IANA name; `Intl.DateTimeFormat().resolvedOptions().timeZone`. */
  readonly zone?: string;
}

// Overview

export interface DayCount {
  readonly date: string;
  readonly count: number;
}

export interface Overview {
  readonly memories: number;
  readonly turns: number;
  readonly sessions: number;
  readonly projects: number;
  /** Days on which something was remembered, ever. */
  readonly activeDays: number;
  /** Memories by active day, and by project that has any. */
  readonly averagePerDay: number;
  readonly averagePerProject: number;
  readonly zone: string;
  readonly today: string;
  /** Every day of the last 26 weeks, none left out, oldest first; the first is a Monday. */
  readonly heatmap: readonly DayCount[];
  /** The last seven days, today last. */
  readonly week: readonly DayCount[];
  /** How many there were before the first of those seven days: where a growth curve begins. */
  readonly beforeWeek: number;
  /** By week (its Monday), oldest first, the weeks of the heatmap; a kind that did not occur is left out. */
  readonly kindsOverTime: readonly {
    readonly week: string;
    readonly counts: Readonly<Partial<Record<MemoryKind, number>>>;
  }[];
  /** Of a machine. */
  readonly spending?: Spending;
  readonly health?: CaptureHealth;
  /** Of a team: how many wrote what is counted here. */
  readonly authors?: number;
}

/** Days and months of spending are those of UTC, because the ceilings are. */
export interface Spending {
  readonly today: Spent;
  readonly month: Spent;
  readonly total: Spent;
  readonly ceilings: {
    readonly dailyTokens: number;
    readonly dailyUsd: number;
    readonly sessionTokens: number;
  };
  /** The last days on which something was spent, newest first. */
  readonly days: readonly (Spent & { readonly date: string })[];
  /** Whether a model may be asked at all. */
  readonly consent: boolean;
}

export interface CaptureHealth {
  /** `off`: the setting capture.enabled; `paused`: everywhere, by `tidemark pause`. */
  readonly state: 'capturing' | 'paused' | 'off';
  /** Projects and sessions in which capture looks away. */
  readonly paused: readonly { readonly scope: 'everywhere' | 'project' | 'session'; readonly of?: string }[];
  readonly version: string;
  readonly daemonSince: string;
  readonly busy: boolean;
  readonly lastHook: Readonly<Partial<Record<HookName, string>>>;
  /** Events taken in and not yet digested. */
  readonly spoolBacklog: number;
  readonly oldestWaiting?: string;
  /** Events that could not be digested, and why. */
  readonly setAside: readonly { readonly id: string; readonly at: string; readonly reason: string }[];
  readonly configProblems: readonly ConfigProblem[];
  /** How many memories wait in the review inbox. */
  readonly inReview: number;
}

// Projects

export interface ProjectCard extends Project {
  readonly memories: number;
  readonly sessions: number;
  readonly openIssues: number;
  readonly byKind: Readonly<Partial<Record<MemoryKind, number>>>;
  /** When something last happened in it. */
  readonly lastAt: string | null;
  /** Of a team: who wrote it. */
  readonly authors?: readonly string[];
}

export interface ProjectDetail extends ProjectCard {
  readonly issues: readonly Memory[];
  /** What holds now: decisions, and preferences and patterns that stand; newest first. */
  readonly standing: readonly Memory[];
  /** Whether more holds than is given. */
  readonly moreStands: boolean;
  /** `MEMORY.md` as it stands in the journal; null where there is none yet. Markdown: data, never markup. */
  readonly page: string | null;
}

// Memories

export interface MemoriesQuery extends ZoneQuery {
  readonly project?: string;
  /** One or several, with commas. */
  readonly kind?: string;
  readonly state?: string;
  readonly session?: string;
  readonly file?: string;
  /** Times or days. */
  readonly since?: string;
  readonly until?: string;
  /** `next` of the page before. */
  readonly before?: string;
  /** 1 to 200; 50 without. */
  readonly limit?: string;
}

/** Newest first. */
export interface MemoryList {
  readonly memories: readonly Memory[];
  /** Of all pages together. */
  readonly total: number;
  readonly next: string | null;
  /** How many there are on each of the days of this page, those on other pages counted too. */
  readonly days: readonly DayCount[];
}

export type MemoryRef = Pick<Memory, 'id' | 'kind' | 'title' | 'state' | 'at'>;

export interface MemoryDetail {
  readonly memory: Memory;
  /** Changes with every change of the entry; handed back with a change, it tells a conflict. */
  readonly revision: string;
  readonly projectName: string;
  /** Path relative to the journal, and the line of its heading. */
  readonly journal?: string;
  readonly line?: number;
  readonly tokens: number;
  readonly session: Pick<Session, 'id' | 'title' | 'startedAt' | 'status'> | null;
  /** Whether the original conversation is still kept. */
  readonly hasTranscript: boolean;
  /** The one before and the one after it in its project. */
  readonly neighbours: { readonly before: MemoryRef | null; readonly after: MemoryRef | null };
  /** What replaced what, oldest first, this one among them; only itself where nothing did. */
  readonly chain: readonly MemoryRef[];
  readonly resolvedBy: MemoryRef | null;
  /** What said the same and was merged into it. */
  readonly merged: readonly MemoryRef[];
  readonly files: readonly FileState[];
  /** `unmerged`: made on a branch whose work is not in the project's folder now. */
  readonly branch: BranchNow;
  /** Newest first, the newest hundred. */
  readonly recalls: readonly Recall[];
  readonly recalledTimes: number;
  /** What who asks may do to it. */
  readonly actions: readonly MemoryAction[];
  /** Of a team: whose machine has the conversation. */
  readonly origin?: { readonly author: string; readonly machine: string };
  /** Of a team: texts of it that gave way to a later one, newest first. */
  readonly gaveWay?: readonly GaveWay[];
}

export type MemoryAction = 'edit' | 'settle' | 'supersede' | 'move' | 'forget';

export interface GaveWay {
  readonly title: string;
  readonly body: string;
  readonly reason?: string;
  readonly author: string;
  readonly machine: string;
  /** When it gave way. */
  readonly at: string;
}

export interface FileState {
  readonly path: string;
  /** Against the moment of the memory; `unknown` where that was not noted or the project's folder is not there. */
  readonly state: 'same' | 'changed' | 'gone' | 'unknown';
  readonly changedAt?: string;
}

export interface Recall {
  readonly at: string;
  readonly session: string;
  readonly sessionTitle?: string;
  readonly where: Moment['where'];
  readonly score: number;
  /** The model asked for the whole entry, or its answer took words of it up. */
  readonly opened: boolean;
  readonly echoed: boolean;
}

export interface Conversation {
  readonly memory?: Memory;
  readonly turn: StoredTurn;
  /** Ids of the turns beside it in the session; `GET /memories/:id/transcript` takes them too. */
  readonly previous?: string;
  readonly next?: string;
}

/** `revision` left out: whatever the entry says meanwhile. */
export interface ChangeRequest {
  readonly revision?: string;
}

export interface EditRequest extends ChangeRequest {
  /** An empty reason takes the reason away; what is left out stays. */
  readonly patch: MemoryPatch;
}

export interface SupersedeRequest extends ChangeRequest {
  /** The memory that holds instead. */
  readonly by: string;
}

export interface MoveRequest extends ChangeRequest {
  /** Id of another project. */
  readonly project: string;
}

export interface Changed {
  readonly memory: Memory;
  readonly revision: string;
}

export interface Forgotten {
  readonly id: string;
  /** Until then `undo-forget` brings it back; null where nothing does. */
  readonly undoUntil: string | null;
}

// Search

/** The filters may also stand in `q`, as on the command line: `kind:decision since:yesterday tokens`. */
export interface SearchQuery {
  readonly q: string;
  readonly project?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
  readonly file?: string;
  readonly limit?: string;
}

export interface Found {
  /** How it was understood; `problems` are filters that were not. */
  readonly query: Query;
  readonly hits: readonly Hit[];
  /** The second tier: conversations that hold the words, where no memory of theirs is among the hits. */
  readonly turns: readonly TurnHit[];
  /** How many memories were weighed. */
  readonly considered: number;
}

export interface Hit {
  readonly memory: Memory;
  /** Between 0 and 1. */
  readonly score: number;
  /** The steps of the score, in order: what each multiplied by, and the score after it. */
  readonly parts: readonly ScorePart[];
  /** The words of the question it covers. */
  readonly covered: readonly string[];
  /** Words as they stand in the entry that match: what to highlight, whatever its case. */
  readonly matched: readonly string[];
  readonly duplicates: readonly string[];
  readonly cost: number;
}

export interface TurnHit {
  readonly id: string;
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly prompt: string;
  readonly answer: string;
  readonly score: number;
  readonly matched: readonly string[];
}

// Sessions

export interface SessionsQuery {
  readonly project?: string;
  readonly before?: string;
  readonly limit?: string;
}

export interface SessionCard extends Session {
  readonly memories: number;
}

/** By what happened last, newest first. */
export interface SessionList {
  readonly sessions: readonly SessionCard[];
  readonly total: number;
  readonly next: string | null;
}

export interface SessionDetail {
  /** Its summary has the eight fields, once there is one. */
  readonly session: SessionCard;
  readonly projectName: string;
  /** Oldest first, at most 500. */
  readonly turns: readonly SessionTurn[];
  readonly memories: readonly Memory[];
  readonly files: { readonly read: readonly string[]; readonly edited: readonly string[] };
  readonly cost: Spent;
  /** What was put before the agent and why, oldest first. */
  readonly moments: readonly Moment[];
}

export interface SessionTurn {
  /** `GET /memories/:id/transcript` takes it. */
  readonly id: string;
  readonly at: string;
  readonly endedAt: string;
  readonly origin: string;
  readonly outcome: string;
  readonly prompt: string;
  readonly answer: string;
  readonly tools: number;
  readonly hasTranscript: boolean;
}

// Review, settings, import, team

export interface Waiting {
  readonly memory: Memory;
  readonly projectName: string;
}

export type ReviewRequest =
  | { readonly verdict: 'keep' | 'drop' }
  /** Keep it, in these words. */
  | { readonly verdict: 'edit'; readonly patch: MemoryPatch };

export interface Settings {
  readonly rows: readonly SettingRow[];
  readonly problems: readonly ConfigProblem[];
}

export interface SettingRow {
  readonly key: SettingKey;
  /** In force now. */
  readonly value: SettingValue;
  readonly from: ConfigOrigin;
  readonly default: SettingValue;
  /** What the user's file says, also where the environment overrules it. */
  readonly stored: SettingValue | null;
  readonly type: Setting['type'];
  readonly scope: Setting['scope'];
  readonly doc: string;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** What a text must be. */
  readonly wanted?: string;
  /** The variable that would overrule it. */
  readonly environment: string;
  /** Read when the daemon starts: a change waits for that. */
  readonly atStart: boolean;
}

export interface SettingRequest {
  /** Null takes it out of the file: the default holds again. */
  readonly value: SettingValue | null;
}

export interface ImportSource {
  readonly agent: 'claude-code';
  readonly folder: string;
  readonly sessions: number;
  readonly bytes: number;
  readonly oldest: string | null;
  readonly newest: string | null;
}

export interface ImportRequest {
  readonly project?: string;
  /** A day or a time. */
  readonly since?: string;
}

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

/** Never holds the key. */
export type Team = Omit<TeamView, 'conflicts'> & {
  /** Texts that gave way to others, newest first. */
  readonly conflicts: readonly {
    readonly memory: string;
    readonly at: string;
    readonly lost: 'ours' | 'theirs';
    readonly machine: string;
    readonly text: Pick<Memory, 'title' | 'body'>;
  }[];
};

/** The team as its server knows it. */
export interface Members {
  readonly team: string;
  readonly members: readonly TeamMember[];
  /** Who was in it once: what they did is still told of by name. */
  readonly former: readonly { readonly id: string; readonly name: string }[];
  /** One's own; an owner's are all. Never a secret. */
  readonly keys: readonly TeamKey[];
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    /** What who asks may do there; null where it is not shared with them (an owner sees that it exists). */
    readonly access: 'read' | 'write' | null;
    readonly createdBy: string;
    readonly shares: ShareList['shares'];
  }[];
}

export interface AuditQuery {
  /** `next` of the page before. */
  readonly before?: string;
}

/** Newest first. Owners. */
export interface AuditList {
  readonly entries: AuditPage['entries'];
  readonly next: string | null;
}

// Live

/**
 * `GET /events`: `text/event-stream`. EventSource cannot send the page's key, so the page reads it with `fetch` and
 * sends `Last-Event-ID` itself when it comes back. `event:` is the kind, `data:` the JSON below, `id:` to come back
 * with. `hello` comes first. A comment line comes every 15 seconds. With `reset` the gap was too long: ask for everything
 * anew. 503 with `Retry-After` when too many listen.
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
