/**
 * One ranking, two stores: ranking is a generator that yields its questions, and whoever drives it answers them, at once
 * from the embedded index or after a while from a database elsewhere. Ranks nothing.
 */
import type { MemoryIndex } from '../../database/index.ts';

/** What ranking asks. The embedded index answers at once. */
export type Answering = Pick<
  MemoryIndex,
  'memoryFrequencies' | 'candidates' | 'memoriesAt' | 'memoriesBy' | 'projects'
>;

/** The same questions, answered after a while. */
export type MemoryStore = {
  readonly [K in keyof Answering]: (...given: Parameters<Answering[K]>) => Promise<ReturnType<Answering[K]>>;
};

export interface Question {
  readonly name: keyof Answering;
  readonly given: readonly unknown[];
}

export type Asking<T> = Generator<Question, T, unknown>;

export function* ask<K extends keyof Answering>(
  name: K,
  ...given: Parameters<Answering[K]>
): Asking<ReturnType<Answering[K]>> {
  // Both drivers answer with what the method of that name returned.
  return (yield { name, given }) as ReturnType<Answering[K]>;
}

export function answered<T>(store: Answering, asking: Asking<T>): T {
  let step = asking.next();
  while (!step.done) step = asking.next(reply(store, step.value));
  return step.value;
}

export async function answeredLater<T>(store: MemoryStore, asking: Asking<T>): Promise<T> {
  let step = asking.next();
  while (!step.done) step = asking.next(await reply(store, step.value));
  return step.value;
}

function reply(store: Answering | MemoryStore, { name, given }: Question): unknown {
  return Reflect.apply(store[name], store, given);
}
