/**
 * Runs a model inside the embedder's process: with ONNX Runtime for Node if the user has installed it, else with the
 * bundled WebAssembly build. One text at a time, because padding a batch costs more than it saves.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readTokenizer } from './_word-piece.ts';
import { normalized } from './embedder.ts';

export interface Session {
  readonly runtime: 'native' | 'wasm';
  embed(text: string): Promise<Float32Array>;
}

interface SessionFiles {
  /** Folder of `model.onnx` and `vocab.txt`. */
  readonly model: string;
  /** Folder of the WebAssembly build of ONNX Runtime. */
  readonly runtime: string;
  readonly maxTokens: number;
}

/** The two bundled files of onnxruntime-web; the build copies them by these names. */
const WASM_FILES = ['ort.wasm.bundle.min.mjs', 'ort-wasm-simd-threaded.wasm'] as const;

/** The used part of the API that both runtimes share. */
interface Runtime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
  readonly env: { logLevel?: string; wasm: { numThreads?: number; wasmBinary?: ArrayBufferLike } };
}

interface OnnxSession {
  readonly inputNames: readonly string[];
  run(feeds: Readonly<Record<string, object>>): Promise<Readonly<Record<string, Output>>>;
}

interface Output {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export async function openSession(files: SessionFiles): Promise<Session> {
  const tokenizer = readTokenizer(readFileSync(join(files.model, 'vocab.txt'), 'utf8'));
  const weights = readFileSync(join(files.model, 'model.onnx'));
  const native = await nativeRuntime(files.model);
  const runtime = native ?? (await wasmRuntime(files.runtime));
  const session = await runtime.InferenceSession.create(weights, {
    executionProviders: [native ? 'cpu' : 'wasm'],
    graphOptimizationLevel: 'all',
    // One core, because this is background work.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return {
    runtime: native ? 'native' : 'wasm',
    embed: async (text) => {
      const ids = tokenizer.encode(text, files.maxTokens);
      const tensor = (value: (id: number) => number): object =>
        new runtime.Tensor(
          'int64',
          BigInt64Array.from(ids, (id) => BigInt(value(id))),
          [1, ids.length],
        );
      const feeds: Readonly<Record<string, () => object>> = {
        input_ids: () => tensor((id) => id),
        attention_mask: () => tensor(() => 1),
        token_type_ids: () => tensor(() => 0),
      };
      const given = session.inputNames.map((name) => [name, feeds[name]?.() ?? tensor(() => 0)] as const);
      const { last_hidden_state: hidden } = await session.run(Object.fromEntries(given));
      if (!hidden) throw new Error('the model gave no hidden state');
      return pooled(hidden);
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

/** Searches next to the models and in the folders above, where `npm install --prefix ~/.tidemark` installs it. */
async function nativeRuntime(folder: string): Promise<Runtime | undefined> {
  try {
    const load = createRequire(join(folder, 'package.json'));
    return load('onnxruntime-node') as Runtime;
  } catch {
    return undefined;
  }
}

async function wasmRuntime(folder: string): Promise<Runtime> {
  const [script, wasm] = WASM_FILES;
  const runtime = (await import(pathToFileURL(join(folder, script)).href)) as Runtime;
  const bytes = readFileSync(join(folder, wasm));
  runtime.env.logLevel = 'error';
  runtime.env.wasm.numThreads = 1;
  // As bytes: otherwise it would fetch the file by URL, which Node cannot do.
  runtime.env.wasm.wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return runtime;
}
