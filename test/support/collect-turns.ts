/** For tests: a reading, whole. */
import { readTurns, type ReadOptions, type TurnRead } from '../../src/agents/index.ts';

export async function collect(path: string, options: ReadOptions = {}): Promise<TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of readTurns(path, options)) reads.push(read);
  return reads;
}
