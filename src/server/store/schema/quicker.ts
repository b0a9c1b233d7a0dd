/**
 * Faster search. The search functions are PL/pgSQL, whose plans last as long as the connection, while a function in SQL is
 * planned with every call. One statement returns everything that ranking needs about the candidates.
 */

/** Forces index use, because statistics are outdated after every large push. JIT takes longer than these functions. */
const PLANNED = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off`;

/** The rows on one side of `a` in its session, the nearest first. */
const side = (beyond: '<' | '>', direction: 'ASC' | 'DESC'): string => `array_to_string(ARRAY(
      SELECT n.number FROM tidemark.memory n
      WHERE n.team_id = ours AND n.session = a.session AND (n.at, n.id) ${beyond} (a.at, a.id)
      ORDER BY n.at ${direction}, n.id ${direction} LIMIT reach), ' ')`;

/** The filters besides words. */
const NARROWED = `
        AND (of_kinds IS NULL OR m.kind = ANY (of_kinds))
        AND (of_states IS NULL OR m.state = ANY (of_states))
        AND (in_session IS NULL OR m.session = in_session)
        AND (of_turn IS NULL OR m.turn = of_turn)
        AND (since IS NULL OR m.at >= since)
        AND (until IS NULL OR m.at < until)
        AND (of_file IS NULL OR EXISTS (
          SELECT FROM unnest(m.files) AS path WHERE path = of_file OR right(path, length(of_file) + 1) = '/' || of_file))`;

const matching = (narrowed: string): string => `
    RETURN QUERY SELECT found.number, sum(question.weight)::real AS score
    FROM unnest(questions, weights) AS question(lexeme, weight)
    CROSS JOIN LATERAL (
      SELECT m.number FROM tidemark.memory m
      WHERE m.tokens @@ question.lexeme::tsquery
        -- IS TRUE keeps PostgreSQL from also scanning the index of the team's rows.
        AND (m.team_id = ours AND m.project_id = ANY (mine)) IS TRUE${narrowed}
      LIMIT deepest) AS found
    GROUP BY found.number ORDER BY score DESC, found.number DESC LIMIT most;`;

export const QUICKER = `
-- New rows are collected in a pending list, which every search scans for each word. A shorter list costs a push little and
-- saves a search milliseconds.
ALTER INDEX tidemark.memory_tokens SET (gin_pending_list_limit = 256);

CREATE OR REPLACE FUNCTION tidemark.my_role() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT role FROM tidemark.member
    WHERE team_id = tidemark.team() AND id = tidemark.member() AND removed_at IS NULL);
END $$;
CREATE OR REPLACE FUNCTION tidemark.readable() RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT project_id), '{}') FROM tidemark.share
    WHERE team_id = tidemark.team() AND (member_id = tidemark.member() OR member_id IS NULL)
      AND tidemark.my_role() IS NOT NULL);
END $$;
CREATE OR REPLACE FUNCTION tidemark.writable() RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT project_id), '{}') FROM tidemark.share
    WHERE team_id = tidemark.team() AND (member_id = tidemark.member() OR member_id IS NULL)
      AND access = 'write' AND tidemark.my_role() IN ('owner', 'member'));
END $$;

-- Called with every request, before the caller is known.
CREATE OR REPLACE FUNCTION tidemark.key_by_id(wanted text)
  RETURNS TABLE (team_id uuid, team_name text, member_id uuid, member_name text, role text,
    id text, hash bytea, scopes text[], expires_at timestamptz, last_used_at timestamptz)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT k.team_id, t.name, m.id, m.name, m.role, k.id, k.hash, k.scopes, k.expires_at, k.last_used_at
  FROM tidemark.api_key k
  JOIN tidemark.member m ON m.team_id = k.team_id AND m.id = k.member_id
  JOIN tidemark.team t ON t.id = k.team_id
  WHERE k.id = wanted AND k.revoked_at IS NULL AND m.removed_at IS NULL;
END $$;

-- questions: texts of a tsquery; deepest: the most rows read for each. Looks up the readable projects of the caller itself,
-- like the policies.
CREATE OR REPLACE FUNCTION tidemark.matches(
    questions text[], weights real[], in_projects uuid[], of_kinds text[], of_states text[], in_session text, of_turn text,
    of_file text, since text, until text, deepest integer, most integer)
  RETURNS TABLE (number bigint, score real)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp ${PLANNED} AS $$
