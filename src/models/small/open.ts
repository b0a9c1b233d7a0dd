/** The small model on top of a session: in this process for tests and benchmarks, or in the embedder's process. */
import { keepScores, relateScore } from './_scores.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { openSmallSession } from './session.ts';
import type { SmallModel, SmallQuestion } from './model.ts';

/** Returns the outputs of the model for each pair or passage. */
export type Ask = (question: SmallQuestion, signal: AbortSignal) => Promise<readonly Float32Array[]>;

export function smallModel(version: string, ask: Ask): SmallModel {
  return {
    version,
    keep: async (passages, signal) => (await ask({ task: 'keep', passages }, signal)).map(keepScores),
    relate: async (pairs, signal) =>
      (await ask({ task: 'relate', pairs }, signal)).map((row) => relateScore([...row])),
    read: async (pairs, signal) => (await ask({ task: 'read', pairs }, signal)).map(([logit = 0]) => logit),
  };
}

export interface InProcessModel extends SmallModel {
  vectors(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Loads the model into this process. Any model of this format is accepted, also one that is not pinned. */
export async function openSmallModel(folder: string, runtimeFolder: string): Promise<InProcessModel> {
  const places = { folder, home: folder, runtime: runtimeFolder };
  const session = await openSmallSession({ ...places, isPinned: false });
  const stopAt = (signal: AbortSignal) => async () => {
    await turn(); // a timeout can only abort between two runs
    signal.throwIfAborted();
  };
  return {
    ...smallModel(session.version, (question, signal) => session.answers(question, stopAt(signal))),
    vectors: (texts, signal) => session.vectors(texts, stopAt(signal)),
  };
}
