/** Runs a model of the catalogue inside the embedder's process. One text at a time: padding costs more than it saves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pause } from './lanes.ts';
import { openRuntime, type Output, type RuntimeKind, type RuntimePlaces } from './runtime.ts';
import { readTokenizer } from './word-piece.ts';
import { normalized } from './embedder.ts';
import type { SmallQuestion } from './small/model.ts';

/** A loaded model in the embedder's process. Pauses between two runs of a graph. */
export interface Session {
  readonly runtime: RuntimeKind;
  vectors(texts: readonly string[], pause: Pause): Promise<readonly Float32Array[]>;
  /** Returns the model's outputs for each pair or passage. Only the small model answers questions. */
  answers?(question: SmallQuestion, pause: Pause): Promise<readonly Float32Array[]>;
}

export interface SessionOptions extends RuntimePlaces {
  /** Folder of the model. */
  readonly folder: string;
  readonly maxTokens: number;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const { folder, maxTokens } = options;
  const tokenizer = readTokenizer(readFileSync(join(folder, 'vocab.txt'), 'utf8'));
  const runtime = await openRuntime(options);
  const graph = await runtime.open(readFileSync(join(folder, 'model.onnx')));
  const vectorOf = async (text: string): Promise<Float32Array> => {
    const ids = tokenizer.encode(text, maxTokens);
    const feeds: Readonly<Record<string, readonly number[]>> = {
      input_ids: ids,
      attention_mask: ids.map(() => 1),
    };
    const given = graph.inputNames.map((name) => {
      const data = feeds[name] ?? ids.map(() => 0);
      return [name, runtime.integers(data, [1, ids.length])] as const;
    });
    const { last_hidden_state: hidden } = await graph.run(Object.fromEntries(given));
    if (!hidden) throw new Error('the model gave no hidden state');
    return pooled(hidden);
  };
  return {
    runtime: runtime.kind,
    vectors: async (texts, pause) => {
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        if (vectors.length > 0) await pause();
        vectors.push(await vectorOf(text));
      }
      return vectors;
    },
  };
}

/** Mean over all tokens, as in the training of sentence-transformers. */
function pooled({ data, dims }: Output): Float32Array {
  const [, tokens = 0, dimensions = 0] = dims;
  const sum = new Float32Array(dimensions);
  for (let token = 0; token < tokens; token++)
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (data[token * dimensions + i] ?? 0);
  return normalized(sum);
}
