/**
 * Where a data folder keeps what: the only place of the tests across processes that knows. Tests that damage a store or
 * edit it as a person does take its files from here; all others look at what the product prints.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Machine } from './machine.ts';

/** Paths below the data folder. */
const STORES = {
  /** Memories, in Markdown that people may edit. */
  memories: /^journal\/.*\/\d[^/]*\.md$/,
  /** The turns of the sessions. */
  conversations: /^turns\//,
  /** Everything else that cannot be made again. */
  records: /^ledger\//,
  /** May be deleted at any time. */
  index: /^index\//,
};

type Store = keyof typeof STORES;

/** The files of a store that exist, in the order of their names. */
export function filesOf(machine: Machine, store: Store): readonly string[] {
  const { home } = machine.places;
  return machine
    .files()
    .filter((path) => STORES[store].test(path.slice(home.length + 1)))
    .toSorted();
}

/** The one file of the index, whether it exists or not. */
export function indexFile({ places }: Machine): string {
  return places.index;
}

/** The folder of all memories, which a person may keep in git. */
export function memoryFolder({ places }: Machine): string {
  mkdirSync(places.journal, { recursive: true, mode: 0o700 });
  return places.journal;
}

/** The folder of the index, which may be deleted whole. */
export function indexFolder(machine: Machine): string {
  return dirname(indexFile(machine));
}
