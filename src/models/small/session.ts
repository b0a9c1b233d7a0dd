/**
 * Runs the small model: the lower layers once, then the upper layers for a vector or those for a question. Inputs of
 * similar length run together. Pauses between two runs of a graph.
 */
import type { Pause } from '../lanes.ts';
import { openRuntime, type Graph, type Output } from '../runtime.ts';
import type { Session } from '../session.ts';
import { readTokenizer } from '../word-piece.ts';
import { encodePair, encodeText, type Encoded } from './_encode.ts';
import { WIDTH, wordTable } from './_words.ts';
import { readSmallModel } from './files.ts';

export interface SmallSession extends Required<Session> {
  readonly version: string;
}

export interface SmallSessionOptions {
  readonly folder: string;
  /** Folder of the WebAssembly build of ONNX Runtime. */
  readonly runtime: string;
  readonly maxTokens: number;
  /** Whether it must be the model this version ships with. */
  readonly isPinned: boolean;
  readonly threads?: number;
  readonly batch?: number;
}

/** Inputs that run together. */
const BATCH = 4;

type Feeds = Readonly<Record<'states' | 'types' | 'mask', object>>;

export async function openSmallSession(options: SmallSessionOptions): Promise<SmallSession> {
  const { folder, maxTokens, isPinned, threads, batch: most = BATCH } = options;
  const { version, read } = readSmallModel(folder, isPinned);
  const tokenizer = readTokenizer(read('vocab.txt').toString('utf8'));
  const words = wordTable(read('words.bin'));
  const runtime = await openRuntime(folder, options.runtime, threads);
  const lower = await runtime.open(read('lower.onnx'));
  const vector = await runtime.open(read('vector.onnx'));
  const tasks = await runtime.open(read('tasks.onnx'));

  const lowerStates = async (batch: readonly Encoded[]): Promise<Feeds> => {
    const tokens = Math.max(...batch.map(({ ids }) => ids.length));
    const dims = [batch.length, tokens];
    const embedded = new Float32Array(batch.length * tokens * WIDTH);
    const types = new Uint8Array(batch.length * tokens);
    const mask = new Float32Array(batch.length * tokens);
    batch.forEach(({ ids, first }, row) => {
      ids.forEach((id, i) => words.read(id, embedded, (row * tokens + i) * WIDTH));
      types.fill(1, row * tokens + first, row * tokens + ids.length);
      mask.fill(1, row * tokens, row * tokens + ids.length);
    });
    const feeds = {
      words: runtime.floats(embedded, [...dims, WIDTH]),
      types: runtime.integers(types, dims),
      mask: runtime.floats(mask, dims),
    };
    const { states } = await lower.run(feeds);
    if (!states) throw new Error('the model gave no states');
    return { ...feeds, states };
  };

  /** Returns the rows of one output, in the order of the inputs. */
  const run = async (
    inputs: readonly Encoded[],
    upper: Graph,
    output: string,
    pause: Pause,
  ): Promise<readonly Float32Array[]> => {
    const results: Float32Array[] = Array.from({ length: inputs.length });
    const order = inputs
      .map((input, at) => ({ input, at }))
      .toSorted((a, b) => length(b.input) - length(a.input));
    for (let start = 0; start < order.length; start += most) {
      if (start > 0) await pause();
      const batch = order.slice(start, start + most);
      const feeds = await lowerStates(batch.map(({ input }) => input));
      await pause();
      const given = upper.inputNames.map((name) => [name, feeds[name as keyof Feeds]] as const);
      const { [output]: found } = await upper.run(Object.fromEntries(given));
      if (!found) throw new Error(`the model gave no ${output}`);
      batch.forEach(({ at }, row) => (results[at] = rowOf(found, row)));
    }
    return results;
  };

  return {
    version,
    runtime: runtime.kind,
    vectors: (texts, pause) =>
      run(
        texts.map((text) => encodeText(tokenizer, text, maxTokens)),
        vector,
        'vector',
        pause,
      ),
    answers: (task, pairs, pause) =>
      run(
        pairs.map((pair) => encodePair(tokenizer, task, pair)),
        tasks,
        task,
        pause,
      ),
  };
}

function length({ ids }: Encoded): number {
  return ids.length;
}

function rowOf({ data, dims }: Output, row: number): Float32Array {
  const width = dims[1] ?? 1;
  return data.slice(row * width, (row + 1) * width);
}
