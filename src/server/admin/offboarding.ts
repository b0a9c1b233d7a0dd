/**
 * A member leaves: what they have, who takes over their projects, a copy of their memories, and their erasure. Removing is
 * one transaction; erasing is repeated in batches and continues after a crash with the same command.
 */
import { given, TidemarkError } from '../../core/index.ts';
import { EXPORT_FORMAT, writeRecord, type ExportRecord } from '../../exchange/export/index.ts';
import type { TeamKey, TeamMember } from '../../exchange/sync/index.ts';
import {
  eraseBatch,
  handOver,
  holdingsOf,
  listKeys,
  memberById,
  memoriesOfMember,
  projectOfTeam,
  removeMember,
  removeSharesOf,
  type Erased,
  type Holdings,
  type RecordAction,
  type Work,
} from '../store/index.ts';

export interface Leaving extends Holdings {
  readonly member: TeamMember;
  /** Keys that still work. */
  readonly keys: readonly TeamKey[];
}

export interface Left {
  readonly member: TeamMember;
  /** Ids of the projects that another member got. */
  readonly handedOver: readonly string[];
}

/** How many were forgotten. `isDone`: nothing of the member is left. */
export interface Erasing extends Erased {
  readonly isDone: boolean;
}

/** One page of an export. `next` is passed back for the next one; absent on the last page. */
export interface MemberExport {
  readonly lines: string;
  readonly memories: number;
  readonly next?: { readonly project: string; readonly after: string };
}

/** Entries per transaction: as many as one push may have, so that no other writer waits longer than for a push. */
const BATCH = 500;

export async function leavingMember(work: Work, member: TeamMember): Promise<Leaving> {
  const now = new Date().toISOString();
  const keys = (await listKeys(work)).filter(
    ({ member: of, revokedAt, expiresAt }) =>
      of === member.id && revokedAt === undefined && (expiresAt === undefined || expiresAt > now),
  );
  return { member, keys, ...(await holdingsOf(work, member.id)) };
}

/** Removes the member with keys and shares. Changes nothing for a member who was removed before. */
export async function offboard(
  work: Work,
  id: string,
  { handOver: to }: { readonly handOver?: string | undefined },
  record: RecordAction,
): Promise<Left> {
  const member = await memberById(work, id);
  if (!member) throw new TidemarkError('not-found', 'no such member');
  if (to !== undefined) await requireHeir(work, id, to);
  const holdings = await holdingsOf(work, id);
  const handedOver = to === undefined ? [] : await handOver(work, id, holdings, to);
  if (to !== undefined && handedOver.length > 0)
    await record('member.hand-over', id, { to, projects: handedOver });
  if (member.removedAt !== undefined) return { member, handedOver };
  // Recorded first: an operator acts as an owner, who may be the one that leaves.
  await record('member.remove', id);
  await removeSharesOf(work, id);
  await removeMember(work, id);
  return { member, handedOver };
}

/** Forgets the next batch of a removed member's memories, in the first project that has some. */
export async function eraseNext(work: Work, id: string, record: RecordAction): Promise<Erasing> {
  const member = await memberById(work, id);
  if (!member) throw new TidemarkError('not-found', 'no such member');
  if (member.removedAt === undefined)
    throw new TidemarkError('invalid', `${member.name} is still in the team`, {
      hint: 'Remove the member first, so that their machines send nothing new.',
    });
  const { projects } = await holdingsOf(work, id);
  for (const project of projects) {
    if (project.memories + project.revisions + project.messages === 0) continue;
    const erased = await eraseBatch(work, project.id, id, BATCH);
    if (erased.memories + erased.revisions + erased.messages === 0) continue;
    await record('member.erase', id, { project: project.id, ...erased });
    return { ...erased, isDone: false };
  }
  return { memories: 0, revisions: 0, messages: 0, isDone: true };
}

/** Returns the next memories of a member as records of Tidemark's own export, which `tidemark import` reads. */
export async function exportPage(
  work: Work,
  member: TeamMember,
  from: MemberExport['next'],
  record: RecordAction,
): Promise<MemberExport> {
  const { projects } = await holdingsOf(work, member.id);
  const wanted = projects
    .filter(({ memories }) => memories > 0)
    .map(({ id }) => id)
    .toSorted()
    .filter((id) => from === undefined || id >= from.project);
  const [project] = wanted;
  const head: readonly ExportRecord[] =
    from === undefined ? [{ record: 'tidemark-export', format: EXPORT_FORMAT }] : [];
  if (from === undefined) await record('member.export', member.id, { projects: wanted.length });
  if (project === undefined) return { lines: head.map(writeRecord).join(''), memories: 0 };
  const after = from?.project === project ? from.after : '';
  const entries = await memoriesOfMember(work, project, member.id, { after, limit: BATCH });
  const known = await projectOfTeam(work, project);
  const records: readonly ExportRecord[] = [
    ...head,
    ...(after === '' && known
      ? [{ record: 'project' as const, id: project, name: known.name, keys: known.keys }]
      : []),
    ...entries.map(({ machine: _machine, version: _version, ...entry }) => ({
      record: 'memory' as const,
      memory: { ...entry, project, author: member.name },
    })),
  ];
  const last = entries.at(-1)?.id;
  const isWhole = entries.length < BATCH;
  const following = wanted[1];
  const next = !isWhole && last !== undefined ? { project, after: last } : undefined;
  const other = isWhole && following !== undefined ? { project: following, after: '' } : undefined;
  return {
    lines: records.map(writeRecord).join(''),
    memories: entries.length,
    ...given({ next: next ?? other }),
  };
}

async function requireHeir(work: Work, leaving: string, to: string): Promise<void> {
  const heir = await memberById(work, to);
  if (!heir || heir.removedAt !== undefined)
    throw new TidemarkError('not-found', 'no such member to hand over to');
  if (heir.id === leaving)
    throw new TidemarkError('invalid', 'a member cannot take over from themselves', {
      hint: 'Name another member.',
    });
  if (heir.role === 'reader')
    throw new TidemarkError('invalid', `${heir.name} is a reader and cannot own projects`, {
      hint: `Make them a member first: tidemark server member role ${heir.id} member`,
    });
}
