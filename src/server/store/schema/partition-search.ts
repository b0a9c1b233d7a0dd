/**
 * Search within one partition. Each function exists once per partition, because a plan for the parent would either read the
 * index of the team's rows in addition to the word index, or all partitions. `matches` and `surroundings` call the one of the
 * caller's team. A row is always looked up by a unique key, so that no plan depends on the sizes of other teams.
 */
import { DEFINER } from './_functions.ts';

/** Plans last as long as the connection. Statistics are outdated after every large push, and JIT takes longer than these. */
const PLANNED = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off`;

const MATCHES = `questions text[], weights real[], in_projects uuid[], of_kinds text[], of_states text[], in_session text,
    of_turn text, of_file text, since text, until text, deepest integer, most integer)
  RETURNS TABLE (number bigint, score real)`;
const SURROUNDINGS = `best bigint[], also bigint[], words text[], label_weights real[], reach integer, with_neighbours integer,
    beside_the_best integer)
  RETURNS TABLE (number bigint, before text, after text, project_id uuid, at text, token_count integer, held text)`;

/** The projects that the caller may read, like in the policies, which do not bind these functions. */
const MINE = (among: string): string => `
  IF NOT EXISTS (SELECT FROM tidemark.member w WHERE w.team_id = ours AND w.id = asking AND w.removed_at IS NULL) THEN
    RETURN;
  END IF;
  mine := ARRAY(SELECT DISTINCT s.project_id FROM tidemark.share s
    WHERE s.team_id = ours AND (s.member_id = asking OR s.member_id IS NULL)${among});`;

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
      SELECT m.number FROM tidemark.memory_PART m
      WHERE m.tokens @@ question.lexeme::tsquery
        -- IS TRUE keeps PostgreSQL from also scanning the index of the team's rows.
        AND (m.team_id = ours AND m.project_id = ANY (mine)) IS TRUE${narrowed}
      LIMIT deepest) AS found
    GROUP BY found.number ORDER BY score DESC, found.number DESC LIMIT most;`;

/** The memory of a row number. OFFSET 0 keeps the lookup apart, so that it uses the unique index. */
const lookedUp = (columns: string): string => `CROSS JOIN LATERAL (
      SELECT ${columns} FROM tidemark.memory_PART m
      WHERE m.team_id = ours AND m.number = wanted.number AND m.project_id = ANY (mine) OFFSET 0) AS a`;

/** The rows on one side of `a` in its session, the nearest first. */
const side = (beyond: '<' | '>', direction: 'ASC' | 'DESC'): string => `array_to_string(ARRAY(
      SELECT n.number FROM tidemark.memory_PART n
      WHERE n.team_id = ours AND n.session = a.session AND (n.at, n.id) ${beyond} (a.at, a.id)
        AND n.project_id = ANY (mine)
      ORDER BY n.at ${direction}, n.id ${direction} LIMIT reach), ' ')`;

