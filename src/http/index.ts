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
  Changed,
  DayCount,
  EditRequest,
  ErrorBody,
  FileState,
  Forgotten,
  Found,
  Here,
  Hit,
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
  RecapPage,
  Recall,
  ReplacedText,
  ReviewRequest,
  Routes,
  SessionCard,
  SessionDetail,
  SessionList,
  SessionTurn,
  SettingRow,
  Spending,
  Team,
  Trashed,
  CommitHit,
  SectionHit,
  TurnHit,
  Waiting,
} from './wire.ts';
