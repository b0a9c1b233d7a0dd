/**
 * Embeds with any server that has OpenAI's embeddings API: OpenAI, Ollama, LM Studio, vLLM, a proxy. Sends the texts and
 * nothing else.
 */
import { TidemarkError } from '../core/index.ts';
import { normalized, type Embedder } from './embedder.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';
/** For a batch on a slow machine; a query has its own, much shorter limit. */
const TIMEOUT_MS = 60_000;
/** Longer than any memory; servers refuse or cut longer texts in different ways. */
const LONGEST_TEXT = 8000;

export interface OpenAiOptions {
  readonly model: string;
  /** Up to and without `/embeddings`. */
  readonly url?: string;
  readonly key?: string;
}

/** Not warmed up, because every request may cost money. Its dimensions are known after the first answer. */
export function openAiEmbedder(options: OpenAiOptions): Embedder {
  let dimensions = 0;
  return {
    name: `openai:${options.model}`,
    get dimensions() {
      return dimensions;
    },
    embed: async (texts, signal) => {
      const vectors = await askForVectors(options, texts, signal);
      dimensions = vectors[0]?.length ?? dimensions;
      return vectors;
    },
    warm: () => {},
    close: async () => {},
  };
}

async function askForVectors(
  { model, url, key }: OpenAiOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const address = `${(url || DEFAULT_URL).replace(/\/+$/, '')}/embeddings`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, LONGEST_TEXT)) }),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const { host } = new URL(address);
  if (!response.ok)
    throw new TidemarkError('embedder-failed', `${host} answered ${response.status}`, {
      hint: 'Check embed.url, embed.model and the key: tidemark doctor',
    });
  const vectors = inOrder(await response.json());
  if (!Array.isArray(vectors) || !vectors.every(isVector))
    throw new TidemarkError('embedder-failed', `the answer of ${host} contains no vectors`);
  return vectors.map(normalized);
}

/** The vectors of an answer, not checked yet. */
function inOrder(answer: unknown): unknown {
  const { data } = Object(answer) as { readonly data?: unknown };
  if (!Array.isArray(data)) return undefined;
  const items = data as readonly { readonly index?: number; readonly embedding?: unknown }[];
  return items.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding);
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
}
