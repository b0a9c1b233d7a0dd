/**
 * A project's past for the gate: what was distilled of every recorded session, without a model or by replies of one that
 * were recorded, and each prompt asked of exactly what came before its own session. Reads the files it is given;
 * nothing of them is kept or committed.
 */
import { readFileSync } from 'node:fs';
import type { Memory } from '../src/core/index.ts';
import { MemoryIndex } from '../src/database/index.ts';
import { localDistiller, parseMemories } from '../src/distill/index.ts';
import { memoriesOf } from '../src/memory/index.ts';
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

/** What is remembered of a turn. */
export type Distil = (turn: KeyedTurn) => Promise<readonly Memory[]>;

/** Sessions in the order they began; `ask` gets every prompt of one before anything of it is remembered. */
export async function replay(
  sessions: readonly (readonly KeyedTurn[])[],
  ask: (index: MemoryIndex, asked: Asked) => Promise<void>,
  distil: Distil = withoutModel,
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
    const memories = await Promise.all(turns.map(distil));
    index.upsertMemories(memories.flat().map((memory) => ({ memory })));
  }
  index.close();
}

const withoutModel: Distil = async ({ turn }) => {
  const { memories } = await localDistiller.distill({ turn, recent: [] }, new AbortController().signal);
  return memoriesOf(memories, turn, localDistiller.name);
};

/** Of replies a model gave once, a line each: `{"key": …, "memories": […]}`. Turns without a line were not asked about. */
export function byReplies(file: string): Distil {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const replies = new Map(lines.map((line) => [(JSON.parse(line) as { key: string }).key, line]));
  return async ({ key, turn }) => {
    const reply = replies.get(key);
    if (reply === undefined) return [];
    const parsed = parseMemories(reply);
    if (!parsed.valid) throw new Error(`the reply to ${key} cannot be read: ${parsed.reason}`);
    return memoriesOf(parsed.value, turn, 'recorded replies');
  };
}

function beganAt(turns: readonly KeyedTurn[]): string {
  return turns[0]?.turn.startedAt ?? '';
}
