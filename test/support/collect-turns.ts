/** For tests: a reading, whole. */
import { readTurns } from '../../src/agents/claude-code/reader/claude-code.ts';
import type { ReadOptions, TurnRead } from '../../src/agents/index.ts';

export async function collect(path: string, options: ReadOptions = {}): Promise<TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of readTurns(path, options)) reads.push(read);
  return reads;
}
