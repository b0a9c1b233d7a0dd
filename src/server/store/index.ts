export { auditLog, listAudit, recordAudit, type RecordAction } from './audit.ts';
export {
  browse,
  chainAround,
  changesAfter,
  type LastChanges,
  type SeenChanges,
  type SharedMemory,
} from './browse.ts';
export { countsByTime } from './counts/by-time.ts';
export { countAuthors, countMemories, facets, oldestMemory } from './counts/count.ts';
export { lockForWriting, pullChanges, pushChanges, withdrawOwn } from './changes.ts';
export { COUNTED_AGENTS } from './counts/counted.ts';
export { columnsOf, WRITTEN } from './entries.ts';
export { invalidCursor } from './errors.ts';
export {
  checkKey,
  checkKeyId,
  createKey,
  keyUsed,
  listKeys,
  revokeKey,
  type KeyHolder,
  type Scope,
} from './keys.ts';
export { inspect, type Inspection } from './inspect.ts';
export { forgetLimits, useLimits } from './cluster/limits.ts';
export { lastSeqs } from './last-seqs.ts';
export {
  addMember,
  changeMember,
  listMembers,
  memberById,
  memberNames,
  removeMember,
  type Member,
} from './members.ts';
export { listMemories, memoryById, revisionsOf } from './memories.ts';
export {
  claimMessages,
  insertMessages,
  insertSessionEvents,
  queueOf,
  sessionStarts,
  settleMessages,
  waitingCallers,
  type Queue,
  type QueuedMessage,
} from './messages.ts';
export {
  ensureProject,
  listProjects,
  nameProject,
  projectById,
  projectsWithKeys,
  removeProject,
} from './projects.ts';
export {
  agedMemories,
  eraseBatch,
  forgetOlder,
  handOver,
  holdingsOf,
  memoriesOfMember,
  projectOfTeam,
  removeSharesOf,
  type Erased,
  type Holdings,
} from './operating/departures.ts';
export { putTeamSettings, teamSettings } from './operating/team-settings.ts';
export {
  overviewOf,
  prune,
  PRUNED,
  retentions,
  upkeepOf,
  type Overview,
  type Pruned,
  type Upkeep,
} from './operating/upkeep.ts';
export { type Notice, Notices } from './cluster/notices.ts';
export { MIGRATIONS, newestMigration } from './schema/migrations.ts';
export { APP_PRIVILEGES, LOOKUP_PRIVILEGES } from './schema/privileges.ts';
export { ROLES_ARE_OWNED } from './schema/roles.ts';
export type { VectorMode } from './search/pgvector.ts';
export { searchMemories, type TeamHit } from './search/search.ts';
export { adoptModel, putVectors, waitingTexts } from './search/vectors.ts';
export { allShares, listShares, removeShare, setShare } from './shares.ts';
export { TeamStore } from './store.ts';
export { createTeam, teamById, teamIds, type Team } from './teams.ts';
export {
  createLink,
  createVisit,
  endVisit,
  givePageKey,
  keepVisit,
  linkOf,
  useUpLink,
  visitOf,
  type Visit,
} from './visits.ts';
export type { Caller, Role, Work } from './work.ts';
