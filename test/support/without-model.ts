/**
 * Settings of a machine without the built-in model: one process of hundreds of MB per machine would slow the tests, and
 * its answers arrive in time or not. Tests of the model set `TIDEMARK_EMBED_DRIVER` to `local`.
 */
export const WITHOUT_MODEL = { TIDEMARK_EMBED_DRIVER: 'none' } as const;
