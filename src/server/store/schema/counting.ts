/** What the hub counts (by day, kind, state and project) stands in one narrow index: the texts beside it are not read. */

export const COUNTING = `
CREATE INDEX memory_counted ON tidemark.memory (team_id, project_id, at) INCLUDE (kind, state);
`;
