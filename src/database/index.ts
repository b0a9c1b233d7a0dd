export type { UserChange } from './_changes.ts';
export type { Embedded, Unembedded } from './_embedding.ts';
export type { BranchHead, FileSnapshot } from './_file-snapshots.ts';
export type { MemoryEntry } from './_memory-row.ts';
export {
  BESIDE_THE_BEST,
  type Candidate,
  type MemoryWeights,
  type NearFacts,
  WITH_NEIGHBOURS,
} from './_memory-search.ts';
export type { Facet, IndexStats, Injection, TranscriptMark } from './_records.ts';
export type { SessionCount } from './_sessions.ts';
export type { Conflict, Exchanged, Outgoing, Share, Skipped } from './_team.ts';
export type { IndexedTurn, TurnFilter, TurnHit, TurnWeights } from './_turns.ts';
export type { MergedMemory } from './_without-entry.ts';
export { indexedTurn, turnHash } from './indexed-turn.ts';
export type { Cursor, MemoryFilter, MemoryListing, MemoryQuestion } from './memories.ts';
export { MemoryIndex } from './memory-index.ts';
export { SCHEMA_VERSION } from './schema.ts';
export { type Frequencies, worthAsking } from './text/narrow-query.ts';
export { dateWords, embeddedText, searchable, searchableHash } from './text/searchable.ts';
export { type TextFacts, factsReader } from './text/text-facts.ts';
export { type Word, indexText, queryWords, titleWords, tokensOf, words } from './text/tokens.ts';
export { cosine, encode } from './vectors/vector-code.ts';
export type { QueryVector, Tier, VectorCount } from './vectors/vectors.ts';
