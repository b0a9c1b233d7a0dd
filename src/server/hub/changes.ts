/**
 * Changes that a member makes to a shared memory in the hub. Each is a change like those of the machines: versioned,
 * redacted and numbered, so that every machine of the team gets it and the replaced text is stored.
 */
import { randomUUID } from 'node:crypto';
import { revisionOf, TidemarkError } from '../../core/index.ts';
import { nextVersion, WireEntry, type Change, type Version } from '../../exchange/sync/index.ts';
import { checked, type Changed, type EditRequest, type Forgotten } from '../../http/index.ts';
import { textHash } from '../../memory/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import {
  lockForWriting,
  memoryById,
  pushChanges,
  recordAudit,
  type KeyHolder,
  type SharedMemory,
  type Work,
} from '../store/index.ts';
import { memoryOf } from './memory-detail.ts';

/** The hub's name among the machines of a team. */
const MACHINE = 'team-hub';

interface Target {
  readonly id: string;
  readonly revision?: string;
}

export async function edit(
  work: Work,
  holder: KeyHolder,
  { patch, ...target }: Target & EditRequest,
  now: Date,
): Promise<Changed> {
  const { entry, project } = await locked(work, target);
  const { reason, ...clean } = redactDeep(patch).value;
  const { reason: before, ...rest } = entry;
  const why = reason ?? before;
  const changed = { ...rest, ...clean, ...(why ? { reason: why } : {}) };
  await push(work, holder, project, [put(changed, entry.version, now)]);
  return present(work, target.id);
}

/** Resolves an issue, or reopens it; a superseded memory of another kind becomes current again. */
export async function settle(
  work: Work,
  holder: KeyHolder,
  { done, ...target }: Target & { readonly done: boolean },
  now: Date,
): Promise<Changed> {
  const { entry, project } = await locked(work, target);
  if (done && entry.kind !== 'issue')
    throw new TidemarkError('invalid', `${entry.id} is a ${entry.kind}: only an issue can be resolved`);
  const open = entry.kind === 'issue' ? ('open' as const) : ('current' as const);
  const { supersededBy: _, resolvedBy: __, ...rest } = entry;
  const changed = { ...rest, state: done ? ('resolved' as const) : open };
  await push(work, holder, project, [put(changed, entry.version, now)]);
  return present(work, target.id);
}

/** Marks a memory as replaced by another one; each names the other. */
export async function supersede(
  work: Work,
  holder: KeyHolder,
  { by, ...target }: Target & { readonly by: string },
  now: Date,
): Promise<Changed> {
  const old = await locked(work, target);
  const successor = await memoryById(work, by);
  if (successor.entry.id === old.entry.id)
    throw new TidemarkError('invalid', 'a memory cannot replace itself');
  if (successor.project !== old.project)
    throw new TidemarkError('invalid', 'a memory is replaced by one of the same project');
  const supersedes = [...new Set([...(successor.entry.supersedes ?? []), old.entry.id])];
  await push(work, holder, old.project, [
    put({ ...old.entry, state: 'superseded', supersededBy: successor.entry.id }, old.entry.version, now),
    put({ ...successor.entry, supersedes }, successor.entry.version, now),
  ]);
  return present(work, target.id);
}

/** Forgets a memory for the whole team. It cannot be undone: other machines erase it with their next exchange. */
export async function forget(work: Work, holder: KeyHolder, target: Target, now: Date): Promise<Forgotten> {
  const { entry, project } = await locked(work, target);
  const { id, provenance, version } = entry;
  const tombstone = { id, turn: provenance.turn, hash: textHash(entry), version: next(version, now) };
  await push(work, holder, project, [{ op: 'tombstone', ...tombstone }]);
  await recordAudit(work, {
    action: 'memory.forget',
    object: project,
    key: holder.key.id,
    detail: { ids: [id] },
  });
  return { id, undoUntil: null };
}

export async function present(work: Work, id: string): Promise<Changed> {
  const memory = memoryOf(await memoryById(work, id));
  return { memory, revision: revisionOf(memory) };
}

/** Returns the current memory, locked until the end of the transaction. Throws `conflict` for an old revision. */
async function locked(work: Work, { id, revision }: Target): Promise<SharedMemory> {
  await lockForWriting(work, (await memoryById(work, id)).project);
  const shared = await memoryById(work, id);
  if (revision === undefined || revisionOf(memoryOf(shared)) === revision) return shared;
  throw new TidemarkError('conflict', `${id} has changed in the meantime`, {
    hint: 'Read the current text, then change it again.',
  });
}

function put(entry: WireEntry, before: Version, now: Date): Change {
  return { op: 'put', entry: checked(WireEntry, { ...entry, version: next(before, now) }) };
}

function next(version: Version, now: Date): Version {
  return nextVersion({ version }, undefined, { machine: MACHINE, now: () => now });
}

async function push(
  work: Work,
  { key }: KeyHolder,
  project: string,
  changes: readonly Change[],
): Promise<void> {
  const { results } = await pushChanges(work, project, {
    changes,
    idempotencyKey: `${MACHINE} ${key.id} ${randomUUID()}`,
  });
  if (results.every(({ outcome }) => outcome === 'stored')) return;
  const refused = results.find(({ outcome }) => outcome === 'refused');
  if (refused) throw new TidemarkError('conflict', refused.reason ?? 'the server refused the change');
  throw new TidemarkError('conflict', 'a later text is already stored');
}
