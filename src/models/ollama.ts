/** Embeds with a model of Ollama, on this machine or at a configured address. */
import { remoteEmbedder } from './_remote.ts';
import type { Embedder } from './embedder.ts';

const DEFAULT_URL = 'http://127.0.0.1:11434';

export function ollamaEmbedder(options: { readonly model: string; readonly url?: string }): Embedder {
  const { model, url } = options;
  const embedder = remoteEmbedder({
    name: `ollama:${model}`,
    url: `${(url || DEFAULT_URL).replace(/\/+$/, '')}/api/embed`,
    body: (input) => ({ model, input, truncate: true }),
    vectors: (answer) => (answer as { readonly embeddings?: unknown }).embeddings,
  });
  // Ollama loads the model with the first request. Assigned, because a spread would freeze `dimensions` at 0.
  return Object.assign(embedder, {
    warm: () => void embedder.embed(['warm'], AbortSignal.timeout(30_000)).catch(() => {}),
  });
}
