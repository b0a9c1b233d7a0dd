/** The vectors of memories and turns together: which texts need one, storing them, taking them from another index. */
import { count, text } from './columns.ts';
import type { Tables } from './_tables.ts';
import { memoriesAt } from './memories.ts';
import { VECTORS_SINCE } from './schema.ts';
import { embeddedText, searchableHash } from './text/searchable.ts';
import type { Tier, VectorCount, Vectors } from './vectors/vectors.ts';

/** A text that needs a vector. */
export interface Unembedded {
  readonly tier: Tier;
  readonly row: number;
  /** Hash of the content: tells whether the row still has the same text when its vector arrives. */
  readonly hash: string;
  readonly text: string;
}

export interface Embedded extends Pick<Unembedded, 'tier' | 'row' | 'hash'> {
  readonly vector: Float32Array;
}

/** The first part of prompt and answer says what they are about, and a model reads only some hundred words. */
const PART_CHARS = 800;

/** Sets the model of the vectors; vectors of another model are dropped and made again. Returns whether it changed. */
export function setVectorModel(tables: Tables, model: string): boolean {
  return tables.transaction(() => {
    const changed = vectorsOf(tables).map((vectors) => vectors.setModel(model));
    return changed.some(Boolean);
  });
}

/** Returns texts that need a vector: memories before turns, newest first. */
export function unembedded(tables: Tables, limit: number): readonly Unembedded[] {
  const memories = [...memoriesAt(tables, tables.memoryVectors.missing(limit))].map(([row, memory]) => ({
    tier: 'memory' as const,
    row,
    hash: searchableHash(memory),
    text: embeddedText(memory),
  }));
  const turns = tables.turnVectors.missing(limit - memories.length).flatMap((row) => {
    const found = tables.get('SELECT prompt, answer, hash FROM turn WHERE row = ?', row);
    if (!found) return [];
    const parts = ['prompt', 'answer'].map((column) => text(found, column).slice(0, PART_CHARS));
    return [{ tier: 'turn' as const, row, hash: text(found, 'hash'), text: parts.join('\n') }];
  });
  return [...memories, ...turns];
}

/** Stores vectors, except those of another model and those of rows whose text has changed meanwhile. */
export function putVectors(tables: Tables, model: string, embedded: readonly Embedded[]): void {
  tables.transaction(() => {
    if (tables.memoryVectors.model !== model) return;
    const { memory = [], turn = [] } = Object.groupBy(embedded, ({ tier }) => tier);
    const memories = memoriesAt(
      tables,
      memory.map(({ row }) => row),
    );
    tables.memoryVectors.put(
      memory.filter(({ row, hash }) => {
        const now = memories.get(row);
        return now && searchableHash(now) === hash;
      }),
    );
    const isSame = ({ row, hash }: Embedded) =>
      tables.get('SELECT 1 FROM turn WHERE row = ? AND hash = ?', row, hash) !== undefined;
    tables.turnVectors.put(turn.filter(isSame));
  });
}

export function vectorCounts(tables: Tables): Readonly<Record<Tier, VectorCount>> {
  return { memory: tables.memoryVectors.count(), turn: tables.turnVectors.count() };
}

/** Loads some vectors into memory and returns whether all are loaded. A search does the same, but waits for it. */
export function loadVectors(tables: Tables): boolean {
  return vectorsOf(tables).every((vectors) => vectors.load());
}

/** Takes the vectors of another index for rows with the same text, because they take the longest to make. */
export function takeVectorsFrom(tables: Tables, path: string): void {
  tables.attached(path, (schema) => {
    const version = count(tables.get(`SELECT max(version) AS n FROM ${schema}.schema_version`));
    if (version < VECTORS_SINCE) return;
    tables.transaction(() => {
      tables.memoryVectors.takeFrom(schema);
      tables.turnVectors.takeFrom(schema);
    });
  });
}

function vectorsOf(tables: Tables): readonly Vectors[] {
  return [tables.memoryVectors, tables.turnVectors];
}
