/**
 * Entry of the embedder's process: `embedder.cjs <model folder> <data folder> <runtime folder>`, started only by local.ts.
 * Exits together with the daemon. Writes nothing.
 */
import { Lanes, type Pause } from './lanes.ts';
import type { Question, Reply, Request } from './_messages.ts';
import { openSmallSession, type SmallSession } from './small/session.ts';

const [, , folder = '', home = '', runtime = ''] = process.argv;
const send = (reply: Reply): void => void process.send?.(reply);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

process.on('disconnect', () => process.exit(0));
// An interrupt of the terminal is for the daemon, which then ends this process.
process.on('SIGINT', () => {});

const opening = openSmallSession({ folder, home, runtime, isPinned: true });
opening.then(
  (session) => send({ ready: true, runtime: session.runtime }),
  (error: unknown) => send({ failed: messageOf(error) }),
);

const lanes = new Lanes(opening);
process.on('message', (request: Request) => {
  if ('cancel' in request) return lanes.cancel(request.cancel);
  const { id, isUrgent } = request;
  lanes.add(id, isUrgent, async (pause) => {
    try {
      send({ id, rows: await answer(await opening, request, pause) });
    } catch (error) {
      send({ id, error: messageOf(error) });
    }
  });
});

function answer(session: SmallSession, question: Question, pause: Pause): Promise<readonly Float32Array[]> {
  return question.task === 'vector'
    ? session.vectors(question.texts, pause)
    : session.answers(question, pause);
}
