/**
 * Has the reader answer a hook. A prompt is answered with its vector, and a second time when the small model has read the
 * memories that the gate is not sure about. What is late is left out: the first answer is complete without it.
 */
import type { Answer, Question } from '../../capture/index.ts';
import { given } from '../../core/index.ts';
import { PROMPT_VECTOR_MS, type EmbedClient } from '../workers/embed-client.ts';
import { READ_MS, type SmallClient } from '../workers/small-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

interface Answerers {
  readonly workers: Pick<WorkerPool, 'read'>;
  readonly embedder: Pick<EmbedClient, 'ask'>;
  readonly small: Pick<SmallClient, 'read'>;
}

export async function answerQuestion(
  question: Question,
  timeoutMs: number,
  { workers, embedder, small }: Answerers,
): Promise<Omit<Answer, 'toRead'>> {
  const began = performance.now();
  const left = () => timeoutMs - (performance.now() - began);
  const prompt = question.name === 'UserPromptSubmit' ? (question.prompt ?? '') : '';
  const vector = prompt === '' ? undefined : await embedder.ask(prompt, PROMPT_VECTOR_MS);
  const asked = { ...question, ...given({ vector }) };
  const before = Math.max(1, left()); // 0 would be no limit
  const { toRead = [], ...answer } = await workers.read('answer', asked, before);
  if (toRead.length === 0) return answer;
  // The second answer takes as long as the first; twice that, so that it is not late.
  const withinMs = Math.min(READ_MS, left() - 2 * (before - left()));
  const read = await small.read(toRead, withinMs);
  if (read.size === 0 || left() < 1) return answer;
  return workers.read('answer', { ...asked, read }, left()).catch(() => answer);
}
