/** Lists the faults of our own files, one sentence each, for `install`, `repair` and `doctor`. Changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isComplete } from '../agents/index.ts';
import type { Places } from '../core/index.ts';
import { isExecutable, readTextSync, STATE_BYTES } from '../files/index.ts';

/** `plugin`: the folder that sessions run. Nothing is wrong where nothing was installed yet. */
export function programFaults(places: Places, plugin: string): readonly string[] {
  const faults: string[] = [];
  if (existsSync(places.program) && !isComplete(plugin))
    faults.push(`program files are missing in ${plugin}`);
  const node = firstLine(places.node);
  if (node !== undefined && !isExecutable(node)) faults.push(`the recorded Node no longer exists (${node})`);
  const program = firstLine(places.program);
  if (program !== undefined && !existsSync(join(program, 'daemon.cjs')))
    faults.push(`the recorded program no longer exists (${program})`);
  return faults;
}

function firstLine(path: string): string | undefined {
  return existsSync(path) ? readTextSync(path, STATE_BYTES).split('\n')[0] : undefined;
}
