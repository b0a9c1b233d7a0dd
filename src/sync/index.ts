export { CLOCK_MARGIN_MS, clockStoredAt, latestClock } from './clocks.ts';
export { exchange, type Exchange } from './exchange.ts';
export { greet, type Greeting } from './greet.ts';
export { nextVersion, outbox } from './outbox.ts';
export { readPage, type SkippedChange } from './received.ts';
export type {
  Agreed,
  Fate,
  GaveWay,
  Note,
  OnItsWay,
  SharedStore,
  Standing,
  Tombstone as SharedTombstone,
} from './shared-store.ts';
export {
  checkedServer,
  newMachineName,
  readTeamFile,
  writeTeamFile,
  type Login,
  type TeamFile,
} from './team-file.ts';
export { TeamBusy, TeamServer } from './team-server.ts';
export { passProject, passWall, refusePersonal, type MachinePaths, type Passed } from './wall.ts';
export {
  Change,
  isLater,
  Me,
  MOST_BYTES,
  MOST_CHANGES,
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
} from './wire.ts';
export {
  AuditPage,
  countText,
  Cursor,
  FoundMemory,
  Health,
  HubLink,
  KeyList,
  MadeKey,
  MemberChange,
  MemberList,
  MemoryIdParam,
  MemoryPage,
  MOST_ROWS,
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
} from './wire-team.ts';
export { ROLES, SCOPES, VECTORS } from './words.ts';
