/** The schema, as numbered steps. Append only: a step that was released never changes. */

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly why: string;
  readonly sql: string;
}

/**
 * Our tokens reach FTS5 already cut (tokens.ts) and separated by spaces: everything else ASCII that a token may hold must
 * not be cut again. FTS5 keeps a copy of the tokens instead of being contentless, because only then a deletion takes
 * the words out of the index at once (`secure-delete`), and ranking can read which words of a query an entry holds.
 */
const TOKENIZER = `tokenize = "ascii tokenchars '_$@#+./:~-'"`;

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'memories, sessions and projects',
    why: 'what the journal holds, one row for each thing, so that a person can read it with sqlite3',
    sql: `
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

      CREATE TABLE project (id TEXT PRIMARY KEY, name TEXT NOT NULL, paths TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE project_key (key TEXT PRIMARY KEY, project TEXT NOT NULL, rank INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX project_key_by_project ON project_key (project, rank);

      CREATE TABLE session (
        id TEXT PRIMARY KEY, agent TEXT NOT NULL, project TEXT NOT NULL,
        started_at TEXT NOT NULL, last_at TEXT NOT NULL, ended_at TEXT,
        status TEXT NOT NULL, source TEXT, reason TEXT, title TEXT, turns INTEGER NOT NULL,
        branch TEXT, worktree TEXT, transcript TEXT, summary TEXT
      ) WITHOUT ROWID;
      CREATE INDEX session_by_project ON session (project, last_at);
      CREATE INDEX session_by_time ON session (last_at);

      CREATE TABLE memory (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, state TEXT NOT NULL,
        title TEXT NOT NULL, body TEXT NOT NULL, reason TEXT,
        facts TEXT NOT NULL, concepts TEXT NOT NULL, files TEXT NOT NULL,
        project TEXT NOT NULL, at TEXT NOT NULL, branch TEXT,
        agent TEXT NOT NULL, session TEXT NOT NULL, turn TEXT NOT NULL, messages TEXT NOT NULL, made_by TEXT NOT NULL,
        supersedes TEXT, superseded_by TEXT,
        journal TEXT, line INTEGER, content_hash TEXT NOT NULL
      );
      CREATE INDEX memory_by_project ON memory (project, at);
      CREATE INDEX memory_by_time ON memory (at);
      CREATE INDEX memory_by_session ON memory (session, at);
      CREATE INDEX memory_by_turn ON memory (turn);
      CREATE INDEX memory_by_journal ON memory (journal);

      CREATE TABLE memory_file (
        name TEXT NOT NULL, path TEXT NOT NULL, memory TEXT NOT NULL, PRIMARY KEY (name, path, memory)
      ) WITHOUT ROWID;
      CREATE INDEX memory_file_by_memory ON memory_file (memory);

      CREATE VIEW open_issue AS SELECT id, project, at, title, body FROM memory WHERE kind = 'issue' AND state = 'open';
      CREATE VIEW standing AS SELECT id, project, at, kind, title, reason FROM memory
        WHERE kind IN ('decision', 'preference', 'pattern') AND state = 'current';
    `,
  },
  {
    version: 2,
    name: 'turns and what was read',
    why: 'the second tier of search, and how far each transcript and journal file has been taken in',
    sql: `
      CREATE TABLE turn (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, project TEXT NOT NULL,
        at TEXT NOT NULL, ended_at TEXT NOT NULL, origin TEXT NOT NULL, outcome TEXT NOT NULL,
        prompt TEXT NOT NULL, answer TEXT NOT NULL, tools INTEGER NOT NULL,
        store_file TEXT, store_offset INTEGER, store_length INTEGER, hash TEXT NOT NULL
      );
      CREATE INDEX turn_by_session ON turn (session, at);
      CREATE INDEX turn_by_project ON turn (project, at);
      CREATE INDEX turn_by_store ON turn (store_file);

      CREATE TABLE transcript (
        path TEXT PRIMARY KEY, session TEXT NOT NULL, project TEXT NOT NULL, read_offset INTEGER NOT NULL,
        size INTEGER NOT NULL, inode REAL NOT NULL, mtime REAL NOT NULL, head_hash TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX transcript_by_session ON transcript (session);

      CREATE TABLE journal_file (
        path TEXT PRIMARY KEY, mtime REAL NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL
      ) WITHOUT ROWID;
    `,
  },
  {
    version: 3,
    name: 'injections',
    why: 'nothing is shown twice in a session, and why something was recalled can be explained',
    sql: `
      CREATE TABLE injection (
        at TEXT NOT NULL, session TEXT NOT NULL, place TEXT NOT NULL, prompt_id TEXT NOT NULL,
        memory TEXT NOT NULL, score REAL, PRIMARY KEY (session, place, prompt_id, memory)
      ) WITHOUT ROWID;
      CREATE INDEX injection_by_memory ON injection (memory);
    `,
  },
  {
    version: 4,
    name: 'full text',
    why: 'BM25 is the backbone of recall; the vocabularies tell how common a word is',
    sql: `
      CREATE VIRTUAL TABLE memory_fts USING fts5(title, body, facts, concepts, files, reason, date, ${TOKENIZER});
      INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);
      CREATE VIRTUAL TABLE memory_word USING fts5vocab('memory_fts', 'row');

      CREATE VIRTUAL TABLE turn_fts USING fts5(prompt, answer, ${TOKENIZER});
      INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);
      CREATE VIRTUAL TABLE turn_word USING fts5vocab('turn_fts', 'row');
    `,
  },
  {
    version: 5,
    name: 'what was done',
    why: 'a turn is distilled once, what was forgotten stays away, and what redaction took out can be counted',
    sql: `
      CREATE TABLE distilled (turn TEXT PRIMARY KEY, made_by TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE tombstone (memory TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE redaction (type TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    `,
  },
  {
    version: 6,
    name: 'cost, and what a model did not improve',
    why: 'ceilings are checked before every request, what was spent can be shown, and what a person deleted is not made again',
    sql: `
      CREATE TABLE cost (
        at TEXT NOT NULL, session TEXT NOT NULL, driver TEXT NOT NULL, turn TEXT, model TEXT NOT NULL,
        input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, usd REAL NOT NULL,
        PRIMARY KEY (at, session, driver)
      ) WITHOUT ROWID;
      CREATE INDEX cost_by_session ON cost (session);
      CREATE TABLE passed (turn TEXT PRIMARY KEY, at TEXT NOT NULL, driver TEXT NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE made (memory TEXT PRIMARY KEY, turn TEXT NOT NULL) WITHOUT ROWID;
    `,
  },
  {
    version: 7,
    name: 'upkeep',
    why: 'what says the same is found, counted and kept out of the way; what was forgotten is known by turn and content too. The index is built anew, because the words of titles are cut by the program',
    sql: `
      ALTER TABLE memory ADD COLUMN seen INTEGER;
      ALTER TABLE memory ADD COLUMN also TEXT;
      ALTER TABLE memory ADD COLUMN resolved_by TEXT;
      CREATE TABLE kin (
        project TEXT NOT NULL, word TEXT NOT NULL, memory TEXT NOT NULL, size INTEGER NOT NULL,
        PRIMARY KEY (project, word, memory)
      ) WITHOUT ROWID;
      CREATE INDEX kin_by_memory ON kin (memory);
      CREATE TABLE merged (
        memory TEXT PRIMARY KEY, into_memory TEXT NOT NULL, made_by TEXT NOT NULL, project TEXT NOT NULL,
        turn TEXT NOT NULL, content TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX merged_by_into ON merged (into_memory);
      CREATE INDEX merged_by_turn ON merged (turn);
      CREATE TABLE waiting (
        memory TEXT PRIMARY KEY, project TEXT NOT NULL, at TEXT NOT NULL, content TEXT NOT NULL
      ) WITHOUT ROWID;
      DROP TABLE tombstone;
      CREATE TABLE tombstone (
        memory TEXT PRIMARY KEY, at TEXT NOT NULL, turn TEXT NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX tombstone_by_turn ON tombstone (turn);
      CREATE INDEX tombstone_by_hash ON tombstone (hash);
      DELETE FROM meta WHERE key = 'built';
    `,
  },
  {
    version: 8,
    name: 'vectors',
    why: 'what is like a question in meaning is found too: bits to sift, bytes to compare, and which rows still wait',
    sql: `
      CREATE TABLE memory_vector (row INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, bits BLOB NOT NULL);
      CREATE INDEX memory_vector_by_stamp ON memory_vector (stamp);
      CREATE TABLE memory_code (row INTEGER PRIMARY KEY, scale REAL NOT NULL, codes BLOB NOT NULL);
      CREATE TABLE turn_vector (row INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, bits BLOB NOT NULL);
      CREATE INDEX turn_vector_by_stamp ON turn_vector (stamp);
      CREATE TABLE turn_code (row INTEGER PRIMARY KEY, scale REAL NOT NULL, codes BLOB NOT NULL);
      CREATE TABLE unembedded (tier TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (tier, row)) WITHOUT ROWID;
      INSERT INTO unembedded SELECT 'memory', row FROM memory;
      INSERT INTO unembedded SELECT 'turn', row FROM turn;
    `,
  },
  {
    version: 9,
    name: 'counts for the hub',
    why: 'a page of one kind, and how many there are of each kind by project and week, without looking at every memory',
    sql: `
      CREATE INDEX memory_by_kind ON memory (kind, at);
      CREATE INDEX memory_by_facets ON memory (project, kind, state);
      CREATE INDEX injection_by_time ON injection (memory, at);
      DROP INDEX injection_by_memory;
    `,
  },
  {
    version: 10,
    name: 'footings and use',
    why: 'an entry can say that its files changed since or that its branch is not merged, and what was of use before comes first. The index is built anew, because what was of use stands in the ledger alone',
    sql: `
      CREATE TABLE footing (
        turn TEXT PRIMARY KEY, session TEXT NOT NULL, project TEXT NOT NULL, at TEXT NOT NULL,
        branch TEXT, head TEXT, files TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX footing_by_session ON footing (session, at);
      CREATE INDEX footing_by_project ON footing (project, branch, head, at);
      CREATE TABLE used (
        memory TEXT NOT NULL, session TEXT NOT NULL, how TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (memory, session, how)
      ) WITHOUT ROWID;
      DELETE FROM meta WHERE key = 'built';
    `,
  },
  {
    version: 11,
    name: 'team',
    why: 'entries of others say whose they are, and what a team server has is compared with what stands here. The index is built anew, because authors stand in the journal alone',
    sql: `
      ALTER TABLE memory ADD COLUMN author TEXT;
      CREATE TABLE share (
        project TEXT PRIMARY KEY, remote TEXT NOT NULL, name TEXT NOT NULL, server TEXT NOT NULL,
        state TEXT NOT NULL, at TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE TABLE exchanged (
        remote TEXT NOT NULL, memory TEXT NOT NULL, state TEXT NOT NULL, clock INTEGER NOT NULL,
        machine TEXT NOT NULL, hash TEXT NOT NULL, home TEXT, author TEXT,
        PRIMARY KEY (remote, memory)
      ) WITHOUT ROWID;
      CREATE TABLE outgoing (
        remote TEXT NOT NULL, memory TEXT NOT NULL, action TEXT NOT NULL, clock INTEGER NOT NULL,
        machine TEXT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (remote, memory)
      ) WITHOUT ROWID;
      CREATE TABLE conflict (
        memory TEXT NOT NULL, at TEXT NOT NULL, remote TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (memory, at, remote)
      ) WITHOUT ROWID;
      DELETE FROM meta WHERE key = 'built';
    `,
  },
  {
    version: 12,
    name: 'a million memories',
    why: 'full text knows the project of a row, so that a search in one project looks at no other; the words of titles take a quarter of the room; the neighbours in a session are found without reading them. The index is built anew, because full text is cut by the program',
    sql: `
      DROP TABLE memory_word;
      DROP TABLE memory_fts;
      CREATE VIRTUAL TABLE memory_fts USING fts5(title, body, facts, concepts, files, reason, date, project, ${TOKENIZER});
      INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);
      CREATE VIRTUAL TABLE memory_word USING fts5vocab('memory_fts', 'row');
      DROP TABLE turn_word;
      DROP TABLE turn_fts;
      CREATE VIRTUAL TABLE turn_fts USING fts5(prompt, answer, project, ${TOKENIZER});
      INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);
      CREATE VIRTUAL TABLE turn_word USING fts5vocab('turn_fts', 'row');
      DROP TABLE kin;
      CREATE TABLE kin (row INTEGER PRIMARY KEY, memory TEXT NOT NULL UNIQUE, words TEXT NOT NULL);
      CREATE TABLE kin_word (word INTEGER NOT NULL, kin INTEGER NOT NULL, PRIMARY KEY (word, kin)) WITHOUT ROWID;
      DROP INDEX memory_by_session;
      CREATE INDEX memory_by_session ON memory (session, at, id);
      DELETE FROM meta WHERE key = 'built';
    `,
  },
  {
    version: 13,
    name: 'vectors of phrases',
    why: 'a vector is made of the concepts too: what has some waits for a new one, and the old one serves meanwhile',
    sql: `
      ALTER TABLE unembedded ADD COLUMN anew INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX unembedded_by_need ON unembedded (tier, anew, row DESC);
      INSERT OR IGNORE INTO unembedded
        SELECT 'memory', memory.row, 1 FROM memory JOIN memory_vector ON memory_vector.row = memory.row
        WHERE concepts <> '[]';
    `,
  },
];

export const SCHEMA_VERSION = MIGRATIONS.length;
