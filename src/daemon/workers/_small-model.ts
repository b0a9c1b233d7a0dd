/** The small model as the writer thread has it: its calls go to the main thread, which owns the model's process. */
import type { KeepModel } from '../../distill/index.ts';
import { callMain } from './worker-port.ts';

const LOOK_UP_MS = 10_000;
/** A turn of 200 sentences takes half a minute, a tenth of that on a fast machine. */
const TURN_MS = 15 * 60_000;

export async function smallModel(): Promise<KeepModel> {
  const found = await callMain('small.model', {}, { timeoutMs: LOOK_UP_MS });
  if (found.kind === 'none') return found;
  return {
    kind: 'model',
    model: {
      version: found.version,
      keep: (inputs, signal) => callMain('small.keep', { inputs }, { timeoutMs: TURN_MS, signal }),
      relate: (inputs, signal) => callMain('small.relate', { inputs }, { timeoutMs: TURN_MS, signal }),
      read: () => Promise.reject(new Error('only the main thread reads for a prompt')),
    },
  };
}
