export type { SharedMemory } from './_shared-rows.ts';
export { listAudit, recordAudit, type AuditEntry } from './audit.ts';
export {
  authorsByProject,
  browse,
  chainAround,
  changesAfter,
  countMemories,
  countsByTime,
  facets,
  oldestMemory,
  standOf,
  type SeenChanges,
} from './browse.ts';
export { lockTeam, pullChanges, pushChanges, withdrawOwn } from './changes.ts';
export { columnsOf, WRITTEN } from './entries.ts';
export { strangeCursor } from './errors.ts';
export { nameProject, projectsWithKeys, sessionStarts } from './groups.ts';
export {
  checkKey,
  createKey,
  keyUsed,
  listKeys,
  revokeKey,
  type ApiKey,
  type KeyCheck,
  type KeyHolder,
  type Scope,
} from './keys.ts';
export { look, type Look } from './look.ts';
export { addMember, changeMember, listMembers, memberById, removeMember, type Member } from './members.ts';
export {
  listMemories,
  memoriesOf,
  memoryById,
  revisionsOf,
  type MemoryListing,
  type Revision,
} from './memories.ts';
export {
  claimMessages,
  groupMeta,
  insertMessages,
  insertSessionEvents,
  listMessages,
  putGroupMeta,
  queueOf,
  settleMessages,
  waitingCallers,
  type Message,
  type MessageListing,
  type MessageState,
  type NewMessage,
  type Queue,
  type SessionEvent,
} from './messages.ts';
export {
  allShares,
  ensureProject,
  listProjects,
  listShares,
  projectById,
  removeProject,
  removeShare,
  setShare,
  type Access,
  type Share,
} from './projects.ts';
export { newestMigration } from './schema/migrations.ts';
export type { VectorMode } from './search/pgvector.ts';
export { searchMemories, type TeamHit, type TeamSearchResult } from './search/search.ts';
export { adoptModel, putVectors, waitingTexts, type WaitingText } from './search/vectors.ts';
export { TeamStore, type StoreOptions, type Transaction } from './store.ts';
export { createTeam, teamById, teamCounts, teamIds, type Team } from './teams.ts';
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
export type { Caller, Page, Role, Work } from './work.ts';
