/**
 * Counts of memories by kind, state, agent, author and day of each project, so that no page counts rows. Triggers write
 * them in the transaction of each change, under the project's lock, whichever program changes the memories. Also the
 * indexes without which a statement would read in proportion to the size of the team.
 */
import { COUNTED_AGENT, QUARTER_OF } from '../counts/counted.ts';
import { BY_INDEX, DEFINER } from './_functions.ts';

const TABLES = ['project_facet', 'project_author', 'project_day'];

const rowsOf = (table: string, by: 1 | -1): string =>
  `SELECT team_id, project_id, kind, state, ${COUNTED_AGENT('agent')} AS agent, author_id, left(at, 10) AS day,
      ${QUARTER_OF('at')} AS quarter, ${by} AS by FROM ${table}`;

/** Adds the changes of `moved`. The counts of a day are merged quarter by quarter. */
const counting = (moved: string): string => `
    WITH moved AS MATERIALIZED (${moved}), facets AS (
      INSERT INTO tidemark.project_facet AS f (team_id, project_id, kind, state, agent, memories)
      SELECT team_id, project_id, kind, state, agent, sum(by) FROM moved GROUP BY 1, 2, 3, 4, 5 HAVING sum(by) <> 0
      ON CONFLICT (team_id, project_id, kind, state, agent) DO UPDATE SET memories = f.memories + excluded.memories
    ), authors AS (
      INSERT INTO tidemark.project_author AS a (team_id, project_id, author_id, memories)
      SELECT team_id, project_id, author_id, sum(by) FROM moved GROUP BY 1, 2, 3 HAVING sum(by) <> 0
      ON CONFLICT (team_id, project_id, author_id) DO UPDATE SET memories = a.memories + excluded.memories
    )
    INSERT INTO tidemark.project_day (team_id, project_id, day, kind, state, agent, memories, quarters, upto)
    SELECT k.team_id, k.project_id, k.day, k.kind, k.state, k.agent, merged.memories, merged.quarters, merged.upto
    FROM (
      SELECT team_id, project_id, day, kind, state, agent, array_agg(quarter) AS quarters, array_agg(by) AS changes
      FROM (
        SELECT team_id, project_id, day, kind, state, agent, quarter, sum(by) AS by FROM moved
        GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(by) <> 0) AS q
      GROUP BY 1, 2, 3, 4, 5, 6) AS k
    CROSS JOIN LATERAL (
      SELECT coalesce(max(total), 0) AS memories, coalesce(array_agg(quarter ORDER BY quarter), '{}') AS quarters,
        coalesce(array_agg(total ORDER BY quarter), '{}') AS upto
      FROM (
        SELECT quarter, (sum(sum(n)) OVER (ORDER BY quarter))::integer AS total FROM (
          SELECT * FROM unnest(k.quarters, k.changes) AS changed (quarter, n)
          UNION ALL
          SELECT had.quarter, had.total - lag(had.total, 1, 0) OVER (ORDER BY had.quarter)
          FROM tidemark.project_day d, unnest(d.quarters, d.upto) AS had (quarter, total)
          WHERE (d.team_id, d.project_id, d.day, d.kind, d.state, d.agent)
            = (k.team_id, k.project_id, k.day, k.kind, k.state, k.agent)
        ) AS both_counts GROUP BY quarter HAVING sum(n) > 0) AS summed
    ) AS merged
    ON CONFLICT (team_id, project_id, day, kind, state, agent)
      DO UPDATE SET memories = excluded.memories, quarters = excluded.quarters, upto = excluded.upto;`;

/** Deletes the counts that have become zero, one by one by their keys. */
const clearing = TABLES.map((table) => {
  const key = { project_facet: 'kind, state, agent', project_author: 'author_id' }[table];
  const columns = `team_id, project_id, ${key ?? 'day, kind, state, agent'}`.split(', ');
  return `
    FOR gone IN SELECT DISTINCT ${columns.join(', ')} FROM (${rowsOf('removed', -1)}) AS r LOOP
      DELETE FROM tidemark.${table} AS c
      WHERE ${columns.map((name) => `c.${name} = gone.${name}`).join(' AND ')} AND c.memories <= 0;
    END LOOP;`;
}).join('');

const COUNTERS_OF_MEMORIES = `
CREATE TABLE tidemark.project_facet (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  -- 'other' for a name that is not in our list, because clients can send any.
  agent text NOT NULL,
  memories bigint NOT NULL,
  PRIMARY KEY (team_id, project_id, kind, state, agent)
) WITH (fillfactor = 70);
CREATE TABLE tidemark.project_author (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  author_id uuid NOT NULL,
  memories bigint NOT NULL,
  PRIMARY KEY (team_id, project_id, author_id)
) WITH (fillfactor = 70);
CREATE TABLE tidemark.project_day (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  -- The day in UTC, as in memory.at.
  day text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  agent text NOT NULL,
  memories integer NOT NULL,
  -- The quarters of an hour (0 to 95) that have memories, ascending, and how many the day has until the end of each. Every
  -- time zone begins its days at one of them.
  quarters integer[] NOT NULL,
  upto integer[] NOT NULL,
  PRIMARY KEY (team_id, project_id, day, kind, state, agent)
) WITH (fillfactor = 70);
${TABLES.map(
  (table) => `
ALTER TABLE tidemark.${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY read ON tidemark.${table} FOR SELECT TO tidemark_app
  USING (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.readable())::uuid[]));