#variable_conflict use_column
DECLARE
  ours uuid := tidemark.team();
  asking uuid := tidemark.member();
  mine uuid[];
BEGIN
  IF NOT EXISTS (SELECT FROM tidemark.member w WHERE w.team_id = ours AND w.id = asking AND w.removed_at IS NULL) THEN
    RETURN;
  END IF;
  mine := ARRAY(SELECT DISTINCT s.project_id FROM tidemark.share s
    WHERE s.team_id = ours AND (s.member_id = asking OR s.member_id IS NULL)
      AND (in_projects IS NULL OR s.project_id = ANY (in_projects)));
  IF num_nonnulls(of_kinds, of_states, in_session, of_turn, of_file, since, until) > 0 THEN${matching(NARROWED)}
  ELSE${matching('')}
  END IF;
END $$;

-- What ranking needs about the best word matches and their neighbours in the sessions. Runs as the caller, under the
-- policies. Rows with "before" and "after" (row numbers, the nearest first) give the neighbours; rows with "held" give the
-- sum of the column weights of each word.
CREATE FUNCTION tidemark.surroundings(
    best bigint[], also bigint[], words text[], label_weights real[], reach integer, with_neighbours integer,
    beside_the_best integer)
  RETURNS TABLE (number bigint, before text, after text, project_id uuid, at text, token_count integer, held text)
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp ${PLANNED} AS $$
#variable_conflict use_column
DECLARE
  ours uuid := tidemark.team();
  asked tsquery[] := words::tsquery[];
  sessions text[];
  rows bigint[];
  befores text[];
  afters text[];
  beside bigint[];
  more bigint[];
  more_befores text[];
  more_afters text[];
BEGIN
  IF reach > 0 THEN
    SELECT array_agg(a.number), array_agg(a.session), array_agg(${side('<', 'DESC')}), array_agg(${side('>', 'ASC')})
    INTO rows, sessions, befores, afters FROM tidemark.memory a
    WHERE a.team_id = ours AND a.number = ANY (best[1:with_neighbours]) AND a.session <> '';
    beside := ARRAY(SELECT other::bigint FROM unnest(rows, befores, afters) AS one(number, before, after),
        unnest(ARRAY[split_part(one.before, ' ', 1), split_part(one.after, ' ', 1)]) AS other
      WHERE one.number = ANY (best[1:beside_the_best]) AND other <> '');
    SELECT array_agg(a.number), array_agg(${side('<', 'DESC')}), array_agg(${side('>', 'ASC')})
    INTO more, more_befores, more_afters FROM tidemark.memory a
    WHERE a.team_id = ours AND a.number = ANY (best[with_neighbours + 1:] || also || beside)
      AND a.number <> ALL (rows) AND a.session = ANY (sessions);
    rows := rows || more;
    befores := befores || more_befores;
    afters := afters || more_afters;
    RETURN QUERY SELECT one.number, one.before, one.after, NULL::uuid, NULL::text, NULL::integer, NULL::text
      FROM unnest(rows, befores, afters) AS one(number, before, after);
  END IF;
  RETURN QUERY SELECT u.number, NULL::text, NULL::text, u.project_id, u.at, u.token_count,
    array_to_string(ARRAY(SELECT CASE WHEN u.tokens @@ one.word THEN ts_rank_cd(label_weights, u.tokens, one.word) END
      FROM unnest(asked) AS one(word)), ',', '')
  FROM (
    -- The concatenation unpacks the tsvector once for all words.
    SELECT m.number, m.project_id, m.at, m.token_count, m.tokens || ''::tsvector AS tokens FROM tidemark.memory m
    WHERE m.team_id = ours AND m.number = ANY (
      best || also || rows || string_to_array(array_to_string(befores || afters, ' '), ' ', '')::bigint[])
    OFFSET 0) AS u;
END $$;
REVOKE ALL ON FUNCTION tidemark.surroundings FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidemark.surroundings TO tidemark_app;
`;
