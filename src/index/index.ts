export { MemoryIndex, type MemoryWeights, type TurnWeights } from './memory-index.ts';
export type { MemoryEntry, MemoryFilter, MemoryHit, MemoryListing, Upserted } from './_memories.ts';
export type { IndexedTurn, TurnFilter, TurnHit, TurnLocation } from './_turns.ts';
export type { SessionListing } from './_sessions.ts';
export type { Cost, CostFilter, CostKey, PassedTurn, Spent, SpentBy } from './_cost.ts';
export type { IndexStats, Injection, JournalMark, TranscriptMark } from './_records.ts';
export { MIGRATIONS, SCHEMA_VERSION, type Migration } from './migrations.ts';
export { indexText, queryWords, tokensOf, words, type Word } from './tokens.ts';
