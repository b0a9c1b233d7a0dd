/** The numbered migrations of the schema, append-only. Each is for the shared role names, which migrate.ts replaces. */
import { ACCESS } from './access.ts';
import { COUNTERS } from './counters.ts';
import { FINDING } from './finding.ts';
import { SHARED_LIMITS } from './limits.ts';
import { MEMORIES } from './memories.ts';
import { MESSAGES } from './messages.ts';
import { OPERATING } from './operating.ts';
import { PARTITION } from './partitions.ts';
import { QUICKER } from './quicker.ts';
import { SEPARATE } from './separate.ts';
import { UNEMBEDDED } from './unembedded.ts';
import { VISITS } from './visits.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** Returns the schema number this program needs. */
export function newestMigration(): number {
  return MIGRATIONS.at(-1)?.number ?? 0;
}

/** A narrow index for the hub's counts by day, kind, state and project, so that the texts are not read. */
const COUNTING = `
CREATE INDEX memory_counted ON tidemark.memory (team_id, project_id, at) INCLUDE (kind, state);
`;

/**
 * The version of the embedded text of a vector; version 1 had no concepts. Vectors of older versions are computed again
 * under the rights of their writers (vectors.ts). An older server still writes version 1.
 */
const MADE_OF = `
ALTER TABLE tidemark.memory_vector ADD COLUMN made_of smallint NOT NULL DEFAULT 1;
`;

const EVIDENCE = `
ALTER TABLE tidemark.memory ADD COLUMN evidence text CHECK (evidence IN ('said', 'shown', 'claimed', 'quoted'));
`;

/** The hub lists the agents of each project too. */
const COUNTING_AGENTS = `
DROP INDEX tidemark.memory_counted;
CREATE INDEX memory_counted ON tidemark.memory (team_id, project_id, at) INCLUDE (kind, state, agent);
`;

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
  { number: 10, name: 'who said it', sql: EVIDENCE },
  { number: 11, name: 'contract: counts of each project, and fewer privileges', sql: SEPARATE },
  { number: 12, name: 'counting the agents for the hub too', sql: COUNTING_AGENTS },
  { number: 13, name: 'counters instead of counting, and indexes for large teams', sql: COUNTERS },
  { number: 14, name: 'limits that several servers share', sql: SHARED_LIMITS },
  { number: 15, name: 'operating: figures, pruning, settings of a team, members who leave', sql: OPERATING },
  { number: 16, name: 'contract: the large tables in partitions by team', sql: PARTITION },
];
