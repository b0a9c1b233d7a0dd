/** A shared entry as the page knows a memory: with its author's name. Pure. */
import type { Memory } from '../../core/index.ts';
import type { MemoryRef } from '../../http/index.ts';
import type { SharedMemory } from '../store/index.ts';

export function memoryOf({ project, entry, author }: SharedMemory): Memory {
  const { machine: _machine, version: _version, ...rest } = entry;
  return { ...rest, project, ...(author.name === '' ? {} : { author: author.name }) };
}

export function refOf(shared: SharedMemory): MemoryRef {
  const { id, kind, title, state, at } = shared.entry;
  return { id, kind, title, state, at };
}