CREATE POLICY lookup ON tidemark.${table} TO tidemark_lookup USING (true);`,
).join('')}

CREATE FUNCTION tidemark.count_memories() RETURNS trigger LANGUAGE plpgsql ${DEFINER} ${BY_INDEX} AS $$
DECLARE gone record;
BEGIN
  IF TG_OP = 'INSERT' THEN${counting(rowsOf('added', 1))}
  ELSIF TG_OP = 'UPDATE' THEN${counting(`${rowsOf('added', 1)} UNION ALL ${rowsOf('removed', -1)}`)}
  ELSE${counting(rowsOf('removed', -1))}
  END IF;
  IF TG_OP <> 'INSERT' THEN${clearing}
  END IF;
  RETURN NULL;
END $$;
-- At once, because older servers write memories while this release starts.
GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLES.map((table) => `tidemark.${table}`).join(', ')} TO tidemark_lookup;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
ALTER FUNCTION tidemark.count_memories() OWNER TO tidemark_lookup;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
CREATE TRIGGER count_added AFTER INSERT ON tidemark.memory REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tidemark.count_memories();
CREATE TRIGGER count_changed AFTER UPDATE ON tidemark.memory REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tidemark.count_memories();
CREATE TRIGGER count_removed AFTER DELETE ON tidemark.memory REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION tidemark.count_memories();

-- The owner of the tables is bound by the policies too, except while this migration reads and fills them.
${['memory', ...TABLES].map((table) => `ALTER TABLE tidemark.${table} NO FORCE ROW LEVEL SECURITY;`).join('\n')}
${counting(rowsOf('tidemark.memory', 1))}
${['memory', ...TABLES].map((table) => `ALTER TABLE tidemark.${table} FORCE ROW LEVEL SECURITY;`).join('\n')}
`;

export const COUNTERS = `${COUNTERS_OF_MEMORIES}
-- The newest memories of a kind, a state and an agent, however few a project has of them.
CREATE INDEX memory_faceted ON tidemark.memory
  (team_id, project_id, kind, state, (${COUNTED_AGENT('agent')}), at, id);
DROP INDEX tidemark.memory_counted;
-- IS TRUE keeps PostgreSQL from looking each readable project up in an index, which then gives the rows in no order.
ALTER POLICY read ON tidemark.memory USING (team_id = tidemark.team()
  AND (project_id = ANY ((SELECT tidemark.readable())::uuid[])) IS TRUE);
-- Vectors of another model or an older text, without those that are current.
CREATE INDEX memory_vector_made ON tidemark.memory_vector (team_id, project_id, model, made_of);
DROP INDEX tidemark.memory_vector_project;

-- The shares of a caller, without those of everyone else.
CREATE INDEX share_member ON tidemark.share (team_id, member_id) INCLUDE (project_id, access);
CREATE OR REPLACE FUNCTION tidemark.readable() RETURNS uuid[] LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN
  IF tidemark.my_role() IS NULL THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(
    SELECT project_id FROM tidemark.share WHERE team_id = tidemark.team() AND member_id = tidemark.member()
    UNION SELECT project_id FROM tidemark.share WHERE team_id = tidemark.team() AND member_id IS NULL);
END $$;
CREATE OR REPLACE FUNCTION tidemark.writable() RETURNS uuid[] LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN
  IF coalesce(tidemark.my_role() NOT IN ('owner', 'member'), true) THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(
    SELECT project_id FROM tidemark.share
      WHERE team_id = tidemark.team() AND member_id = tidemark.member() AND access = 'write'
    UNION SELECT project_id FROM tidemark.share
      WHERE team_id = tidemark.team() AND member_id IS NULL AND access = 'write');
END $$;

CREATE INDEX api_key_member ON tidemark.api_key (team_id, member_id);
CREATE INDEX hub_link_member ON tidemark.hub_link (team_id, member_id);
CREATE INDEX hub_visit_member ON tidemark.hub_visit (team_id, member_id);
CREATE INDEX member_owner ON tidemark.member (team_id) WHERE role = 'owner' AND removed_at IS NULL;
CREATE INDEX member_name ON tidemark.member (team_id, lower(name)) WHERE removed_at IS NULL;
-- A member of the caller's team by name, in any case. A policy keeps PostgreSQL from using that index.
CREATE FUNCTION tidemark.member_named(wanted text, other_than uuid) RETURNS text LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN
  RETURN (SELECT name FROM tidemark.member WHERE team_id = tidemark.team() AND lower(name) = lower(wanted)
    AND removed_at IS NULL AND id IS DISTINCT FROM other_than LIMIT 1);
END $$;

-- Messages and session events are no longer listed by time.
DROP INDEX tidemark.message_listed, tidemark.message_user, tidemark.message_queue;
CREATE INDEX message_waiting ON tidemark.message (team_id, member_id, number) WHERE state = 'queued';
CREATE INDEX message_project ON tidemark.message (team_id, project_id);
CREATE INDEX session_event_project ON tidemark.session_event (team_id, project_id);
CREATE INDEX session_event_at ON tidemark.session_event (team_id, group_id, at);
-- One row read for each member with queued messages, instead of every message.
CREATE OR REPLACE FUNCTION tidemark.waiting() RETURNS TABLE (team_id uuid, member_id uuid)
  LANGUAGE sql STABLE ${DEFINER} AS $$
  WITH RECURSIVE found AS (
    (SELECT m.team_id, m.member_id FROM tidemark.message m WHERE m.state = 'queued' ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT next.team_id, next.member_id FROM found CROSS JOIN LATERAL (
      SELECT m.team_id, m.member_id FROM tidemark.message m
      WHERE m.state = 'queued' AND (m.team_id, m.member_id) > (found.team_id, found.member_id)
      ORDER BY 1, 2 LIMIT 1) AS next)
  SELECT * FROM found $$;
`;
