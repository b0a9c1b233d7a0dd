export { MemoryIndex, type MemoryWeights, type TurnWeights } from './memory-index.ts';
export type {
  Cursor,
  MemoryEntry,
  MemoryFilter,
  MemoryListing,
  MemoryQuestion,
  Upserted,
} from './_memories.ts';
export type { Candidate, NearFacts } from './_memory-search.ts';
export type { IndexedTurn, TurnFilter, TurnHit, TurnLocation } from './_turns.ts';
export { indexedTurn, turnHash } from './indexed-turn.ts';
export type { SessionListing } from './_sessions.ts';
export type { Cost, CostFilter, CostKey, PassedTurn, Spent, SpentBy } from './_cost.ts';
export type { Facet, IndexStats, Injection, JournalMark, TranscriptMark } from './_records.ts';
export { MIGRATIONS, SCHEMA_VERSION, type Migration } from './migrations.ts';
export type { BranchHead, Footing, Use, UseCount } from './_footing.ts';
export { titleWords, type MergedMemory } from './_kin.ts';
export type { Conflict, Exchanged, Outgoing, Share, Skipped } from './_team.ts';
export type { Tombstone, TombstoneState } from './_done.ts';
export { worthAsking, type Frequencies } from './worth-asking.ts';
export { BESIDE_THE_BEST, WITH_NEIGHBOURS } from './_memory-search.ts';
export { cosine, encode } from './_vector-code.ts';
export { dateWords, embeddedText, MEMORY_COLUMNS, searchable, searchableHash } from './searchable.ts';
export { indexText, queryWords, tellingWords, tokensOf, words, type Word } from './tokens.ts';
export type { Embedded, QueryVector, Unembedded } from './_embedding.ts';
export type { Tier, VectorCount } from './_vectors.ts';
