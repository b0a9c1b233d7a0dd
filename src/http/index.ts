export { answer, type ErrorAnswer } from './answer.ts';
export { readAssets, type Assets } from './assets.ts';
export { Feed } from './feed.ts';
export { hubApp, type Events, type Visits } from './hub-app.ts';
export { hubApi } from './hub-api.ts';
export type { MachineStore, TeamHubStore } from './hub-store.ts';
export { bodyOf, checked, jsonOf } from './input.ts';
export { isLoopbackHost } from './origin-check.ts';
export type {
  AuditList,
  CaptureHealth,
  Change,
  Changed,
  DayCount,
  EditRequest,
  ErrorBody,
  FileState,
  Forgotten,
  Found,
  Here,
  Hit,
  Home,
  ImportRequest,
  ImportSource,
  ImportState,
  LiveEvent,
  Members,
  MemoriesQuery,
  MemoryAction,
  MemoryDetail,
  MemoryList,
  MemoryPage,
  MemoryRef,
  Overview,
  ProjectCard,
  ProjectDetail,
  Recall,
  ReplacedText,
  ReviewRequest,
  Routes,
  SessionCard,
  SessionDetail,
  SessionList,
  SessionTurn,
  SettingRow,
  Team,
  Trashed,
  SectionHit,
  TurnHit,
  UsedMemory,
  Uses,
  Waiting,
} from './wire.ts';
