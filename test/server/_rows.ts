/** Looks into every table of the schema as a superuser, whom no policy binds. */
import { Client } from 'pg';

export async function asSuperuser<T>(
  database: string,
  work: (
    ask: (text: string, values?: unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>,
  ) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return await work(
      async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows,
    );
  } finally {
    await client.end();
  }
}

/** Returns the tables with a row that contains this text in any column. */
export function tablesWith(database: string, text: string): Promise<readonly string[]> {
  return asSuperuser(database, async (ask) => {
    const tables = await ask(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'tidemark'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await ask(
        `SELECT 1 FROM tidemark.${String(name)} AS r WHERE strpos(r::text, $1) > 0 LIMIT 1`,
        [text],
      );
      if (rows.length > 0) found.push(String(name));
    }
    return found;
  });
}
