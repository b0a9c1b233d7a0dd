/**
 * Entry of the embedder's process: `embedder.cjs <model folder> <runtime folder> <most tokens>`, started by local.ts and
 * by nobody else. Leaves when the one who started it does. Writes nothing.
 */
import { Mutex } from '../files/index.ts';
import type { Reply, Request } from './_messages.ts';
import { openSession } from './_session.ts';

const [, , model = '', runtime = '', maxTokens = '256'] = process.argv;
const tell = (reply: Reply): void => void process.send?.(reply);
const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

process.on('disconnect', () => process.exit(0));
// The terminal's interrupt is for the daemon, which then lets us go.
process.on('SIGINT', () => {});

const opening = openSession({ model, runtime, maxTokens: Number(maxTokens) });
opening.then(
  (session) => tell({ ready: true, runtime: session.runtime }),
  (error: unknown) => tell({ failed: words(error) }),
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
    tell({ id, vectors });
  } catch (error) {
    tell({ id, error: words(error) });
  }
}
