/**
 * Entry of the embedder's process: `embedder.cjs <model folder> <runtime folder> <most tokens>`, started only by
 * local.ts. Exits together with the daemon. Writes nothing.
 */
import { Mutex } from '../files/index.ts';
import type { Reply, Request } from './_messages.ts';
import { openSession } from './_session.ts';

const [, , model = '', runtime = '', maxTokens = '256'] = process.argv;
const send = (reply: Reply): void => void process.send?.(reply);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

process.on('disconnect', () => process.exit(0));
// An interrupt of the terminal is for the daemon, which then ends this process.
process.on('SIGINT', () => {});

const opening = openSession({ model, runtime, maxTokens: Number(maxTokens) });
opening.then(
  (session) => send({ ready: true, runtime: session.runtime }),
  (error: unknown) => send({ failed: messageOf(error) }),
);

const requests = new Mutex();
process.on('message', ({ id, texts }: Request) => {
  void requests.run(() => answer(id, texts));
});

async function answer(id: number, texts: readonly string[]): Promise<void> {
  try {
    const session = await opening;
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await session.embed(text));
    send({ id, vectors });
  } catch (error) {
    send({ id, error: messageOf(error) });
  }
}
