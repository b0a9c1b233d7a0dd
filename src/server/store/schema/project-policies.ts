/** Returns the policies of tables with a `team_id` and a `project_id`: readers read, writers write, within the team. */
export function projectPolicies(...tables: readonly string[]): string {
  const names = tables.map((table) => `'${table}'`).join(', ');
  return `DO $$
DECLARE named text;
BEGIN
  FOREACH named IN ARRAY ARRAY[${names}] LOOP
    EXECUTE format('ALTER TABLE tidemark.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', named);
    EXECUTE format('CREATE POLICY read ON tidemark.%I FOR SELECT TO tidemark_app
      USING (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.readable())::uuid[]))', named);
    EXECUTE format('CREATE POLICY make ON tidemark.%I FOR INSERT TO tidemark_app
      WITH CHECK (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.writable())::uuid[]))', named);
    EXECUTE format('CREATE POLICY change ON tidemark.%I FOR UPDATE TO tidemark_app
      USING (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.writable())::uuid[]))', named);
    EXECUTE format('CREATE POLICY remove ON tidemark.%I FOR DELETE TO tidemark_app
      USING (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.writable())::uuid[]))', named);
  END LOOP;
END $$;`;
}
