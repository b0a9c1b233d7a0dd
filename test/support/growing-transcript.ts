/** For tests of transcript readers: a file that is written in pieces and read after each of them. */
import { appendFileSync, writeFileSync } from 'node:fs';
import type { TranscriptReader, TurnRead } from '../../src/agents/index.ts';
import type { Turn } from '../../src/core/index.ts';

type Read = Pick<TranscriptReader, 'readTurns'>;

export async function allTurns({ readTurns }: Read, path: string, offset = 0): Promise<TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of readTurns(path, { offset })) reads.push(read);
  return reads;
}

/** Where the next read begins after this turn. */
export const POLICIES: Readonly<Record<string, (last: TurnRead) => number>> = {
  'read again from the last turn': (last) => last.start,
  'read on after a complete turn': (last) => (last.complete ? last.end : last.start),
};

/** Returns the last version of each turn, in the order in which they appeared. */
export async function followed(
  reader: Read,
  path: string,
  pieces: readonly Buffer[],
  next: (last: TurnRead) => number,
): Promise<readonly Turn[]> {
  writeFileSync(path, '');
  const turns = new Map<string, Turn>();
  let offset = 0;
  for (const piece of pieces) {
    appendFileSync(path, piece);
    const reads = await allTurns(reader, path, offset);
    for (const { turn } of reads) turns.set(turn.id, turn);
    const last = reads.at(-1);
    if (last) offset = next(last);
  }
  return [...turns.values()];
}

/** Cuts anywhere, in lines and in characters; the same for the same seed. */
export function pieces(bytes: Buffer, seed: number): readonly Buffer[] {
  const cut: Buffer[] = [];
  let state = seed;
  for (let at = 0; at < bytes.length;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const length = 1 + (state % 700);
    cut.push(bytes.subarray(at, at + length));
    at += length;
  }
  return cut;
}

/** A turn as the expectations of fixtures describe it. A trailing … means: begins with. */
export interface Listed {
  readonly outcome: string;
  readonly complete: boolean;
  readonly prompt: string;
  readonly answer: string;
  /** Name, status and exit code. */
  readonly tools: readonly string[];
}

export function listed(reads: readonly TurnRead[], wanted: readonly Listed[]): readonly Listed[] {
  const like = (text: string, pattern = ''): string =>
    pattern.endsWith('…') && text.startsWith(pattern.slice(0, -1)) ? pattern : text;
  return reads.map(({ turn, complete }, at) => ({
    outcome: turn.outcome,
    complete,
    prompt: like(turn.prompt, wanted[at]?.prompt),
    answer: like(turn.answer, wanted[at]?.answer),
    tools: turn.tools.map(({ name, status, exit }) =>
      [name, status, exit].filter((part) => part !== undefined).join(' '),
    ),
  }));
}
