/** Embeds on this machine and asks the small model, both in a separate process. */
import { given } from '../core/index.ts';
import type { Question } from './_messages.ts';
import { openProcess, type ProcessHandle } from './_process.ts';
import type { Embedder } from './embedder.ts';
import { SMALL_VERSION } from './small/pinned.ts';
import { smallModelFolder } from './small/files.ts';
import { WIDTH, type SmallModel } from './small/model.ts';
import { smallModel } from './small/open.ts';

/** The name of its vectors. Without the version: every version makes the same vectors, those of its base. */
export const LOCAL_EMBEDDER = 'local:small';

export interface LocalOptions {
  /** The data folder; onnxruntime-node may be installed in it or above it. */
  readonly home: string;
  /** The embedder's program, and the folder of the WebAssembly runtime. */
  readonly program: string;
  readonly runtime: string;
  /** Folder of the small model, if not where the program has it. */
  readonly small?: string;
  readonly idleMs?: number;
}

/** The small model in its process. */
export interface LocalSmallModel extends SmallModel {
  /** Prepares the next question without waiting. */
  warm(): void;
  close(): Promise<void>;
}

/** The first answers take three times as long, until V8 has compiled the hot parts. A prompt should not wait for that. */
const FIRST_TEXT = 'the first texts that a process reads take longer than those that it reads later';
const FIRST_QUESTIONS: readonly Question[] = [
  { task: 'vector', texts: [FIRST_TEXT] },
  { task: 'read', pairs: [1, 2, 3].map(() => ({ a: FIRST_TEXT, b: FIRST_TEXT })) },
];

export function localEmbedder(options: LocalOptions): Embedder {
  const running = processOf(options);
  return {
    name: LOCAL_EMBEDDER,
    dimensions: WIDTH,
    embed: async (texts, signal) => {
      if (texts.length === 0) return [];
      // A user waits for the vector of a question; texts of the background come in batches.
      return running.ask({ task: 'vector', texts }, texts.length === 1, signal);
    },
    warm: () => running.warm(FIRST_QUESTIONS),
    close: () => running.close(),
  };
}

export function localSmallModel(options: LocalOptions): LocalSmallModel {
  const running = processOf(options);
  return {
    ...smallModel(SMALL_VERSION, async (question, signal) => {
      const { length } = question.task === 'keep' ? question.passages : question.pairs;
      return length === 0 ? [] : running.ask(question, question.task === 'read', signal);
    }),
    warm: () => running.warm(FIRST_QUESTIONS),
    close: () => running.close(),
  };
}

function processOf({ home, program, runtime, idleMs, small }: LocalOptions): ProcessHandle {
  const args = [small ?? smallModelFolder(program), home, runtime];
  return openProcess({ program, args, ...given({ idleMs }) });
}
