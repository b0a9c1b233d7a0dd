/** One request for vectors to a server the user named. Sends the texts and nothing else. */
import { TidemarkError } from '../core/index.ts';
import { normalized } from './embedder.ts';

/** A batch on a slow machine; a query has its own, much shorter limit. */
const TIMEOUT_MS = 60_000;
/** Longer than any memory; servers refuse or cut longer ones in ways of their own. */
export const LONGEST_TEXT = 8000;

export async function askForVectors(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  read: (answer: unknown) => unknown,
): Promise<readonly Float32Array[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (!response.ok)
    throw new TidemarkError('embedder-failed', `${new URL(url).host} answered ${response.status}`, {
      hint: 'Check embed.url, embed.model and the key: tidemark doctor',
    });
  const vectors = read(await response.json());
  if (!Array.isArray(vectors) || !vectors.every(isVector))
    throw new TidemarkError('embedder-failed', `${new URL(url).host} answered something else than vectors`);
  return vectors.map(normalized);
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
}
