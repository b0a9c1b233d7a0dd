/**
 * The index: everything derived from journal, turn store and ledger, in one SQLite file that may be deleted at any time.
 * Synchronous. Its one writer is the daemon; others open it read-only.
 */
import type { Memory, Project, Session } from '../core/index.ts';
import type { Cost, CostFilter, CostKey, PassedTurn, Spent, SpentBy } from './_cost.ts';
import type { Tombstone, TombstoneState } from './_done.ts';
import type { BranchHead, FileSnapshot, Use, UseCount } from './_footing.ts';
import type { MergedMemory } from './_kin.ts';
import type { Candidate } from './_memory-search.ts';
import type { Facet, IndexStats, Injection, JournalMark, TranscriptMark } from './_records.ts';
import type { SessionListing } from './_sessions.ts';
import type { Conflict, Exchanged, Outgoing, Share, Skipped } from './_team.ts';
import { Turns, type IndexedTurn, type TurnFilter, type TurnHit } from './_turns.ts';
import { number, optionalText, text } from './columns.ts';
import { Database } from './connection.ts';
import {
  Memories,
  type MemoryEntry,
  type MemoryFilter,
  type MemoryListing,
  type MemoryQuestion,
  type Upserted,
} from './memories.ts';
import type { Frequencies } from './text/worth-asking.ts';
import type { Embedded, QueryVector, Unembedded } from './vectors/embedding.ts';
import type { Tier, VectorCount } from './vectors/vectors.ts';
import * as cost from './_cost.ts';
import * as done from './_done.ts';
import * as fileSnapshots from './_footing.ts';
import * as kin from './_kin.ts';
import * as records from './_records.ts';
import * as sessions from './_sessions.ts';
import * as team from './_team.ts';
import * as waiting from './_waiting.ts';

/** Weight of each searched column of a memory, in the order of the table: title, body, facts, concepts, files, reason, date. */
export type MemoryWeights = readonly [number, number, number, number, number, number, number];
/** Weight of prompt and answer. */
export type TurnWeights = readonly [number, number];

const FULL_TEXT = ['memory_fts', 'turn_fts'] as const;
const TABLES = [
  ...FULL_TEXT,
  'memory_file',
  'memory',
  'turn',
  'session',
  'project_key',
  'project',
  'transcript',
  'journal_file',
  'injection',
  'distilled',
  'tombstone',
  'redaction',
  'cost',
  'passed',
  'made',
  'kin',
  'kin_word',
  'merged',
  'waiting',
  'footing',
  'used',
  'share',
  'exchanged',
  'outgoing',
  'conflict',
  'memory_vector',
  'memory_code',
  'turn_vector',
  'turn_code',
  'unembedded',
  'meta',
];

const EVEN_TURN: TurnWeights = [1, 1];

export class MemoryIndex {
  readonly #db: Database;
  readonly #memories: Memories;
  readonly #turns: Turns;

  private constructor(db: Database) {
    this.#db = db;
    this.#memories = new Memories(db);
    this.#turns = new Turns(db);
  }

  /**
   * Opens the index, making or migrating it where needed. Throws TidemarkError `index-corrupt` or `index-newer` when
   * the file should be deleted and built anew; `index-older` only when opened read-only before the daemon migrated it.
   */
  static open(path: string, options: { readonly readOnly?: boolean } = {}): MemoryIndex {
    return new MemoryIndex(new Database(path, options.readOnly ?? false));
  }

  /** Several writes as one: all of them or none. `work` must not be asynchronous. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work);
  }

  upsertMemories(entries: readonly MemoryEntry[]): Upserted {
    return this.transaction(() => this.#memories.put(entries));
  }

  removeMemories(ids: readonly string[]): number {
    return this.transaction(() => this.#memories.remove(ids));
  }

  /** By id, or by the beginning of an id if only one begins so. */
  memory(idOrPrefix: string): Memory | undefined {
    return this.#memories.one(idOrPrefix);
  }

