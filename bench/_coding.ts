/** Reads recorded coding sessions as turns, in the form the daemon indexes, and the queries that ask for a session. */
import { readFileSync } from 'node:fs';
import { storedText } from '../src/core/index.ts';
import { MemoryIndex } from '../src/database/index.ts';
import { codingTurns } from './_real-turns.ts';

export interface CodingHistory {
  readonly index: MemoryIndex;
  readonly now: Date;
  readonly project: string;
  readonly queries: readonly { readonly text: string; readonly gold: readonly string[] }[];
}

export function loadCoding(file: string): CodingHistory {
  const { queries } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly queries: readonly { readonly q: string; readonly gold: readonly string[] }[];
  };
  const index = MemoryIndex.open(':memory:');
  let last = '';
  for (const turns of codingTurns(file).values()) {
    index.upsertTurns(
      turns.map(({ turn }) => {
        const { user, assistant } = storedText(turn);
        if (turn.endedAt > last) last = turn.endedAt;
        return {
          id: turn.id,
          session: turn.session,
          project: turn.project,
          at: turn.startedAt,
          endedAt: turn.endedAt,
          origin: turn.origin,
          outcome: turn.outcome,
          prompt: user,
          answer: assistant,
          tools: 0,
          hash: turn.id,
        };
      }),
    );
  }
  return {
    index,
    now: new Date(last),
    project: 'bench',
    queries: queries.filter(({ gold }) => gold.length > 0).map(({ q, gold }) => ({ text: q, gold })),
  };
}
