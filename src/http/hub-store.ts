/**
 * The store behind a hub: all that its page reads and changes. `src/hub` implements it with the calls of the daemon,
 * `src/server/hub` with the database of the team. A method that a store lacks is a route that its hub does not have.
 */
import type { Cursor } from '../database/index.ts';
import type { ArgsOf } from '../daemon/index.ts';
import type {
  AuditList,
  Change,
  Changed,
  ChangeRequest,
  Conversation,
  EditRequest,
  Forgotten,
  Found,
  Here,
  Home,
  ImportRequest,
  ImportSource,
  ImportState,
  Members,
  MemoryDetail,
  MemoryPage,
  MoveRequest,
  Overview,
  ProjectCard,
  ProjectDetail,
  ReviewRequest,
  Routes,
  SessionDetail,
  SessionPage,
  SettingRow,
  Settings,
  SupersedeRequest,
  Team,
  TrashList,
  Uses,
  Waiting,
} from './wire.ts';

interface CommonStore {
  here(): Promise<Here>;
  overview(query: { readonly zone?: string }): Promise<Overview>;
  home(query: { readonly zone?: string }): Promise<Home>;
  projects(): Promise<readonly ProjectCard[]>;
  project(id: string): Promise<ProjectDetail>;
  memories(query: ArgsOf<'read.page'>): Promise<MemoryPage>;
  memory(id: string): Promise<MemoryDetail>;
  /** `query` may contain filters, as on the command line. */
  search(query: string, limit: number): Promise<Found>;

  /** Returns the current text of a memory, for an answer to a change that came too late. */
  present(id: string): Promise<Changed>;
  /** The changes throw TidemarkError `conflict` where the revision is not the current one. */
  edit(id: string, request: EditRequest): Promise<Changed>;
  /** Resolves an issue, or reopens a memory that was resolved or superseded. */
  settle(id: string, request: ChangeRequest & { readonly done: boolean }): Promise<Changed>;
  supersede(id: string, request: SupersedeRequest): Promise<Changed>;
  forget(id: string, request: ChangeRequest): Promise<Forgotten>;
}

interface MachineOnly {
  changes(limit: number): Promise<readonly Change[]>;
  uses(query: { readonly zone?: string; readonly limit: number }): Promise<Uses>;
  move(id: string, request: MoveRequest): Promise<Changed>;
  undoForget(id: string): Promise<Changed>;
  transcript(id: string): Promise<Conversation>;
  sessions(query: {
    readonly project?: string;
    readonly after?: Cursor;
    readonly limit: number;
  }): Promise<SessionPage>;
  session(id: string): Promise<SessionDetail>;
  inbox(): Promise<readonly Waiting[]>;
  /** Returns the rest of the inbox. */
  review(id: string, request: ReviewRequest): Promise<readonly Waiting[]>;
  trash(): Promise<TrashList>;
  settings(): Promise<Settings>;
  changeSetting(key: string, request: Routes['PUT /settings/:key']['body']): Promise<SettingRow>;
  importState(): Promise<ImportState>;
  importSources(): Promise<readonly ImportSource[]>;
  startImport(request: ImportRequest): Promise<ImportState>;
  cancelImport(): Promise<ImportState>;
  team(): Promise<Team>;
}

interface TeamOnly {
  members(): Promise<Members>;
  audit(query: { readonly before?: string }): Promise<AuditList>;
}

export type MachineStore = CommonStore & MachineOnly;
export type TeamHubStore = CommonStore & TeamOnly;
export type HubStore = CommonStore & Partial<MachineOnly & TeamOnly>;