/** The functions of one partition. `PART` stands for its name. */
const OF_A_PARTITION = `
-- questions: texts of a tsquery; deepest: the most rows read for each.
CREATE FUNCTION tidemark.matches_PART(${MATCHES}
  LANGUAGE plpgsql STABLE ${DEFINER} ${PLANNED} AS $body$
#variable_conflict use_column
DECLARE
  ours uuid := tidemark.team();
  asking uuid := tidemark.member();
  mine uuid[];
BEGIN${MINE(`
      AND (in_projects IS NULL OR s.project_id = ANY (in_projects))`)}
  IF num_nonnulls(of_kinds, of_states, in_session, of_turn, of_file, since, until) > 0 THEN${matching(NARROWED)}
  ELSE${matching('')}
  END IF;
END $body$;

-- What ranking needs about the best word matches and their neighbours in the sessions; never a text. Rows with "before" and
-- "after" (row numbers, the nearest first) give the neighbours; rows with "held" give the sum of the column weights of each
-- word.
CREATE FUNCTION tidemark.surroundings_PART(${SURROUNDINGS}
  LANGUAGE plpgsql STABLE ${DEFINER} ${PLANNED} AS $body$
#variable_conflict use_column
DECLARE
  ours uuid := tidemark.team();
  asking uuid := tidemark.member();
  mine uuid[];
  asked tsquery[] := words::tsquery[];
  sessions text[];
  rows bigint[];
  befores text[];
  afters text[];
  beside bigint[];
  more bigint[];
  more_befores text[];
  more_afters text[];
BEGIN${MINE('')}
  IF reach > 0 THEN
    SELECT array_agg(a.number), array_agg(a.session), array_agg(${side('<', 'DESC')}), array_agg(${side('>', 'ASC')})
    INTO rows, sessions, befores, afters FROM unnest(best[1:with_neighbours]) AS wanted(number)
    ${lookedUp('m.number, m.session, m.at, m.id')} WHERE a.session <> '';
    beside := ARRAY(SELECT other::bigint FROM unnest(rows, befores, afters) AS one(number, before, after),
        unnest(ARRAY[split_part(one.before, ' ', 1), split_part(one.after, ' ', 1)]) AS other
      WHERE one.number = ANY (best[1:beside_the_best]) AND other <> '');
    SELECT array_agg(a.number), array_agg(${side('<', 'DESC')}), array_agg(${side('>', 'ASC')})
    INTO more, more_befores, more_afters
    FROM (SELECT DISTINCT unnest(best[with_neighbours + 1:] || also || beside)) AS wanted(number)
    ${lookedUp('m.number, m.session, m.at, m.id')}
    WHERE a.number <> ALL (rows) AND a.session = ANY (sessions);
    rows := rows || more;
    befores := befores || more_befores;
    afters := afters || more_afters;
    RETURN QUERY SELECT one.number, one.before, one.after, NULL::uuid, NULL::text, NULL::integer, NULL::text
      FROM unnest(rows, befores, afters) AS one(number, before, after);
  END IF;
  RETURN QUERY SELECT a.number, NULL::text, NULL::text, a.project_id, a.at, a.token_count,
    array_to_string(ARRAY(SELECT CASE WHEN a.tokens @@ one.word THEN ts_rank_cd(label_weights, a.tokens, one.word) END
      FROM unnest(asked) AS one(word)), ',', '')
  FROM (SELECT DISTINCT unnest(
    best || also || rows || string_to_array(array_to_string(befores || afters, ' '), ' ', '')::bigint[])) AS wanted(number)
  -- The concatenation unpacks the tsvector once for all words.
  ${lookedUp("m.number, m.project_id, m.at, m.token_count, m.tokens || ''::tsvector AS tokens")};
END $body$;
`;

/** Calls the function of the caller's partition with the same arguments. */
const dispatch = (name: string, head: string, places: number): string => `
CREATE FUNCTION tidemark.${name}(${head}
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT * FROM tidemark.${name}_' || tidemark.partition_of(tidemark.team())
      || '(${Array.from({ length: places }, (_, i) => `$${i + 1}`).join(', ')})'
    USING ${Array.from({ length: places }, (_, i) => `$${i + 1}`).join(', ')};
END $$;`;

/** Replaces the search functions by those of each partition. */
export const partitionSearch = (partitions: number): string => `
-- Where the rows of a team are: p00, p01 and so on.
CREATE FUNCTION tidemark.partition_of(team uuid) RETURNS text LANGUAGE plpgsql STABLE
  SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  FOR n IN 0 .. ${partitions - 1} LOOP
    IF satisfies_hash_partition('tidemark.memory'::regclass, ${partitions}, n, team) THEN
      RETURN 'p' || lpad(n::text, 2, '0');
    END IF;
  END LOOP;
END $$;
DROP FUNCTION tidemark.matches;
DROP FUNCTION tidemark.surroundings;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
DO $each$
BEGIN
  FOR n IN 0 .. ${partitions - 1} LOOP
    EXECUTE replace($template$${OF_A_PARTITION}$template$, 'PART', 'p' || lpad(n::text, 2, '0'));
    -- Only these functions read a partition without its parent.
    EXECUTE replace('ALTER FUNCTION tidemark.matches_PART OWNER TO tidemark_lookup;
      ALTER FUNCTION tidemark.surroundings_PART OWNER TO tidemark_lookup;
      CREATE POLICY lookup ON tidemark.memory_PART FOR SELECT TO tidemark_lookup USING (true);
      GRANT SELECT ON tidemark.memory_PART TO tidemark_lookup', 'PART', 'p' || lpad(n::text, 2, '0'));
  END LOOP;
END $each$;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
${dispatch('matches', MATCHES, 12)}
${dispatch('surroundings', SURROUNDINGS, 7)}
`;
