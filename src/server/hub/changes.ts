/**
 * What a member does to a shared memory from the hub. Each is a change like those machines send: versioned, redacted,
 * numbered, so that every machine of the team gets it and the text that gives way is kept.
 */
import { randomUUID } from 'node:crypto';
import { revisionOf, TidemarkError } from '../../core/index.ts';
import { nextVersion, WireEntry, type Change, type Version } from '../../exchange/sync/index.ts';
import { checked, type Changed, type EditRequest, type Forgotten } from '../../http/index.ts';
import { textHash } from '../../memory/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import {
  lockTeam,
  memoryById,
  pushChanges,
  recordAudit,
  type KeyHolder,
  type SharedMemory,
  type Work,
} from '../store/index.ts';
import { memoryOf } from './_memory.ts';

/** What the hub is called among the machines of a team. */
const MACHINE = 'team-hub';

interface Wanted {
  readonly id: string;
  readonly revision?: string;
}

export async function edit(
  work: Work,
  holder: KeyHolder,
  { patch, ...wanted }: Wanted & EditRequest,
  now: Date,
): Promise<Changed> {
  const { entry, project } = await standing(work, wanted);
  const { reason, ...clean } = redactDeep(patch).value;
  const { reason: before, ...rest } = entry;
  const why = reason ?? before;
  const changed = { ...rest, ...clean, ...(why ? { reason: why } : {}) };
  await push(work, holder, project, [put(changed, entry.version, now)]);
  return present(work, wanted.id);
}

/** Closes an issue, or opens it again; what is no issue and was superseded stands again. */
export async function settle(
  work: Work,
  holder: KeyHolder,
  { done, ...wanted }: Wanted & { readonly done: boolean },
  now: Date,
): Promise<Changed> {
  const { entry, project } = await standing(work, wanted);
  if (done && entry.kind !== 'issue')
    throw new TidemarkError('invalid', `${entry.id} is a ${entry.kind}: only an issue can be resolved`);
  const open = entry.kind === 'issue' ? ('open' as const) : ('current' as const);
  const { supersededBy: _, resolvedBy: __, ...rest } = entry;
  const changed = { ...rest, state: done ? ('resolved' as const) : open };
  await push(work, holder, project, [put(changed, entry.version, now)]);
  return present(work, wanted.id);
}

/** The other one holds, and each says which the other is. */
export async function supersede(
  work: Work,
  holder: KeyHolder,
  { by, ...wanted }: Wanted & { readonly by: string },
  now: Date,
): Promise<Changed> {
  const old = await standing(work, wanted);
  const heir = await memoryById(work, by);
  if (heir.entry.id === old.entry.id) throw new TidemarkError('invalid', 'a memory cannot replace itself');
  if (heir.project !== old.project)
    throw new TidemarkError('invalid', 'a memory is replaced by one of the same project');
  const supersedes = [...new Set([...(heir.entry.supersedes ?? []), old.entry.id])];
  await push(work, holder, old.project, [
    put({ ...old.entry, state: 'superseded', supersededBy: heir.entry.id }, old.entry.version, now),
    put({ ...heir.entry, supersedes }, heir.entry.version, now),
  ]);
  return present(work, wanted.id);
}

/** For everyone and for good: a team has no day to think it over, other machines drop it with their next exchange. */
export async function forget(work: Work, holder: KeyHolder, wanted: Wanted, now: Date): Promise<Forgotten> {
  const { entry, project } = await standing(work, wanted);
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

/** As it stands now, and nobody changes it until this is done. */
async function standing(work: Work, { id, revision }: Wanted): Promise<SharedMemory> {
  await lockTeam(work);
  const shared = await memoryById(work, id);
  if (revision === undefined || revisionOf(memoryOf(shared)) === revision) return shared;
  throw new TidemarkError('conflict', `${id} has changed meanwhile`, {
    hint: 'Look at it as it is now, then change it again.',
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
  throw new TidemarkError('conflict', 'a later text of it holds already');
}
