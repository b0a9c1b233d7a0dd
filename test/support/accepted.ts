/** The events that hooks kept in a data folder because no daemon took them, wherever they are kept. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpooledEvent } from '../../src/core/index.ts';

/** Those that are complete, in the order in which they were kept. A draft of a hook that was killed is none. */
export function acceptedEvents(home: string): readonly SpooledEvent[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .flatMap((line) => eventIn(line) ?? []);
}

function eventIn(line: string): SpooledEvent | undefined {
  if (!line.includes('hook_event_name')) return undefined;
  try {
    const value = JSON.parse(line) as Partial<SpooledEvent>;
    return value.input ? (value as SpooledEvent) : undefined;
  } catch {
    return undefined; // not written completely
  }
}
