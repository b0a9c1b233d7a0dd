/** The routes of EverMem's cloud, so that its plugin works with this server unchanged. */
import { Hono, type Context } from 'hono';
import { given, TidemarkError } from '../../core/index.ts';
import { jsonOf } from '../../http/index.ts';
import {
  callerOf,
  errorFacts,
  holderOf,
  readBody,
  TooMany,
  type Mount,
  type ServerEnv,
} from '../http/index.ts';
import type { Work } from '../store/index.ts';
import type { Question } from './_fields.ts';
import { everMemFailure } from './failure.ts';
import { projectOfGroup } from './group.ts';
import { storeMessages, type Received } from './intake.ts';
import { list, search } from './read.ts';
import { listingV0, memoriesV0, metaAnswerV0, metaV0, questionV0, queuedV0, receivedV0 } from './v0.ts';
import { listingV1, memoriesV1, questionV1, queuedV1, receivedV1 } from './v1.ts';
import { Worker } from './worker.ts';

/** More than the longest message. */
const MAX_BODY = 1024 * 1024;

/** Seconds; enough to process a few thousand messages. */
const RETRY_AFTER = 30;

/** `most`: the limit of queued messages per member. */
export function everMem(options: { readonly most?: number } = {}): Mount {
  return ({ app, store, guard, metrics, log }) => {
    const worker = new Worker({
      ...options,
      store,
      failed: (error) => log('error', 'messages not processed', errorFacts(error)),
    });
    metrics.gauge('tidemark_messages_waiting', 'Messages that are not memories yet.', () => worker.waiting);
    metrics.gauge('tidemark_messages_lag_seconds', 'Age of the oldest of them.', () => worker.lag);
    metrics.gauge(
      'tidemark_messages_set_aside',
      'Messages that could not become memories since the start.',
      () => worker.setAside,
    );
    const routes = new Hono<ServerEnv>();
    const [reads, writes] = [guard.needs('read'), guard.needs('write')];
    const body = async (c: Context<ServerEnv>): Promise<unknown> => jsonOf(await readBody(c, MAX_BODY));
    const reading = <T>(c: Context<ServerEnv>, work: (work: Work) => Promise<T>): Promise<T> =>
      store.read(callerOf(c), holderOf(c).position, work);
    const searching = async (c: Context<ServerEnv>, question: Question) => {
      const vector = question.by === 'words' ? undefined : await store.vectorOf(question.text);
      const options = { now: new Date(), ...given({ vector }) };
      return reading(c, (work) => search(work, question, store.vectors, options));
    };
    const receive = async (c: Context<ServerEnv>, received: Received): Promise<void> => {
      const caller = callerOf(c);
      if (worker.isBehind(caller))
        throw new TooMany(RETRY_AFTER, 'too many of your messages are still queued');
      const messages = await store.transaction(caller, (work) =>
        storeMessages(work, received, { id: c.var.requestId, apiKey: holderOf(c).key.id }),
      );
      worker.wake(caller, messages);
    };

    routes.post('/api/v0/memories', writes, async (c) => {
      await receive(c, receivedV0(await body(c), new Date()));
      return c.json(queuedV0(c.var.requestId));
    });
    routes.get('/api/v0/memories', reads, async (c) => {
      const listing = listingV0(merged(c, await body(c)));
      const { memories, total, hasMore } = await reading(c, (work) => list(work, listing));
      return c.json(memoriesV0(memories, total, hasMore));
    });
    routes.on(['GET', 'POST'], '/api/v0/memories/search', reads, async (c) => {
      const { memories, total, hasMore } = await searching(c, questionV0(merged(c, await body(c))));
      return c.json(memoriesV0(memories, total, hasMore));
    });
    routes.post('/api/v0/memories/conversation-meta', writes, async (c) => {
      const meta = metaV0(await body(c));
      const { project } = await store.transaction(callerOf(c), (work) =>
        projectOfGroup(work, { ...meta, apiKey: holderOf(c).key.id }),
      );
      return c.json(metaAnswerV0(meta, project));
    });

    for (const [path, wanted] of [
      ['/api/v1/memories', 'user'],
      ['/api/v1/memories/group', 'group'],
    ] as const) {
      routes.post(path, writes, async (c) => {
        const received = receivedV1(await body(c), new Date(), wanted);
        await receive(c, received);
        return c.json(queuedV1(c.var.requestId, received.messages.length));
      });
    }
    routes.post('/api/v1/memories/get', reads, async (c) => {
      const listing = listingV1(await body(c));
      const { memories, total } = await reading(c, (work) => list(work, listing));
      return c.json(memoriesV1(memories, total));
    });
    routes.post('/api/v1/memories/search', reads, async (c) => {
      const { memories, total } = await searching(c, questionV1(await body(c)));
      return c.json(memoriesV1(memories, total));
    });
    routes.all('/api/*', () => {
      throw new TidemarkError('not-found', 'there is nothing at this path');
    });
    routes.onError((error, c) => {
      const { status, body: answer, retryAfter } = everMemFailure(error);
      if (status >= 500) log('error', 'failed', { request: c.var.requestId, status, ...errorFacts(error) });
      // The rest of the body is not read, so the connection cannot be used again.
      if (status === 413) c.header('connection', 'close');
      if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
      return c.json(answer, status);
    });
    app.route('/', routes);
    worker.start();
    return () => worker.end();
  };
}

/** Clients send fields in the query or in the body, and repeat a name for a list. */
function merged(c: Context<ServerEnv>, body: unknown): unknown {
  const query = Object.entries(c.req.queries()).map(([name, values]) => [
    name,
    values.length > 1 ? values : values[0],
  ]);
  return { ...Object.fromEntries(query), ...(body as object) };
}
