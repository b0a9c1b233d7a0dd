/** For tests: a reading, whole. */
import { readTurns } from './claude-code.ts';
import type { ReadOptions, TurnRead } from './port.ts';

export async function collect(path: string, options: ReadOptions = {}): Promise<TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of readTurns(path, options)) reads.push(read);
  return reads;
}
