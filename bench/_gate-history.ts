/**
 * A project's past for the gate: what the local distiller made of every recorded session, and each prompt asked of
 * exactly what came before its own session. Reads the files it is given; nothing of them is kept or committed.
 */
import { memoriesOf } from '../src/daemon/index.ts';
import { localDistiller } from '../src/distill/index.ts';
import { MemoryIndex } from '../src/index/index.ts';
import type { Memory } from '../src/model/index.ts';
import type { KeyedTurn } from './_real-turns.ts';

export interface Asked {
  readonly key: string;
  readonly prompt: string;
  /** The first of its session. */
  readonly first: boolean;
  readonly session: string;
  readonly project: string;
  readonly now: Date;
}

/** Sessions in the order they began; `ask` gets every prompt of one before anything of it is remembered. */
export async function replay(
  sessions: readonly (readonly KeyedTurn[])[],
  ask: (index: MemoryIndex, asked: Asked) => Promise<void>,
): Promise<void> {
  const index = MemoryIndex.open(':memory:');
  const ordered = sessions
    .filter((turns) => turns.length > 0)
    .toSorted((a, b) => beganAt(a).localeCompare(beganAt(b)));
  for (const turns of ordered) {
    for (const [at, { key, turn }] of turns.entries())
      await ask(index, {
        key,
        prompt: turn.prompt,
        first: at === 0,
        session: turn.session,
        project: turn.project,
        now: new Date(turn.startedAt),
      });
    const memories = await Promise.all(turns.map(distilled));
    index.upsertMemories(memories.flat().map((memory) => ({ memory })));
  }
  index.close();
}

async function distilled({ turn }: KeyedTurn): Promise<readonly Memory[]> {
  const { memories } = await localDistiller.distill({ turn, recent: [] }, new AbortController().signal);
  return memoriesOf(memories, turn, localDistiller.name);
}

function beganAt(turns: readonly KeyedTurn[]): string {
  return turns[0]?.turn.startedAt ?? '';
}
