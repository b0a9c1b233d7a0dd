/** The closed sets of a team server, apart from the schemas: who needs only these loads no more. */

export const ROLES = ['owner', 'member', 'reader'] as const;
export const SCOPES = ['read', 'write', 'admin'] as const;
/** How the server finds by meaning: the database's own index, by rescoring what words found, or not at all. */
export const VECTORS = ['pgvector', 'rescoring', 'none'] as const;
