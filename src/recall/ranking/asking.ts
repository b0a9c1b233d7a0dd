/**
 * Runs one ranking on two stores: ranking is a generator that yields store calls, and a driver answers them, directly
 * from the embedded index or asynchronously from a database.
 */
import type { MemoryIndex } from '../../database/index.ts';

/** The store calls of ranking, as the embedded index has them. */
export type SyncStore = Pick<
  MemoryIndex,
  'memoryFrequencies' | 'candidates' | 'memoriesAt' | 'memoriesBy' | 'projects'
>;

/** The same calls, asynchronous. */
export type MemoryStore = {
  readonly [K in keyof SyncStore]: (...given: Parameters<SyncStore[K]>) => Promise<ReturnType<SyncStore[K]>>;
};

interface StoreCall {
  readonly name: keyof SyncStore;
  readonly given: readonly unknown[];
}

export type Asking<T> = Generator<StoreCall, T, unknown>;

export function* ask<K extends keyof SyncStore>(
  name: K,
  ...given: Parameters<SyncStore[K]>
): Asking<ReturnType<SyncStore[K]>> {
  // Both drivers answer with what the method of that name returned.
  return (yield { name, given }) as ReturnType<SyncStore[K]>;
}

export function answered<T>(store: SyncStore, asking: Asking<T>): T {
  let step = asking.next();
  while (!step.done) step = asking.next(reply(store, step.value));
  return step.value;
}

export async function answeredLater<T>(store: MemoryStore, asking: Asking<T>): Promise<T> {
  let step = asking.next();
  while (!step.done) step = asking.next(await reply(store, step.value));
  return step.value;
}

function reply(store: SyncStore | MemoryStore, { name, given }: StoreCall): unknown {
  return Reflect.apply(store[name], store, given);
}
