/** The queue of messages from EverMem clients, and their session events. */
import { projectPolicies } from './project-policies.ts';

export const MESSAGES = `
CREATE TABLE tidemark.message (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  -- Ascending in the order of arrival.
  number bigint GENERATED ALWAYS AS IDENTITY,
  group_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  sender text NOT NULL,
  sender_name text,
  role text NOT NULL,
  content text NOT NULL,
  create_time text COLLATE "C" NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  member_id uuid NOT NULL,
  request_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'done', 'failed')),
  problem text,
  tries integer NOT NULL DEFAULT 0,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, number)
);
CREATE UNIQUE INDEX message_id ON tidemark.message (team_id, group_id, message_id);
CREATE INDEX message_listed ON tidemark.message (team_id, group_id, create_time DESC, number DESC);
CREATE INDEX message_user ON tidemark.message (team_id, user_id, create_time DESC, number DESC);
CREATE INDEX message_queue ON tidemark.message (team_id, number) WHERE state = 'queued';

-- Messages like "[Session Start] …", which are never recalled.
CREATE TABLE tidemark.session_event (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  group_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  event text NOT NULL,
  at text COLLATE "C" NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (team_id, number)
);
CREATE UNIQUE INDEX session_event_id ON tidemark.session_event (team_id, group_id, message_id);

-- Not used any more: descriptions of groups (conversation-meta).
CREATE TABLE tidemark.message_group (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  meta jsonb NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, group_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON tidemark.message, tidemark.session_event, tidemark.message_group TO tidemark_app;
${projectPolicies('message', 'session_event', 'message_group')}

-- The members with queued messages, so that a server continues with them after its start.
GRANT SELECT ON tidemark.message TO tidemark_lookup;
CREATE POLICY lookup ON tidemark.message FOR SELECT TO tidemark_lookup USING (true);
CREATE FUNCTION tidemark.waiting() RETURNS TABLE (team_id uuid, member_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT DISTINCT m.team_id, m.member_id FROM tidemark.message m WHERE m.state = 'queued' $$;
REVOKE ALL ON FUNCTION tidemark.waiting() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidemark.waiting() TO tidemark_app;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
ALTER FUNCTION tidemark.waiting() OWNER TO tidemark_lookup;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
`;