  /** The memory with its place in the journal. */
  memoryEntry(idOrPrefix: string): MemoryEntry | undefined {
    return this.#memories.entry(idOrPrefix);
  }

  /** Ids that begin so, or are just that, in their order. */
  idsBeginning(what: 'memory' | 'turn' | 'session', prefix: string, limit: number): readonly string[] {
    if (prefix === '') return [];
    const sql = `SELECT id FROM ${what} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`;
    return this.#db.all(sql, prefix, `${prefix}~`, limit).map((row) => text(row, 'id'));
  }

  memoryCount(filter: MemoryFilter = {}): number {
    return this.#memories.count(filter);
  }

  /** When the first memory from that instant on was made. */
  nextMemoryAt(since: string): string | undefined {
    const row = this.#db.get('SELECT min(at) AS at FROM memory WHERE at >= ?', since);
    return row && optionalText(row, 'at');
  }

  facets(): readonly Facet[] {
    return records.facets(this.#db);
  }

  memoriesBy(listing: MemoryListing): readonly Memory[] {
    return this.#memories.by(listing);
  }

  /** Those found by full text first, best first, then what stands beside them. */
  candidates(question: MemoryQuestion): readonly Candidate[] {
    return this.#memories.candidates(question);
  }

  /** The memories of candidates, by row. */
  memoriesAt(rows: readonly number[]): ReadonlyMap<number, Memory> {
    return this.#memories.at(rows);
  }

  /**
   * The vectors are of this model from now on; those of another are dropped and made again. Returns whether that was so.
   */
  setVectorModel(model: string): boolean {
    return this.transaction(() => {
      const changed = [this.#memories.vectors, this.#turns.vectors].map((vectors) => vectors.setModel(model));
      return changed.some(Boolean);
    });
  }

  /** Texts that wait for a vector: memories before turns, newest first. */
  unembedded(limit: number): readonly Unembedded[] {
    const memories = this.#memories.unembedded(limit);
    return [...memories, ...this.#turns.unembedded(limit - memories.length)];
  }

  /** Those whose words have changed meanwhile are left out: they wait still. So are those of a model no longer used. */
  putVectors(model: string, embedded: readonly Embedded[]): void {
    this.transaction(() => {
      if (this.#memories.vectors.model !== model) return;
      this.#memories.putVectors(embedded.filter(({ tier }) => tier === 'memory'));
      this.#turns.putVectors(embedded.filter(({ tier }) => tier === 'turn'));
    });
  }

  vectorCounts(): Readonly<Record<Tier, VectorCount>> {
    return { memory: this.#memories.vectors.count(), turn: this.#turns.vectors.count() };
  }

  /** Brings vectors into memory, some at a time; whether all are there. Searching does the same, but waits for it. */
  loadVectors(): boolean {
    return [this.#memories.vectors, this.#turns.vectors].every((vectors) => vectors.load());
  }

  /** Takes over the vectors of another index for rows that say the same: they cost the most to make. */
  takeVectorsFrom(path: string): void {
    this.#db.attached(path, (schema) =>
      this.transaction(() => {
        this.#memories.vectors.takeFrom(schema);
        this.#turns.vectors.takeFrom(schema);
      }),
    );
  }

  memoryFrequencies(tokens: Iterable<string>): Frequencies {
    return this.#memories.fullText.frequencies(tokens);
  }

  upsertTurns(turns: readonly IndexedTurn[]): void {
    this.transaction(() => this.#turns.put(turns));
  }

  removeTurns(ids: readonly string[]): number {
    return this.transaction(() => this.#turns.remove(ids));
  }

  turn(id: string): IndexedTurn | undefined {
    return this.#turns.one(id);
  }

  hasTurn(id: string): boolean {
    return this.#turns.has(id);
  }

  /** Oldest first. */
  turnsIn(session: string): readonly IndexedTurn[] {
    return this.#turns.inSession(session);
  }

  /** How many turns began since then. */
  turnsSince(at: string): number {
    return number(this.#db.get('SELECT count(*) AS n FROM turn WHERE at >= ?', at) ?? {}, 'n');
  }

  turnsStoredIn(file: string): readonly string[] {
    return this.#turns.storedIn(file);
  }

  searchTurns(
    tokens: readonly string[],
    filter: TurnFilter,
    limit: number,
    weights: TurnWeights = EVEN_TURN,
    vector?: QueryVector,
  ): readonly TurnHit[] {
    return this.#turns.search(tokens, filter, limit, weights, vector);
  }

  turnFrequencies(tokens: Iterable<string>): Frequencies {
    return this.#turns.fullText.frequencies(tokens);
  }

  upsertSession(session: Session): void {
    this.transaction(() => sessions.putSession(this.#db, session));
  }

  session(id: string): Session | undefined {
    return sessions.sessionById(this.#db, id);
  }

  /** Newest first. */
  sessions(listing: SessionListing = {}): readonly Session[] {
    return sessions.sessionsBy(this.#db, listing);
  }

  sessionCounts(): ReadonlyMap<string, number> {
    return sessions.sessionCounts(this.#db);
  }

  upsertProject(project: Project): void {
    this.transaction(() => sessions.putProject(this.#db, project));
  }

  project(id: string): Project | undefined {
    return sessions.projectById(this.#db, id);
  }

  projects(): readonly Project[] {
    return sessions.allProjects(this.#db);
  }

  projectByKey(key: string): Project | undefined {
    return sessions.projectByKey(this.#db, key);
  }

  transcript(path: string): TranscriptMark | undefined {
    return records.transcriptAt(this.#db, path);
  }

  transcripts(): readonly TranscriptMark[] {
    return records.allTranscripts(this.#db);
  }

  setTranscript(mark: TranscriptMark): void {
    this.transaction(() => records.putTranscript(this.#db, mark));
  }

  journalFile(path: string): JournalMark | undefined {
    return records.journalFileAt(this.#db, path);
  }

  journalFiles(): readonly JournalMark[] {
    return records.allJournalFiles(this.#db);
  }

  setJournalFile(mark: JournalMark): void {
    this.transaction(() => records.putJournalFile(this.#db, mark));
  }

  removeJournalFile(path: string): void {
    this.transaction(() => this.#db.run('DELETE FROM journal_file WHERE path = ?', path));
  }

  recordInjection(injections: readonly Injection[]): void {
    this.transaction(() => injections.forEach((injection) => records.putInjection(this.#db, injection)));
  }

  /** What a session was given; with `since`, only from that instant on (a compaction makes it forget the rest). */
  injectedIn(session: string, since = ''): readonly Injection[] {
    return records.injectionsIn(this.#db, session, since);
  }

  /** Where a memory was brought back, newest first. */
  injectionsOf(memory: string, limit: number): readonly Injection[] {
    return records.injectionsOf(this.#db, memory, limit);
  }

  timesInjected(memory: string): number {
    return records.timesInjected(this.#db, memory);
  }

  putFileSnapshot(footing: FileSnapshot): void {
    this.transaction(() => fileSnapshots.putFileSnapshot(this.#db, footing));
  }

  footing(turn: string): FileSnapshot | undefined {
    return fileSnapshots.fileSnapshotOf(this.#db, turn);
  }

  /** Everything the files of a memory may look like without having changed since. */
  fileSnapshotsOf(memory: Memory): readonly FileSnapshot[] {
    return fileSnapshots.fileSnapshotsOf(this.#db, memory);
  }

  removeFileSnapshots(turns: readonly string[]): void {
    this.transaction(() => fileSnapshots.removeFileSnapshots(this.#db, turns));
  }

  /** The branches turns of a project were on, and the commits they ended on; newest first. */
  branchHeads(project: string, limit: number): readonly BranchHead[] {
    return fileSnapshots.branchHeads(this.#db, project, limit);
  }

  recordUse(uses: readonly Use[]): void {
    this.transaction(() => uses.forEach((use) => fileSnapshots.putUse(this.#db, use)));
  }

  isUsed(use: Omit<Use, 'at'>): boolean {
    return fileSnapshots.isUsed(this.#db, use);
  }

  /** How often each was shown and of use; none for those never shown. */
  useCounts(memories: readonly string[]): ReadonlyMap<string, UseCount> {
    return fileSnapshots.useCounts(this.#db, memories);
  }

  /** `memories`: the ids it made of the turn. They are known as made from then on, whatever becomes of them. */
  markDistilled(turn: string, by: string, memories: readonly string[] = []): void {
    this.transaction(() => {
      done.markDistilled(this.#db, turn, by);
      cost.putMade(this.#db, turn, memories);
    });
  }

  /** Whether a distiller ever made this memory: one that is not there any more was taken away by a person. */
  wasMade(memory: string): boolean {
    return cost.wasMade(this.#db, memory);
  }

  recordCost(entry: Cost): void {
    this.transaction(() => cost.putCost(this.#db, entry));
  }

  spent(filter: CostFilter = {}): Spent {
    return cost.spent(this.#db, filter);
  }

  spentBy(key: CostKey, filter: CostFilter = {}, limit = 50): readonly SpentBy[] {
    return cost.spentBy(this.#db, key, filter, limit);
  }

  markPassed(turn: PassedTurn): void {
    this.transaction(() => cost.putPassed(this.#db, turn));
  }

  passedTurns(since = ''): readonly PassedTurn[] {
    return cost.passedTurns(this.#db, since);
  }

  /** Turns only the local distiller has dealt with, newest first; with `again` also those a model failed at before. */
  improvable(options: {
    readonly since: string;
    readonly again?: boolean;
    readonly limit: number;
  }): readonly string[] {
    return cost.improvable(this.#db, options);
  }

  /** Which distiller dealt with a turn, if one did. */
  distilledBy(turn: string): string | undefined {
    return done.distilledBy(this.#db, turn);
  }

  setTombstone(tombstone: Tombstone): void {
    this.transaction(() => done.putTombstone(this.#db, tombstone));
  }

  tombstones(state: TombstoneState): readonly Tombstone[] {
    return done.tombstones(this.#db, state);
  }

  /** The last word on a memory that was forgotten, or brought back. */
  tombstone(memory: string): Tombstone | undefined {
    return done.tombstone(this.#db, memory);
  }

  isForgottenTurn(turn: string): boolean {
    return done.isForgottenTurn(this.#db, turn);
  }

  /** Whether something with this content was forgotten after it was said. */
  isForgottenContent(hash: string, saidAt: string): boolean {
    return done.isForgottenContent(this.#db, hash, saidAt);
  }

  /** Entries and merged memories of a project that may say the same or the opposite, by the words of a title. */
  kin(project: string, words: readonly string[]): readonly string[] {
    return kin.kinOf(this.#db, project, words);
  }

  putMerged(merged: MergedMemory): void {
    this.transaction(() => kin.putMerged(this.#db, merged));
  }

  removeMerged(ids: readonly string[]): void {
    this.transaction(() => kin.removeMerged(this.#db, ids));
  }

  merged(id: string): MergedMemory | undefined {
    return kin.mergedById(this.#db, id);
  }

  mergedInto(id: string): readonly MergedMemory[] {
    return kin.mergedInto(this.#db, id);
  }

  mergedOfTurn(turn: string): readonly MergedMemory[] {
    return kin.mergedOfTurn(this.#db, turn);
  }

  /** How many memories of a session stand in another's entry. */
  mergedInSession(session: string): number {
    return kin.mergedInSession(this.#db, session);
  }

  putWaiting(memory: Memory): void {
    this.transaction(() => waiting.putWaiting(this.#db, memory));
  }

  removeWaiting(ids: readonly string[]): void {
    this.transaction(() => waiting.removeWaiting(this.#db, ids));
  }

  waiting(project?: string): readonly Memory[] {
    return waiting.waiting(this.#db, project);
  }

  putShare(share: Share): void {
    this.transaction(() => team.putShare(this.#db, share));
  }

  /** Projects that are shared with a team, or are being taken back. */
  shares(): readonly Share[] {
    return team.shares(this.#db);
  }

  /** What was on its way is settled by it, unless something newer waits. */
  putExchanged(one: Exchanged): void {
    this.transaction(() => team.putExchanged(this.#db, one));
  }

  exchanged(remote: string): readonly Exchanged[] {
    return team.exchanged(this.#db, remote);
  }

  exchangedOne(remote: string, memory: string): Exchanged | undefined {
    return team.exchangedOne(this.#db, remote, memory);
  }

  outgoingOne(remote: string, memory: string): Outgoing | undefined {
    return team.outgoingOne(this.#db, remote, memory);
  }

  putOutgoing(one: Outgoing): void {
    this.transaction(() => team.putOutgoing(this.#db, one));
  }

  /** What a team server is still to get. */
  outgoing(remote: string): readonly Outgoing[] {
    return team.outgoing(this.#db, remote);
  }

  putConflict(conflict: Conflict): void {
    this.transaction(() => team.putConflict(this.#db, conflict));
  }

  removeConflicts(memories: readonly string[]): void {
    this.transaction(() => team.removeConflicts(this.#db, memories));
  }

  conflicts(): readonly Conflict[] {
    return team.conflicts(this.#db);
  }

  /** Up to where the changes of a shared project were taken in. */
  teamCursor(remote: string): number {
    return team.cursor(this.#db, remote);
  }

  setTeamCursor(remote: string, cursor: number): void {
    this.transaction(() => team.setCursor(this.#db, remote, cursor));
  }

  /** Changes of a shared project that could not be read. */
  teamSkipped(remote: string): readonly Skipped[] {
    return team.skipped(this.#db, remote);
  }

  setTeamSkipped(remote: string, skipped: readonly Skipped[]): void {
    this.transaction(() => team.setSkipped(this.#db, remote, skipped));
  }

  isForgotten(memory: string): boolean {
    return done.isForgotten(this.#db, memory);
  }

  addRedactions(counts: Readonly<Record<string, number>>): void {
    this.transaction(() => done.addRedactions(this.#db, counts));
  }

  redactions(): Readonly<Record<string, number>> {
    return done.redactions(this.#db);
  }

  meta(key: string): string | undefined {
    const row = this.#db.get('SELECT value FROM meta WHERE key = ?', key);
    return row && text(row, 'value');
  }

  /** Those whose key begins so. */
  metaWith(prefix: string): ReadonlyMap<string, string> {
    const rows = this.#db.all(
      'SELECT key, value FROM meta WHERE substr(key, 1, ?) = ?',
      prefix.length,
      prefix,
    );
    return new Map(rows.map((row) => [text(row, 'key'), text(row, 'value')]));
  }

  setMeta(key: string, value: string): void {
    this.transaction(() => this.#db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', key, value));
  }

  stats(): IndexStats {
    return records.countAll(this.#db);
  }

  /** What SQLite finds wrong, full text included; empty when sound. Reads everything: not for the hot path. */
  problems(): readonly string[] {
    try {
      const found = this.#db.snapshot(() => {
        // Full text keeps its layout from the last look and checks the table against that, unless it is read first.
        for (const table of FULL_TEXT) this.#db.get(`SELECT rowid FROM ${table} LIMIT 1`);
        return this.#db.all('PRAGMA integrity_check(20)').map((row) => text(row, 'integrity_check'));
      });
      return found.filter((line) => line !== 'ok');
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }

  /** Writes the log back into the file and empties it: what was deleted is then nowhere on disk. Call after a forget. */
  checkpoint(): void {
    this.#db.all('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Empties every table, before everything is put in again. */
  clear(): void {
    this.transaction(() => {
      for (const table of TABLES) this.#db.exec(`DELETE FROM ${table}`);
    });
  }

  close(): void {
    this.#db.close();
  }
}
