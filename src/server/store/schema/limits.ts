/**
 * How much each key and each failing network used of its limit, so that several servers count together. The table is not
 * logged: after a crash of the database it is empty, and every limit starts full. Only the function reads and writes it.
 */

export const SHARED_LIMITS = `
CREATE UNLOGGED TABLE tidemark.limit_use (
  -- A key's id, or a hash of a network, after a word for the limit.
  name text COLLATE "C" PRIMARY KEY,
  -- What was used and has not run off yet, at this time.
  level double precision NOT NULL,
  at timestamptz NOT NULL
);
ALTER TABLE tidemark.limit_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY lookup ON tidemark.limit_use TO tidemark_lookup USING (true);

-- Adds what was used since the last report, and returns the level of all servers together. Names are sorted by the
-- caller, so that two reports do not block each other.
CREATE FUNCTION tidemark.use_limits(names text[], used double precision[], per_second double precision)
  RETURNS TABLE (of_name text, of_level double precision)
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO tidemark.limit_use AS l (name, level, at)
    SELECT n.name, n.used, clock_timestamp() FROM unnest(names, used) AS n (name, used)
  ON CONFLICT (name) DO UPDATE SET at = clock_timestamp(), level = excluded.level
    + greatest(0, l.level - per_second * extract(epoch FROM clock_timestamp() - l.at))
  RETURNING l.name, l.level $$;
-- Removes rows that nothing was added to for longer than any limit takes to run off.
CREATE FUNCTION tidemark.forget_limits() RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM tidemark.limit_use WHERE at < clock_timestamp() - interval '1 hour' $$;
REVOKE ALL ON FUNCTION tidemark.use_limits(text[], double precision[], double precision), tidemark.forget_limits()
  FROM PUBLIC;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
ALTER FUNCTION tidemark.use_limits(text[], double precision[], double precision) OWNER TO tidemark_lookup;
ALTER FUNCTION tidemark.forget_limits() OWNER TO tidemark_lookup;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
`;
