/** Asks the CLI for everything that a user can see of the memories, to compare it before and after a change. */
import type { Machine } from '../support/machine.ts';

const QUERIES = [
  'refresh tokens',
  'linter',
  'catalogue server',
  'prices cents',
  'edge cache',
  'src/auth.ts',
  'logout Safari',
];

export interface Answers {
  readonly searches: readonly (readonly [string, readonly string[]])[];
  readonly sessions: unknown;
  readonly projects: unknown;
  readonly briefs: readonly unknown[];
  readonly turns: readonly unknown[];
}

export async function answersOf(machine: Machine, projects: readonly string[]): Promise<Answers> {
  const searches: [string, readonly string[]][] = [];
  for (const query of QUERIES) {
    const { hits } = await machine.json<Found>('search', query, '--all');
    searches.push([query, hits.map(({ memory }) => memory.id)]);
  }
  const sessions = await machine.json<readonly { readonly id: string }[]>(
    'sessions',
    '--all',
    '--limit',
    '50',
  );
  const briefs = [];
  for (const dir of projects) briefs.push(JSON.parse((await machine.askIn(dir, 'brief', '--json')).stdout));
  const turns = [];
  for (const { id } of sessions) turns.push(await machine.json('transcript', id));
  return { searches, sessions, projects: await machine.json('projects'), briefs, turns };
}

interface Found {
  readonly hits: readonly { readonly memory: { readonly id: string } }[];
}
