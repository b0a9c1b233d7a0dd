/** What a person does to one memory from its page. Goes through the daemon's own calls; the journal is written there. */
import { Hono, type Context } from 'hono';
import type * as v from 'valibot';
import { revisionOf, TidemarkError } from '../core/index.ts';
import type { DaemonCall } from '../daemon/index.ts';
import type { MemoryEntry } from '../database/index.ts';
import {
  bodyOf,
  ChangeBody,
  EditBody,
  IdInput,
  MoveBody,
  NothingBody,
  paramsOf,
  SupersedeBody,
  type Changed,
  type ErrorBody,
  type Forgotten,
} from '../http/index.ts';
import { UNDO_MS } from '../memory/index.ts';
import { errorAnswer } from './_errors.ts';

export function memoryChanges(call: DaemonCall): Hono {
  const routes = new Hono();
  const present = async (id: string): Promise<Changed> => {
    const [entry] = (await call('read.show', { ids: [id] })) as readonly MemoryEntry[];
    if (!entry) throw new TidemarkError('not-found', `nothing is known as ${id}`);
    return { memory: entry.memory, revision: revisionOf(entry.memory) };
  };
  /** Where the entry changed meanwhile, it comes along with the error as it is now. */
  const guarded = async (c: Context, id: string, answer: () => Promise<object>): Promise<Response> => {
    try {
      return c.json(await answer());
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== 'conflict') throw error;
      const { status, body } = errorAnswer(error);
      return c.json({ ...body, present: await present(id) } satisfies ErrorBody, status);
    }
  };
  const change = <T extends v.GenericSchema>(
    path: string,
    schema: T,
    make: (id: string, body: v.InferOutput<T>) => Promise<unknown>,
  ): void => {
    routes.post(`/:id/${path}`, async (c) => {
      const { id } = paramsOf(c, IdInput);
      const body = await bodyOf(c, schema);
      return guarded(c, id, () => make(id, body).then(() => present(id)));
    });
  };

  change('edit', EditBody, (id, body) => call('edit', { id, ...body }));
  change('resolve', ChangeBody, (id, body) => call('settle', { ids: [id], done: true, ...body }));
  change('reopen', ChangeBody, (id, body) => call('settle', { ids: [id], done: false, ...body }));
  change('supersede', SupersedeBody, (id, body) => call('supersede', { old: id, ...body }));
  change('move', MoveBody, (id, body) => call('move', { id, ...body }));
  change('undo-forget', NothingBody, (id) => call('forget', { ids: [id], undo: true }));
  routes.post('/:id/forget', async (c) => {
    const { id } = paramsOf(c, IdInput);
    const body = await bodyOf(c, ChangeBody);
    return guarded(c, id, async (): Promise<Forgotten> => {
      await call('forget', { ids: [id], ...body });
      return { id, undoUntil: new Date(Date.now() + UNDO_MS).toISOString() };
    });
  });
  return routes;
}
