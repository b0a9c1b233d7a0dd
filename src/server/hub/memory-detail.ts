/** One shared memory with what the server knows about it: author, replacement chain, replaced texts. Only reads. */
import { given, revisionOf, type Memory } from '../../core/index.ts';
import type { MemoryAction, MemoryDetail, MemoryRef, ReplacedText } from '../../http/index.ts';
import { entryCost } from '../../recall/index.ts';
import { scopesOfRole } from '../access/index.ts';
import {
  browse,
  chainAround,
  memberNames,
  memoryById,
  projectById,
  revisionsOf,
  type KeyHolder,
  type SharedMemory,
  type Work,
} from '../store/index.ts';

/** A longer chain is a mistake (two memories that replace each other), not a history. */
const LONGEST_CHAIN = 50;
const ACTIONS: readonly MemoryAction[] = ['edit', 'settle', 'supersede', 'forget'];

export async function memoryDetail(work: Work, holder: KeyHolder, id: string): Promise<MemoryDetail> {
  const shared = await memoryById(work, id);
  const { entry, author, project: projectId } = shared;
  const memory = memoryOf(shared);
  const project = await projectById(work, projectId);
  const chain = await chainAround(work, projectId, entry.id, LONGEST_CHAIN);
  const neighbour = async (order: 'newest' | 'oldest') => {
    const [one] = await browse(work, { project: projectId }, { limit: 1, after: entry, order });
    return one ? refOf(one) : null;
  };
  return {
    memory,
    revision: revisionOf(memory),
    projectName: project.name,
    tokens: entryCost(memory),
    session: null,
    hasTranscript: false,
    neighbours: { before: await neighbour('newest'), after: await neighbour('oldest') },
    chain: chain.map(refOf),
    resolvedBy: await resolver(work, shared),
    merged: [],
    files: entry.files.map((path) => ({ path, state: 'unknown' })),
    branch: 'unknown',
    recalls: [],
    recalledTimes: 0,
    actions: project.access === 'write' && mayWrite(holder) ? ACTIONS : [],
    origin: { author: author.name, machine: entry.machine },
    gaveWay: await replacedTexts(work, shared),
  };
}

/** Returns a shared entry as the page shows a memory: with its author's name. */
export function memoryOf({ project, entry, author }: SharedMemory): Memory {
  const { machine: _machine, version: _version, ...rest } = entry;
  return { ...rest, project, ...(author.name === '' ? {} : { author: author.name }) };
}

/** Whether role and key allow any change. */
export function mayWrite({ key, member }: KeyHolder): boolean {
  return key.scopes.includes('write') && scopesOfRole(member.role).includes('write');
}

function refOf({ entry: { id, kind, title, state, at } }: SharedMemory): MemoryRef {
  return { id, kind, title, state, at };
}

async function resolver(work: Work, { entry, project }: SharedMemory) {
  if (entry.resolvedBy === undefined) return null;
  const found = await memoryById(work, entry.resolvedBy).catch(() => undefined); // forgotten, or not shared
  return found?.project === project ? refOf(found) : null;
}

async function replacedTexts(work: Work, { entry, project }: SharedMemory): Promise<readonly ReplacedText[]> {
  const revisions = await revisionsOf(work, project, entry.id);
  if (revisions.length === 0) return [];
  const names = await memberNames(work, [...new Set(revisions.map(({ author }) => author))]);
  return revisions.map(({ entry: lost, author, keptAt }) => ({
    title: lost.title,
    body: lost.body,
    ...given({ reason: lost.reason }),
    author: names.get(author) ?? '',
    machine: lost.version.machine,
    at: keptAt,
  }));
}
