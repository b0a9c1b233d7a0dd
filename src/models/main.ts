/**
 * Entry of the embedder's process: `embedder.cjs small|embedder <model folder> <models> <runtime folder> <most tokens>`,
 * started only by local.ts. Exits together with the daemon. Writes nothing.
 */
import { Lanes, type Pause } from './lanes.ts';
import type { Question, Reply, Request } from './_messages.ts';
import { openSession, type Session } from './session.ts';
import { openSmallSession } from './small/session.ts';

const [, , kind, folder = '', models = '', runtime = '', maxTokens = '256'] = process.argv;
const send = (reply: Reply): void => void process.send?.(reply);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

process.on('disconnect', () => process.exit(0));
// An interrupt of the terminal is for the daemon, which then ends this process.
process.on('SIGINT', () => {});

const options = { folder, models, runtime, maxTokens: Number(maxTokens) };
const opening: Promise<Session> =
  kind === 'small' ? openSmallSession({ ...options, isPinned: true }) : openSession(options);
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

function answer(session: Session, question: Question, pause: Pause): Promise<readonly Float32Array[]> {
  if (question.task === 'vector') return session.vectors(question.texts, pause);
  if (!session.answers) throw new Error('this model answers no questions');
  return session.answers(question, pause);
}
