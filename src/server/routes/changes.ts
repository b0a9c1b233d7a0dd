/** What clients send and fetch. An answer means that it is committed. */
import * as v from 'valibot';
import {
  countText,
  MOST_BYTES,
  MOST_CHANGES,
  PullAnswer,
  PushAnswer,
  PushRequest,
  Withdrawn,
} from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';
import { pullChanges, pushChanges, recordAudit, withdrawOwn } from '../store/index.ts';
import { ProjectParam } from './_params.ts';

const PullQuery = v.object({
  after: v.optional(countText(Number.MAX_SAFE_INTEGER), '0'),
  limit: v.optional(v.pipe(countText(MOST_CHANGES), v.minValue(1)), String(MOST_CHANGES)),
});

const ENDINGS = [
  ['tombstone', 'memory.forget'],
  ['withdraw', 'memory.withdraw'],
] as const;

export const changes = [
  route({
    method: 'POST',
    path: '/v1/projects/:project/changes',
    summary:
      'Entries that are new, changed, forgotten or withdrawn. The same idempotency key again is the same request again.',
    scope: 'write',
    params: ProjectParam,
    body: PushRequest,
    answer: PushAnswer,
    largest: MOST_BYTES,
    run: ({ params: { project }, body, holder, change }) =>
      change((work) =>
        pushChanges(work, project, body, async ({ results }) => {
          const stored = body.changes.filter((_, i) => results[i]?.outcome === 'stored');
          for (const [op, action] of ENDINGS) {
            const ids = stored.flatMap((one) => (one.op === op ? [one.id] : []));
            if (ids.length > 0)
              await recordAudit(work, { action, object: project, key: holder.key.id, detail: { ids } });
          }
        }),
      ),
  }),
  route({
    method: 'GET',
    path: '/v1/projects/:project/changes',
    summary: 'What changed since a number, in order; of an entry that changed twice the last.',
    scope: 'read',
    params: ProjectParam,
    query: PullQuery,
    answer: PullAnswer,
    run: ({ params, query, read }) => read((work) => pullChanges(work, params.project, query)),
  }),
  route({
    method: 'DELETE',
    path: '/v1/projects/:project/entries',
    summary: 'Take your own entries out of a project. Others drop them; they may be shared again.',
    scope: 'write',
    params: ProjectParam,
    query: v.object({ mine: v.literal('true', 'only your own entries can be withdrawn: mine=true') }),
    answer: Withdrawn,
    run: ({ params: { project }, holder, change }) =>
      change(async (work) => {
        const withdrawn = await withdrawOwn(work, project);
        await recordAudit(work, {
          action: 'memory.withdraw',
          object: project,
          key: holder.key.id,
          detail: { count: withdrawn },
        });
        return { withdrawn };
      }),
  }),
];
