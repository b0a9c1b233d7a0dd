/** Memories of shared projects: texts, revisions, tombstones, change numbers, word counts and vectors. */
import { projectPolicies } from './project-policies.ts';

/** Ids and times are compared byte by byte (COLLATE "C"), like in the local index. */
export const MEMORIES = `
CREATE TABLE tidemark.memory (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- A short row id for ranking.
  number bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  reason text,
  facts text[] NOT NULL,
  concepts text[] NOT NULL,
  files text[] NOT NULL,
  state text NOT NULL CHECK (state IN ('current', 'open', 'resolved', 'superseded')),
  at text COLLATE "C" NOT NULL,
  branch text,
  agent text NOT NULL,
  session text COLLATE "C" NOT NULL,
  turn text COLLATE "C" NOT NULL,
  messages text[] NOT NULL,
  made_by text NOT NULL,
  supersedes text[],
  superseded_by text,
  resolved_by text,
  seen integer,
  author_id uuid NOT NULL,
  machine text NOT NULL,
  clock bigint NOT NULL,
  version_machine text COLLATE "C" NOT NULL,
  content_hash text NOT NULL,
  -- Our own tokens with a prefix of the team (src/server/store/search/lexemes.ts).
  tokens tsvector NOT NULL,
  token_count integer NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, project_id, id)
);
CREATE UNIQUE INDEX memory_number ON tidemark.memory (team_id, number);
CREATE INDEX memory_id ON tidemark.memory (team_id, id);
CREATE INDEX memory_at ON tidemark.memory (team_id, project_id, at, id);
CREATE INDEX memory_session ON tidemark.memory (team_id, session, at, id) INCLUDE (number, project_id);
CREATE INDEX memory_author ON tidemark.memory (team_id, project_id, author_id);
CREATE INDEX memory_tokens ON tidemark.memory USING gin (tokens);

-- Texts that a later one replaced, or that arrived too late. Forgetting deletes them too.
CREATE TABLE tidemark.memory_revision (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  clock bigint NOT NULL,
  version_machine text COLLATE "C" NOT NULL,
  author_id uuid NOT NULL,
  entry jsonb NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, project_id, id, clock, version_machine)
);
-- Ended entries: forgotten for good, or withdrawn until they are shared again with a later version.
CREATE TABLE tidemark.tombstone (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  op text NOT NULL CHECK (op IN ('tombstone', 'withdraw')),
  turn text NOT NULL,
  hash text NOT NULL,
  clock bigint NOT NULL,
  version_machine text COLLATE "C" NOT NULL,
  author_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, project_id, id)
);
-- The last change of each entry, numbered within the team.
CREATE TABLE tidemark.change (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  op text NOT NULL CHECK (op IN ('put', 'tombstone', 'withdraw')),
  author_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, project_id, memory_id)
);
CREATE INDEX change_seq ON tidemark.change (team_id, project_id, seq);
-- Answered requests by idempotency key.
CREATE TABLE tidemark.push (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  member_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  answer jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, project_id, member_id, key)
);
-- The number of memories of the team that contain a token.
CREATE TABLE tidemark.term (
  team_id uuid NOT NULL,
  term text COLLATE "C" NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (team_id, term)
) WITH (fillfactor = 70);

CREATE TABLE tidemark.memory_vector (
  team_id uuid NOT NULL,
  number bigint NOT NULL,
  project_id uuid NOT NULL,
  model text COLLATE "C" NOT NULL,
  -- Hash of the embedded text; a vector of an older text is not used.
  content_hash text NOT NULL,
  scale real NOT NULL,
  codes bytea NOT NULL,
  PRIMARY KEY (team_id, number)
);
CREATE INDEX memory_vector_project ON tidemark.memory_vector (team_id, project_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON tidemark.memory, tidemark.memory_revision, tidemark.tombstone, tidemark.change,
  tidemark.push, tidemark.term, tidemark.memory_vector TO tidemark_app;
${projectPolicies('memory', 'memory_revision', 'tombstone', 'change', 'push', 'memory_vector')}
ALTER TABLE tidemark.term ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON tidemark.term TO tidemark_app USING (team_id = tidemark.team());
`;
