/** Statements outside of a team, for migrations: on one connection, with no policy in the way. */

/** The least a statement is asked with here. */
export type Ask = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

export async function inTransaction(ask: Ask, work: () => Promise<void>): Promise<void> {
  await ask('BEGIN');
  try {
    await work();
    await ask('COMMIT');
  } catch (error) {
    await ask('ROLLBACK');
    throw error;
  }
}
