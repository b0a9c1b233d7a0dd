/**
 * Word search. A policy keeps PostgreSQL from using the GIN index, because its operator is not leakproof. A function
 * with its own checks searches there and returns row numbers of readable projects, never a text. Texts are then read under
 * the policies.
 */

export const FINDING = `
GRANT SELECT ON tidemark.memory TO tidemark_lookup;
CREATE POLICY lookup ON tidemark.memory FOR SELECT TO tidemark_lookup USING (true);
-- questions: one lexeme each, as text of a tsquery; deepest: the most rows read for each.
CREATE FUNCTION tidemark.matches(
    questions text[], weights real[], in_projects uuid[], of_kinds text[], of_states text[], in_session text, of_turn text,
    of_file text, since text, until text, deepest integer, most integer)
  RETURNS TABLE (number bigint, score real)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT found.number, sum(question.weight)::real AS score
  FROM unnest(questions, weights) AS question(lexeme, weight)
  CROSS JOIN LATERAL (
    SELECT m.number FROM tidemark.memory m
    WHERE m.tokens @@ question.lexeme::tsquery
      -- IS TRUE keeps PostgreSQL from also scanning the index of the team's rows.
      AND (m.team_id = tidemark.team() AND m.project_id = ANY ((SELECT tidemark.readable())::uuid[])) IS TRUE
      AND (in_projects IS NULL OR m.project_id = ANY (in_projects))
      AND (of_kinds IS NULL OR m.kind = ANY (of_kinds))
      AND (of_states IS NULL OR m.state = ANY (of_states))
      AND (in_session IS NULL OR m.session = in_session)
      AND (of_turn IS NULL OR m.turn = of_turn)
      AND (since IS NULL OR m.at >= since)
      AND (until IS NULL OR m.at < until)
      AND (of_file IS NULL OR EXISTS (
        SELECT FROM unnest(m.files) AS path WHERE path = of_file OR right(path, length(of_file) + 1) = '/' || of_file))
    LIMIT deepest) AS found
  GROUP BY found.number ORDER BY score DESC, found.number DESC LIMIT most $$;
REVOKE ALL ON FUNCTION tidemark.matches FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidemark.matches TO tidemark_app;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
ALTER FUNCTION tidemark.matches OWNER TO tidemark_lookup;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
`;
