/**
 * Splits the large tables into hash partitions by team, so that an index, a vacuum and a rebuild concern a part of all rows,
 * and a search reads the partition of its team only. Reads the catalogue, so that every column, index and policy of earlier
 * migrations is kept. Runs in one transaction and copies all rows: no server may run meanwhile.
 */
import { partitionSearch } from './partition-search.ts';

/** All tables that grow with the memories. */
export const PARTITIONED_TABLES = [
  'memory',
  'memory_vector',
  'memory_revision',
  'tombstone',
  'change',
  'push',
  'project_term',
  'unembedded',
  'message',
  'session_event',
] as const;

/** Some for each core of a large machine, and few enough that a statement which reads all of them stays cheap. */
export const PARTITIONS = 16;

/** Returns the names of the partitions of a table. */
export function partitionsOf(table: (typeof PARTITIONED_TABLES)[number]): readonly string[] {
  return Array.from({ length: PARTITIONS }, (_, i) => `${table}_p${String(i).padStart(2, '0')}`);
}

/** The names of the partitions are `memory_p00` to `memory_p15`. Only the parent has policies and grants. */
export const PARTITION = `
DO $$
DECLARE
  before text := current_setting('search_path');
  named text;
  old regclass;
  owned text;
  new text;
  part text;
  columns text;
  options text;
  statements text[];
  sequences text[];
  one record;
BEGIN
  -- The catalogue then prints every name with its schema.
  PERFORM set_config('search_path', 'pg_catalog', true);
  FOREACH named IN ARRAY ARRAY[${PARTITIONED_TABLES.map((table) => `'${table}'`).join(', ')}] LOOP
    old := format('tidemark.%I', named)::regclass;
    new := format('tidemark.%I', named || '_new');
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', old);
    -- The owner is bound by the policies too.
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', old);
    SELECT pg_get_userbyid(relowner), coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '')
      INTO owned, options FROM pg_class WHERE oid = old;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
      WHERE attrelid = old AND attnum > 0 AND NOT attisdropped AND attgenerated = '';

    -- In the order of their execution: keys, indexes, triggers, policies, grants. An index for vectors is made later, of
    -- single partitions (search/pgvector.ts).
    statements := ARRAY(
      SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', old, conname, pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE conrelid = old AND contype IN ('p', 'u', 'f') ORDER BY conname
    ) || ARRAY(
      SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_am a ON a.oid = c.relam
        WHERE i.indrelid = old AND a.amname <> 'hnsw'
          AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND conrelid = old) ORDER BY c.relname
    ) || ARRAY(
      SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = old AND NOT tgisinternal ORDER BY tgname
    ) || ARRAY(
      SELECT format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', policyname, old, permissive, cmd,
          (SELECT string_agg(CASE role WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(role) END, ', ')
            FROM unnest(roles) AS role),
          ' USING (' || qual || ')', ' WITH CHECK (' || with_check || ')')
        FROM pg_policies WHERE schemaname = 'tidemark' AND tablename = named ORDER BY policyname
    ) || ARRAY(
      SELECT format('GRANT %s ON %s TO %s', a.privilege_type, old,
          CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) AS a WHERE c.oid = old AND a.grantee <> c.relowner
      UNION ALL
      SELECT format('GRANT %s (%I) ON %s TO %s', a.privilege_type, t.attname, old,
          CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
        FROM pg_attribute t CROSS JOIN aclexplode(t.attacl) AS a WHERE t.attrelid = old AND NOT t.attisdropped);

    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (team_id)', new, old);
    EXECUTE format('ALTER TABLE %s OWNER TO %I', new, owned);
    FOR n IN 0 .. ${PARTITIONS - 1} LOOP
      part := format('tidemark.%I', named || '_p' || lpad(n::text, 2, '0'));
      EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER %s)%s',
        part, new, n, options);
      -- No policy: a partition is reached only through its parent.
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
      EXECUTE format('ALTER TABLE %s OWNER TO %I', part, owned);
    END LOOP;
    EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %s', new, columns, old);

    -- Identities continue after the highest number that was given.
    sequences := '{}';
    FOR one IN SELECT attname FROM pg_attribute
        WHERE attrelid = old AND attidentity <> '' AND NOT attisdropped ORDER BY attnum LOOP
      sequences := sequences || pg_get_serial_sequence(old::text, one.attname);
      EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), last_value, is_called) FROM %s',
        new, one.attname, pg_get_serial_sequence(old::text, one.attname));
    END LOOP;
    EXECUTE format('DROP TABLE %s', old);
    EXECUTE format('ALTER TABLE %s RENAME TO %I', new, named);
    FOR one IN SELECT attname, place, sequences[place] AS sequence FROM (
        SELECT attname, row_number() OVER (ORDER BY attnum) AS place FROM pg_attribute
        WHERE attrelid = format('tidemark.%I', named)::regclass AND attidentity <> '' AND NOT attisdropped) AS found LOOP
      EXECUTE format('ALTER SEQUENCE %s RENAME TO %s',
        pg_get_serial_sequence(format('tidemark.%I', named), one.attname), split_part(one.sequence, '.', 2));
    END LOOP;
    FOREACH part IN ARRAY statements LOOP
      EXECUTE part;
    END LOOP;
    -- As readable in a plan as before: memory_at_p07 belongs to memory_at.
    FOR one IN SELECT c.oid::regclass AS index, p.relname || right(t.relname, 4) AS name
        FROM pg_index i JOIN pg_inherits h ON h.inhparent = i.indexrelid JOIN pg_class p ON p.oid = h.inhparent
        JOIN pg_class c ON c.oid = h.inhrelid JOIN pg_index o ON o.indexrelid = c.oid JOIN pg_class t ON t.oid = o.indrelid
        WHERE i.indrelid = format('tidemark.%I', named)::regclass LOOP
      EXECUTE format('ALTER INDEX %s RENAME TO %I', one.index, one.name);
    END LOOP;
    EXECUTE format('ALTER TABLE tidemark.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', named);
    IF EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = format('tidemark.%I', named)::regclass
        AND pg_relation_size(i.inhrelid) > 0) THEN
      EXECUTE format('ANALYZE tidemark.%I', named);
    END IF;
  END LOOP;
  PERFORM set_config('search_path', before, true);
END $$;
${partitionSearch(PARTITIONS)}`;
