/**
 * The tables of the index. There are no migrations: a change of the schema gets the next version, and the daemon
 * rebuilds an index of any other version from journal, turn store and ledger.
 */

/** Versions up to 13 were steps of a migration. */
export const SCHEMA_VERSION = 24;

/** The oldest version whose vectors are of the same text (`embeddedText`) and are stored in the same columns. */
export const VECTORS_SINCE = 13;

/**
 * FTS5 gets tokens that tokens.ts has already separated by spaces, so it must not split at other ASCII characters. It
 * stores a copy of the tokens instead of being contentless: only then a deletion removes the words at once
 * (`secure-delete`), and ranking can read which words of a query an entry contains.
 */
const TOKENIZER = `tokenize = "ascii tokenchars '_$@#+./:~-'"`;

export const SCHEMA = `
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  INSERT INTO schema_version VALUES (${SCHEMA_VERSION});
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
  CREATE INDEX session_by_agent ON session (agent, project);

  CREATE TABLE memory (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, state TEXT NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, reason TEXT,
    facts TEXT NOT NULL, concepts TEXT NOT NULL, files TEXT NOT NULL,
    project TEXT NOT NULL, at TEXT NOT NULL, branch TEXT,
    agent TEXT NOT NULL, session TEXT NOT NULL, turn TEXT NOT NULL, messages TEXT NOT NULL, made_by TEXT NOT NULL,
    supersedes TEXT, superseded_by TEXT, resolved_by TEXT, seen INTEGER, author TEXT, also TEXT,
    ended TEXT, ended_turn TEXT, over_at TEXT, evidence TEXT,
    journal TEXT, line INTEGER, content_hash TEXT NOT NULL
  );
  -- The short id (src/core/words/short-id.ts): the part after the time.
  CREATE INDEX memory_by_short_id ON memory (substr(id, 8));
  CREATE INDEX memory_by_project ON memory (project, at);
  CREATE INDEX memory_by_time ON memory (at);
  CREATE INDEX memory_by_kind ON memory (kind, at);
  CREATE INDEX memory_by_state ON memory (kind, state, at);
  CREATE INDEX memory_by_agent ON memory (agent, at);
  CREATE INDEX memory_by_facets ON memory (project, kind, state);
  CREATE INDEX memory_by_session ON memory (session, at, id);
  CREATE INDEX memory_by_turn ON memory (turn);
  CREATE INDEX memory_by_ending ON memory (ended_turn) WHERE ended_turn IS NOT NULL;
  CREATE INDEX memory_by_end ON memory (over_at) WHERE over_at IS NOT NULL;
  CREATE INDEX memory_by_journal ON memory (journal);
  CREATE TABLE memory_file (
    name TEXT NOT NULL, path TEXT NOT NULL, memory TEXT NOT NULL, PRIMARY KEY (name, path, memory)
  ) WITHOUT ROWID;
  CREATE INDEX memory_file_by_memory ON memory_file (memory);

  CREATE VIEW open_issue AS SELECT id, project, at, title, body FROM memory WHERE kind = 'issue' AND state = 'open';
  CREATE VIEW standing AS SELECT id, project, at, kind, title, reason FROM memory
    WHERE kind IN ('decision', 'preference', 'pattern') AND state = 'current';

  CREATE TABLE turn (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, project TEXT NOT NULL,
    at TEXT NOT NULL, ended_at TEXT NOT NULL, origin TEXT NOT NULL, outcome TEXT NOT NULL,
    prompt TEXT NOT NULL, answer TEXT NOT NULL, tools INTEGER NOT NULL, files TEXT NOT NULL, commits TEXT NOT NULL,
    store_file TEXT, store_offset INTEGER, store_length INTEGER, hash TEXT NOT NULL
  );
  CREATE INDEX turn_by_session ON turn (session, at);
  CREATE INDEX turn_by_project ON turn (project, at);
  CREATE INDEX turn_by_store ON turn (store_file);

  -- The project is a column of the full text, so that a search in one project looks at no other.
  CREATE VIRTUAL TABLE memory_fts USING fts5(title, body, facts, concepts, files, reason, date, project, ${TOKENIZER});
  INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);
  CREATE VIRTUAL TABLE turn_fts USING fts5(prompt, answer, project, ${TOKENIZER});
  INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);

  -- The vector of a row: bits for a first selection, bytes for the comparison.
  CREATE TABLE memory_vector (row INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, bits BLOB NOT NULL);
  CREATE INDEX memory_vector_by_stamp ON memory_vector (stamp);
  CREATE TABLE memory_code (row INTEGER PRIMARY KEY, scale REAL NOT NULL, codes BLOB NOT NULL);
  CREATE TABLE turn_vector (row INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, bits BLOB NOT NULL);
  CREATE INDEX turn_vector_by_stamp ON turn_vector (stamp);
  CREATE TABLE turn_code (row INTEGER PRIMARY KEY, scale REAL NOT NULL, codes BLOB NOT NULL);
  CREATE TABLE unembedded (tier TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (tier, row)) WITHOUT ROWID;

  -- The words of titles, as numbers: they find memories that may say the same.
  CREATE TABLE kin (row INTEGER PRIMARY KEY, memory TEXT NOT NULL UNIQUE, words TEXT NOT NULL);
  CREATE TABLE kin_word (word INTEGER NOT NULL, kin INTEGER NOT NULL, PRIMARY KEY (word, kin)) WITHOUT ROWID;

  -- Memories without an entry in the journal: merged into another, or waiting for review.
  CREATE TABLE merged (
    memory TEXT PRIMARY KEY, into_memory TEXT NOT NULL, made_by TEXT NOT NULL, project TEXT NOT NULL,
    turn TEXT NOT NULL, content TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX merged_by_short_id ON merged (substr(memory, 8));
  CREATE INDEX merged_by_into ON merged (into_memory);
  CREATE INDEX merged_by_turn ON merged (turn);
  CREATE TABLE waiting (
    memory TEXT PRIMARY KEY, project TEXT NOT NULL, at TEXT NOT NULL, content TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE tombstone (
    memory TEXT PRIMARY KEY, at TEXT NOT NULL, turn TEXT NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL,
    project TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX tombstone_by_turn ON tombstone (turn);
  CREATE INDEX tombstone_by_hash ON tombstone (hash);

  -- Changes that the user made, with the old text of an edit.
  CREATE TABLE change (
    memory TEXT NOT NULL, at TEXT NOT NULL, how TEXT NOT NULL, by_memory TEXT, before TEXT,
    PRIMARY KEY (memory, at)
  ) WITHOUT ROWID;
  CREATE INDEX change_by_time ON change (at);

  -- How far each transcript and journal file was read.
  CREATE TABLE transcript (
    path TEXT PRIMARY KEY, session TEXT NOT NULL, project TEXT NOT NULL, read_offset INTEGER NOT NULL,
    size INTEGER NOT NULL, inode REAL NOT NULL, mtime REAL NOT NULL, head_hash TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX transcript_by_session ON transcript (session);
  CREATE TABLE journal_file (
    path TEXT PRIMARY KEY, mtime REAL NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE injection (
    at TEXT NOT NULL, session TEXT NOT NULL, place TEXT NOT NULL, prompt_id TEXT NOT NULL,
    memory TEXT NOT NULL, score REAL, PRIMARY KEY (session, place, prompt_id, memory)
  ) WITHOUT ROWID;
  CREATE INDEX injection_by_memory ON injection (memory, at);
  CREATE INDEX injection_by_time ON injection (at);
  CREATE TABLE opened (
    memory TEXT NOT NULL, session TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (memory, session)
  ) WITHOUT ROWID;
  CREATE TABLE footing (
    turn TEXT PRIMARY KEY, session TEXT NOT NULL, project TEXT NOT NULL, at TEXT NOT NULL,
    branch TEXT, head TEXT, files TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX footing_by_session ON footing (session, at);
  CREATE INDEX footing_by_project ON footing (project, branch, head, at);

  CREATE TABLE distilled (turn TEXT PRIMARY KEY, made_by TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE made (memory TEXT PRIMARY KEY, turn TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE passed (turn TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE redaction (type TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;

  -- The exchange with a team server.
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
  CREATE TABLE sharing (memory TEXT PRIMARY KEY, state TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE conflict (
    memory TEXT NOT NULL, at TEXT NOT NULL, remote TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (memory, at, remote)
  ) WITHOUT ROWID;
`;
