/** The small model as the writer thread has it: its calls go to the main thread, which owns the model's process. */
import type { KeepModel } from '../../distill/index.ts';
import { callMain } from './worker-port.ts';

const LOOK_UP_MS = 10_000;
/** None for a turn: the main thread limits each of its inputs, and a slow machine may take long for many. */
const NO_LIMIT = { timeoutMs: 0 } as const;

export async function smallModel(): Promise<KeepModel> {
  const found = await callMain('small.model', {}, { timeoutMs: LOOK_UP_MS });
  if (found.kind === 'none') return found;
  return {
    kind: 'model',
    model: {
      version: found.version,
      keep: (inputs, signal) => callMain('small.keep', { inputs }, { ...NO_LIMIT, signal }),
      relate: (inputs, signal) => callMain('small.relate', { inputs }, { ...NO_LIMIT, signal }),
      read: () => Promise.reject(new Error('only the main thread reads for a prompt')),
    },
  };
}
