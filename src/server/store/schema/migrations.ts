/** The numbered steps of the schema, append-only, each with a sentence why. */
import { ACCESS } from './access.ts';
import { COUNTING } from './counting.ts';
import { FINDING } from './finding.ts';
import { MADE_OF } from './made-of.ts';
import { MEMORIES } from './memories.ts';
import { MESSAGES } from './messages.ts';
import { QUICKER } from './quicker.ts';
import { UNEMBEDDED } from './unembedded.ts';
import { VISITS } from './visits.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** What this program needs the database to be at. */
export function newestMigration(): number {
  return MIGRATIONS.at(-1)?.number ?? 0;
}

export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'who: teams, members, keys, projects, shares, audit', sql: ACCESS },
  {
    number: 2,
    name: 'what: memories, their revisions and ends, changes in order, words, vectors',
    sql: MEMORIES,
  },
  { number: 3, name: 'messages in the format of EverMem, and events of sessions', sql: MESSAGES },
  { number: 4, name: 'how candidates are found without leaving the team', sql: FINDING },
  { number: 5, name: 'which texts still need a vector', sql: UNEMBEDDED },
  { number: 6, name: 'who looks at the hub: links and visits', sql: VISITS },
  { number: 7, name: 'finding with kept plans and fewer statements', sql: QUICKER },
  { number: 8, name: 'counting for the hub without reading texts', sql: COUNTING },
  { number: 9, name: 'vectors made of the concepts too', sql: MADE_OF },
];
