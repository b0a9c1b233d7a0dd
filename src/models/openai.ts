/** Embeds with any server that has OpenAI's embeddings API: OpenAI, LM Studio, vLLM, a proxy. */
import { remoteEmbedder } from './_remote.ts';
import type { Embedder } from './embedder.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';

/** `url`: up to and without `/embeddings`. Not warmed up, because every request costs money. */
export function openAiEmbedder(options: {
  readonly model: string;
  readonly url?: string;
  readonly key?: string;
}): Embedder {
  const { model, url, key } = options;
  return remoteEmbedder({
    name: `openai:${model}`,
    url: `${(url || DEFAULT_URL).replace(/\/+$/, '')}/embeddings`,
    ...(key ? { headers: { authorization: `Bearer ${key}` } } : {}),
    body: (input) => ({ model, input }),
    vectors: inOrder,
  });
}

function inOrder(answer: unknown): unknown {
  const { data } = answer as {
    readonly data?: readonly { readonly index: number; readonly embedding: unknown }[];
  };
  return data?.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
}
