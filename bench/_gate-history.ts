/**
 * Replays recorded sessions for the gate benchmark. Distills every session by the small model or by rules, and asks
 * each prompt against the memories of earlier sessions only. Reads the given files; stores nothing of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { given, placesIn } from '../src/core/index.ts';
import type { MemoryIndex } from '../src/database/index.ts';
import { relatedMemories, type Distiller } from '../src/distill/index.ts';
import { applyOperations, type Stores } from '../src/memory/index.ts';
import { withStores } from './memory-run.ts';
import type { KeyedTurn } from './_real-turns.ts';

export interface Asked {
  readonly key: string;
  readonly prompt: string;
  /** True for the first prompt of a session. */
  readonly first: boolean;
  readonly session: string;
  readonly project: string;
  readonly now: Date;
}

/** Stores what one turn adds and ends; `previous` is the turn before it. */
export type Distil = (stores: Stores, turn: KeyedTurn, previous?: KeyedTurn) => Promise<void>;

/** Runs sessions in order of their start. `ask` gets all prompts of a session before its memories are added. */
export async function replay(
  sessions: readonly (readonly KeyedTurn[])[],
  ask: (index: MemoryIndex, asked: Asked) => Promise<void>,
  distil: Distil,
): Promise<void> {
  const ordered = sessions
    .filter((turns) => turns.length > 0)
    .toSorted((a, b) => beganAt(a).localeCompare(beganAt(b)));
  const home = mkdtempSync(join(tmpdir(), 'bg-'));
  try {
    await withStores(placesIn(home), async (stores) => {
      for (const turns of ordered) {
        for (const [at, { key, turn }] of turns.entries())
          await ask(stores.index, {
            key,
            prompt: turn.prompt,
            first: at === 0,
            session: turn.session,
            project: turn.project,
            now: new Date(turn.startedAt),
          });
        for (const [at, turn] of turns.entries()) await distil(stores, turn, turns[at - 1]);
      }
    });
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** As the product does: a turn is compared with the memories before it, and may end them. */
export function byDistiller(distiller: Distiller): Distil {
  return async (stores, { turn }, before) => {
    const previous = before?.turn;
    const related = relatedMemories(stores.index, turn, previous, undefined);
    const input = { turn, related, ...given({ previous }) };
    const { operations } = await distiller.distill(input, new AbortController().signal);
    await applyOperations(stores, turn, operations, distiller.name);
  };
}

function beganAt(turns: readonly KeyedTurn[]): string {
  return turns[0]?.turn.startedAt ?? '';
}
