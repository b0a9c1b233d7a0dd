export { CLOCK_MARGIN_MS, clockStoredAt, latestClock } from './clocks.ts';
export { type Exchange, exchange } from './exchange.ts';
export { type Delayed, type HeldBack, type SharingRules, whyItStays } from './gate.ts';
export { greet } from './greet.ts';
export { filterOutbound, filterProject, refusePersonal } from './outbound-filter.ts';
export { nextVersion, outbox } from './outbox.ts';
export { type SkippedChange, readPage } from './received.ts';
export type {
  Agreed,
  Fate,
  ReplacedText,
  Note,
  OnItsWay,
  SharedStore,
  SharingChoice,
  StoredEntry,
  Tombstone,
} from './shared-store.ts';
export {
  type Login,
  type TeamFile,
  checkedServer,
  newMachineName,
  readTeamFile,
  writeTeamFile,
} from './team-file.ts';
export { TeamServer } from './team-server.ts';
export {
  AuditPage,
  Cursor,
  FoundMemory,
  Health,
  HubLink,
  KeyList,
  MOST_ROWS,
  MadeKey,
  MemberChange,
  MemberList,
  MemoryIdParam,
  MemoryPage,
  NewKey,
  NewMember,
  Nothing,
  PageQuery,
  Removal,
  Removed,
  SearchAnswer,
  SearchRequest,
  ShareBody,
  ShareList,
  TeamKey,
  TeamMember,
  TeamMemory,
  TeamSettings,
  Withdrawn,
  countText,
} from './wire-team.ts';
export {
  Change,
  MOST_BYTES,
  MOST_CHANGES,
  MOST_WAITED,
  Me,
  NewProject,
  ProjectPage,
  PullAnswer,
  PushAnswer,
  PushRequest,
  PushResult,
  ROLES,
  SCOPES,
  SharedProject,
  VECTORS,
  WaitRequest,
  Waited,
  Version,
  WireEntry,
  WireError,
  isLater,
} from './wire.ts';
