/**
 * Computes vectors for benchmarks with the real local model and caches them outside the clone, so that a second run takes
 * seconds. Texts go through the product's queue and vectors into its tables.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MemoryIndex, QueryVector } from '../src/database/index.ts';
import { localEmbedder, type Embedder } from '../src/models/index.ts';

const AT_ONCE = 64;
/** Another benchmark may write to the same cache. */
const LOCK_MS = 10_000;

export class BenchVectors {
  readonly #embedder: Embedder;
  readonly #cache: DatabaseSync;
  /** Number of texts that were not in the cache, and the time they took. */
  made = 0;
  ms = 0;

  static async open(): Promise<BenchVectors> {
    const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tidemark');
    mkdirSync(folder, { recursive: true });
    const embedder = localEmbedder({
      home: folder,
      program: join(import.meta.dirname, '..', 'src', 'models', 'main.ts'),
      runtime: join(import.meta.dirname, '..', 'node_modules', 'onnxruntime-web', 'dist'),
    });
    return new BenchVectors(embedder, join(folder, 'bench-vectors.db'));
  }

  private constructor(embedder: Embedder, cache: string) {
    this.#embedder = embedder;
    this.#cache = new DatabaseSync(cache, { timeout: LOCK_MS });
    this.#cache.exec('CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, vector BLOB NOT NULL)');
  }

  async embedIndex(index: MemoryIndex): Promise<void> {
    index.setVectorModel(this.#embedder.name);
    for (;;) {
      const batch = index.unembedded(AT_ONCE);
      if (batch.length === 0) return;
      const vectors = await this.#vectors(batch.map(({ text }) => text));
      index.putVectors(
        this.#embedder.name,
        batch.flatMap((one, i) => (vectors[i] ? [{ ...one, vector: vectors[i] }] : [])),
      );
    }
  }

  async query(text: string): Promise<QueryVector> {
    const [vector] = await this.#vectors([text]);
    if (!vector) throw new Error('no vector');
    return { model: this.#embedder.name, vector };
  }

  /** Returns the vectors of texts. */
  of(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]> {
    return this.#vectors(texts);
  }

  async close(): Promise<void> {
    await this.#embedder.close();
    this.#cache.close();
  }

  async #vectors(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]> {
    const keys = texts.map((text) =>
      createHash('sha256').update(`${this.#embedder.name}\n${text}`).digest('hex'),
    );
    const get = this.#cache.prepare('SELECT vector FROM vector WHERE key = ?');
    const known = keys.map((key) => get.get(key)?.['vector'] as Uint8Array | undefined);
    const missing = texts.flatMap((text, i) => (known[i] ? [] : [{ text, key: keys[i] ?? '' }]));
    const began = performance.now();
    const made = await this.#embedder.embed(
      missing.map(({ text }) => text),
      AbortSignal.timeout(10 * 60_000),
    );
    this.ms += performance.now() - began;
    this.made += missing.length;
    const put = this.#cache.prepare('INSERT OR REPLACE INTO vector VALUES (?, ?)');
    const fresh = new Map(
      missing.map(({ key }, i) => {
        const vector = made[i] ?? new Float32Array();
        put.run(key, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
        return [key, vector];
      }),
    );
    return keys.map((key, i) => fresh.get(key) ?? (known[i] && floats(known[i])));
  }
}

function floats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
