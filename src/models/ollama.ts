/** A model served by Ollama, on this machine or where the user says. */
import { askForVectors, LONGEST_TEXT } from './_remote.ts';
import type { Embedder } from './embedder.ts';

export interface OllamaOptions {
  readonly model: string;
  readonly url?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:11434';

export function ollamaEmbedder({ model, url }: OllamaOptions): Embedder {
  const address = `${(url || DEFAULT_URL).replace(/\/+$/, '')}/api/embed`;
  let dimensions = 0;
  const embed: Embedder['embed'] = async (texts, signal) => {
    const input = texts.map((text) => text.slice(0, LONGEST_TEXT));
    const vectors = await askForVectors(
      address,
      { model, input, truncate: true },
      {},
      signal,
      (answer) => (answer as { readonly embeddings?: unknown }).embeddings,
    );
    dimensions = vectors[0]?.length ?? dimensions;
    return vectors;
  };
  return {
    name: `ollama:${model}`,
    get dimensions() {
      return dimensions;
    },
    embed,
    warm: () => void embed(['warm'], AbortSignal.timeout(30_000)).catch(() => {}),
    close: async () => {},
  };
}
