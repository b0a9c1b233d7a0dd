/** Finds the project that the user names on the command line. */
import type { Client } from '../daemon/index.ts';
import { usageError } from './verb.ts';

/** Returns its id: the text is an id or a unique name. An unknown text is returned as it is; the daemon reports it. */
export async function projectNamed(client: Client, named: string): Promise<string> {
  const all = await client.call('read.projects', {});
  if (all.some(({ id }) => id === named)) return named;
  const found = all.filter(({ name }) => name === named);
  if (found.length > 1)
    throw usageError(
      `several projects are called ${named}`,
      `Use an id: ${found.map(({ id }) => id).join(', ')}`,
    );
  return found[0]?.id ?? named;
}
