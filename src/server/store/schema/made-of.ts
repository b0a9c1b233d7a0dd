/**
 * Which wording of a memory's text its vector was made of: 1 had no concepts. Those are made anew as their writers come by
 * (vectors.ts), under their rights; a server of the release before goes on making the first, which are found again so.
 */

export const MADE_OF = `
ALTER TABLE tidemark.memory_vector ADD COLUMN made_of smallint NOT NULL DEFAULT 1;
`;
