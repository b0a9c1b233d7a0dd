/** The queue of texts that need a vector. It is read after every push, so that no scan of all memories is needed. */

export const UNEMBEDDED = `
CREATE TABLE tidemark.unembedded (
  team_id uuid NOT NULL,
  number bigint NOT NULL,
  project_id uuid NOT NULL,
  PRIMARY KEY (team_id, number)
);
CREATE INDEX unembedded_project ON tidemark.unembedded (team_id, project_id);
GRANT SELECT, INSERT, DELETE ON tidemark.unembedded TO tidemark_app;
ALTER TABLE tidemark.unembedded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY read ON tidemark.unembedded FOR SELECT TO tidemark_app
  USING (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.readable())::uuid[]));
CREATE POLICY make ON tidemark.unembedded FOR INSERT TO tidemark_app
  WITH CHECK (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.writable())::uuid[]));
CREATE POLICY remove ON tidemark.unembedded FOR DELETE TO tidemark_app
  USING (team_id = tidemark.team() AND project_id = ANY ((SELECT tidemark.writable())::uuid[]));
`;
