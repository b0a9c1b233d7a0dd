/** The small model on top of a session: in this process for tests and benchmarks, or in the embedder's process. */
import { keepScore, relateScore } from './_scores.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { SMALL_MODEL } from '../catalogue.ts';
import { openSmallSession } from './session.ts';
import type { Pair, SmallModel, Task } from './model.ts';

/** Returns the outputs of the model for each pair. */
export type Ask = (
  task: Task,
  pairs: readonly Pair[],
  signal: AbortSignal,
) => Promise<readonly Float32Array[]>;

export function smallModel(version: string, ask: Ask): SmallModel {
  return {
    version,
    keep: async (inputs, signal) => (await ask('keep', inputs, signal)).map((row) => keepScore([...row])),
    relate: async (inputs, signal) =>
      (await ask('relate', inputs, signal)).map((row) => relateScore([...row])),
    read: async (inputs, signal) => (await ask('read', inputs, signal)).map(([logit = 0]) => logit),
  };
}

export interface InProcessModel extends SmallModel {
  vectors(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Loads the model into this process. Any model of this format is accepted, also one that is not pinned. */
export async function openSmallModel(folder: string, runtimeFolder: string): Promise<InProcessModel> {
  const { maxTokens } = SMALL_MODEL;
  const places = { folder, models: folder, runtime: runtimeFolder };
  const session = await openSmallSession({ ...places, maxTokens, isPinned: false });
  const stopAt = (signal: AbortSignal) => async () => {
    await turn(); // a timeout can only abort between two runs
    signal.throwIfAborted();
  };
  return {
    ...smallModel(session.version, (task, pairs, signal) => session.answers(task, pairs, stopAt(signal))),
    vectors: (texts, signal) => session.vectors(texts, stopAt(signal)),
  };
}
