/** Push, pull and withdraw. An answer is sent only after the commit. */
import * as v from 'valibot';
import {
  countText,
  MOST_BYTES,
  MOST_CHANGES,
  PullAnswer,
  PushAnswer,
  PushRequest,
  Waited,
  WaitRequest,
  Withdrawn,
} from '../../exchange/sync/index.ts';
import { machineSettings, settingsOf } from '../admin/index.ts';
import { route } from '../http/index.ts';
import { pullChanges, pushChanges, withdrawOwn } from '../store/index.ts';
import { inTurn } from './_push-queue.ts';
import { ProjectParam } from './_params.ts';

const PullQuery = v.object({
  after: v.optional(countText(Number.MAX_SAFE_INTEGER), '0'),
  limit: v.optional(v.pipe(countText(MOST_CHANGES), v.minValue(1)), String(MOST_CHANGES)),
});

/** Operations that end an entry, with the audit action of each. */
const AUDITED = [
  ['tombstone', 'memory.forget'],
  ['withdraw', 'memory.withdraw'],
] as const;

export const changes = [
  route({
    method: 'POST',
    path: '/v1/projects/:project/changes',
    summary:
      'Send new, changed, forgotten and withdrawn entries. A repeated idempotency key returns the first answer.',
    scope: 'write',
    params: ProjectParam,
    body: PushRequest,
    answer: PushAnswer,
    largest: MOST_BYTES,
    run: ({ params: { project }, body, change, holder }) =>
      inTurn(`${holder.team.id} ${project}`, () =>
        change((work, record) =>
          pushChanges(work, project, body, async ({ results }) => {
            const stored = body.changes.filter((_, i) => results[i]?.outcome === 'stored');
            for (const [op, action] of AUDITED) {
              const ids = stored.flatMap((one) => (one.op === op ? [one.id] : []));
              if (ids.length > 0) await record(action, project, { ids });
            }
          }),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: '/v1/projects/:project/changes',
    summary: 'Changes after a sequence number, in order; only the last change of each entry.',
    scope: 'read',
    params: ProjectParam,
    query: PullQuery,
    answer: PullAnswer,
    run: async ({ params, query, read, holder }) => {
      const answer = await read(async (work) => ({
        ...(await pullChanges(work, params.project, query)),
        settings: machineSettings(await settingsOf(work)),
      }));
      return holder.key.scopes.includes('write') ? answer : { ...answer, access: 'read' as const };
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/projects/:project/entries',
    summary: 'Withdraw your own entries from a project. Other machines drop them; they can be shared again.',
    scope: 'write',
    params: ProjectParam,
    query: v.object({ mine: v.literal('true', 'only your own entries can be withdrawn: mine=true') }),
    answer: Withdrawn,
    run: ({ params: { project }, change }) =>
      change(async (work, record) => {
        const withdrawn = await withdrawOwn(work, project);
        await record('memory.withdraw', project, { count: withdrawn });
        return { withdrawn };
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/changes/wait',
    summary:
      'Answers as soon as one of the projects has a change after its number, or without one after 50 seconds at most.',
    scope: 'read',
    body: WaitRequest,
    answer: Waited,
    run: ({ body, holder, waiting, onHangUp }) =>
      waiting.wait(
        holder,
        body.projects.map(({ id, after }) => ({ project: id, after })),
        onHangUp,
      ),
  }),
];
