/**
 * Replays recorded sessions for the gate benchmark. Distills every session, by the small model, by rules or from recorded replies, and asks
 * each prompt against the memories of earlier sessions only. Reads the given files; stores nothing of them.
 */
import { readFileSync } from 'node:fs';
import { addedDrafts, type Memory } from '../src/core/index.ts';
import { MemoryIndex } from '../src/database/index.ts';
import { parseOperations, type Distiller } from '../src/distill/index.ts';
import { memoriesOf } from '../src/memory/index.ts';
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

/** Turns one turn into memories; `previous` is the turn before it. */
export type Distil = (turn: KeyedTurn, previous?: KeyedTurn) => Promise<readonly Memory[]>;

/** Runs sessions in order of their start. `ask` gets all prompts of a session before its memories are added. */
export async function replay(
  sessions: readonly (readonly KeyedTurn[])[],
  ask: (index: MemoryIndex, asked: Asked) => Promise<void>,
  distil: Distil,
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
    const memories = await Promise.all(turns.map((turn, at) => distil(turn, turns[at - 1])));
    index.upsertMemories(memories.flat().map((memory) => ({ memory })));
  }
  index.close();
}

/** Without the memories of other turns, so nothing ends. */
export function byDistiller(distiller: Distiller): Distil {
  return async ({ turn }, previous) => {
    const input = { turn, related: [], ...(previous ? { previous: previous.turn } : {}) };
    const { operations } = await distiller.distill(input, new AbortController().signal);
    return memoriesOf(addedDrafts(operations), turn, distiller.name);
  };
}

/** Reads recorded model replies, one line each: `{"key": …, "operations": […]}`. A turn without a line has no memories. */
export function byReplies(file: string): Distil {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const replies = new Map(lines.map((line) => [(JSON.parse(line) as { key: string }).key, line]));
  return async ({ key, turn }) => {
    const reply = replies.get(key);
    if (reply === undefined) return [];
    const parsed = parseOperations(reply);
    if (!parsed.valid) throw new Error(`the reply to ${key} cannot be read: ${parsed.reason}`);
    const drafts = parsed.value.flatMap(({ draft }) => (draft?.kind ? [{ ...draft, kind: draft.kind }] : []));
    return memoriesOf(drafts, turn, 'recorded replies');
  };
}

function beganAt(turns: readonly KeyedTurn[]): string {
  return turns[0]?.turn.startedAt ?? '';
}
