/** Any server that speaks OpenAI's embeddings: OpenAI itself, LM Studio, vLLM, a proxy. */
import { askForVectors, LONGEST_TEXT } from './_remote.ts';
import type { Embedder } from './embedder.ts';

export interface OpenAiOptions {
  readonly model: string;
  /** Up to and without `/embeddings`. */
  readonly url?: string;
  readonly key?: string;
}

const DEFAULT_URL = 'https://api.openai.com/v1';

export function openAiEmbedder({ model, url, key }: OpenAiOptions): Embedder {
  const address = `${(url || DEFAULT_URL).replace(/\/+$/, '')}/embeddings`;
  const headers = key ? { authorization: `Bearer ${key}` } : undefined;
  let dimensions = 0;
  return {
    name: `openai:${model}`,
    get dimensions() {
      return dimensions;
    },
    embed: async (texts, signal) => {
      const input = texts.map((text) => text.slice(0, LONGEST_TEXT));
      const vectors = await askForVectors(address, { model, input }, headers ?? {}, signal, inOrder);
      dimensions = vectors[0]?.length ?? dimensions;
      return vectors;
    },
    warm: () => {}, // every request costs; nothing is sent that nobody asked for
    close: async () => {},
  };
}

function inOrder(answer: unknown): unknown {
  const { data } = answer as {
    readonly data?: readonly { readonly index: number; readonly embedding: unknown }[];
  };
  return data?.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
}
