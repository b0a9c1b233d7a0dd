/**
 * Loads ONNX Runtime: the build for Node if the user has installed it, else the bundled WebAssembly build. Runs on one
 * core, because most of this is background work.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type RuntimeKind = 'native' | 'wasm';

export interface Runtime {
  readonly kind: RuntimeKind;
  open(model: Uint8Array): Promise<Graph>;
  floats(data: Float32Array, dims: readonly number[]): object;
  integers(data: ArrayLike<number>, dims: readonly number[]): object;
}

export interface Graph {
  readonly inputNames: readonly string[];
  run(feeds: Readonly<Record<string, object>>): Promise<Readonly<Record<string, Output>>>;
}

export interface Output {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** The used part of the API that both runtimes share. */
interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Graph> };
  readonly Tensor: {
    new (type: 'int64', data: BigInt64Array, dims: readonly number[]): object;
    new (type: 'float32', data: Float32Array, dims: readonly number[]): object;
  };
  readonly env: { logLevel?: string; wasm: { numThreads?: number; wasmBinary?: ArrayBufferLike } };
}

/** The two bundled files of onnxruntime-web; the build copies them by these names. */
const WASM_FILES = ['ort.wasm.bundle.min.mjs', 'ort-wasm-simd-threaded.wasm'] as const;

export interface RuntimePlaces {
  /** The data folder; onnxruntime-node may be installed in it or above it. */
  readonly home: string;
  /** Folder of the WebAssembly build of ONNX Runtime. */
  readonly runtime: string;
}

export async function openRuntime({ home, runtime: folder }: RuntimePlaces): Promise<Runtime> {
  const native = nativeRuntime(home);
  const onnx = native ?? (await wasmRuntime(folder));
  return {
    kind: native ? 'native' : 'wasm',
    open: (model) =>
      onnx.InferenceSession.create(model, {
        executionProviders: [native ? 'cpu' : 'wasm'],
        graphOptimizationLevel: 'all',
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
      }),
    floats: (data, dims) => new onnx.Tensor('float32', data, dims),
    integers: (data, dims) => new onnx.Tensor('int64', BigInt64Array.from(data, BigInt), dims),
  };
}

/** Searches the data folder, where `npm install --prefix ~/.tidemark` installs it, and the folders above. */
function nativeRuntime(folder: string): OnnxRuntime | undefined {
  try {
    const load = createRequire(join(folder, 'package.json'));
    return load('onnxruntime-node') as OnnxRuntime;
  } catch {
    return undefined;
  }
}

async function wasmRuntime(folder: string): Promise<OnnxRuntime> {
  const [script, wasm] = WASM_FILES;
  const runtime = (await import(pathToFileURL(join(folder, script)).href)) as OnnxRuntime;
  const bytes = readFileSync(join(folder, wasm));
  runtime.env.logLevel = 'error';
  runtime.env.wasm.numThreads = 1;
  // As bytes: otherwise it would fetch the file by URL, which Node cannot do.
  runtime.env.wasm.wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return runtime;
}
