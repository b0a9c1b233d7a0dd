export { CLOCK_MARGIN_MS, clockStoredAt, latestClock } from './clocks.ts';
export { type Exchange, exchange } from './exchange.ts';
export { type Greeting, greet } from './greet.ts';
export {
  type MachinePaths,
  type Passed,
  filterProject,
  filterOutbound,
  refusePersonal,
} from './outbound-filter.ts';
export { nextVersion, outbox } from './outbox.ts';
export { type SkippedChange, readPage } from './received.ts';
export type {
  Agreed,
  Fate,
  GaveWay,
  Note,
  OnItsWay,
  SharedStore,
  Standing,
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
export { TeamBusy, TeamServer } from './team-server.ts';
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
  SearchAnswer,
  SearchRequest,
  ShareBody,
  ShareList,
  TeamKey,
  TeamMember,
  TeamMemory,
  Withdrawn,
  countText,
} from './wire-team.ts';
export {
  Change,
  MOST_BYTES,
  MOST_CHANGES,
  Me,
  NewProject,
  ProjectPage,
  PullAnswer,
  PushAnswer,
  PushRequest,
  PushResult,
  SharedProject,
  Version,
  WireEntry,
  WireError,
  isLater,
} from './wire.ts';
export { ROLES, SCOPES, VECTORS } from './words.ts';
