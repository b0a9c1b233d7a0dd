/** Embedders on a server the user named. Sends the texts and nothing else. */
import { TidemarkError } from '../core/index.ts';
import { normalized, type Embedder } from './embedder.ts';

/** For a batch on a slow machine; a query has its own, much shorter limit. */
const TIMEOUT_MS = 60_000;
/** Longer than any memory; servers refuse or cut longer texts in different ways. */
const LONGEST_TEXT = 8000;

export interface RemoteServer {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request for these texts. */
  readonly body: (input: readonly string[]) => object;
  /** The vectors of an answer, not checked yet. */
  readonly vectors: (answer: unknown) => unknown;
}

/** Returns an embedder without `warm`. Its dimensions are known after the first answer. */
export function remoteEmbedder(server: RemoteServer): Embedder {
  let dimensions = 0;
  return {
    name: server.name,
    get dimensions() {
      return dimensions;
    },
    embed: async (texts, signal) => {
      const input = texts.map((text) => text.slice(0, LONGEST_TEXT));
      const vectors = await askForVectors(server, input, signal);
      dimensions = vectors[0]?.length ?? dimensions;
      return vectors;
    },
    warm: () => {},
    close: async () => {},
  };
}

async function askForVectors(
  { url, headers, body, vectors: read }: RemoteServer,
  input: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body(input)),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const { host } = new URL(url);
  if (!response.ok)
    throw new TidemarkError('embedder-failed', `${host} answered ${response.status}`, {
      hint: 'Check embed.url, embed.model and the key: tidemark doctor',
    });
  const vectors = read(await response.json());
  if (!Array.isArray(vectors) || !vectors.every(isVector))
    throw new TidemarkError('embedder-failed', `the answer of ${host} contains no vectors`);
  return vectors.map(normalized);
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
}
