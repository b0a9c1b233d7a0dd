/** Creates a project from evidence, and updates one with new evidence. Pure. */
import { shortHash, type Project } from '../../core/index.ts';
import type { Evidence } from './evidence.ts';

/** Temporary clones add keys; the newest of each kind are enough to recognise a project. */
const MAX_KEYS_OF_KIND = 30;
const MAX_PATHS = 20;
const MAX_SLUG_LENGTH = 40;
const ID_HASH_LENGTH = 6;

/** Strongest first, as the model documents them. */
const KEY_KINDS = ['remote:', 'root:', 'git:', 'path:', 'inode:', 'evermem:'] as const;

export function newProject(
  evidence: Evidence,
  free: (key: string) => boolean,
  taken: readonly string[],
): Project {
  const slug = slugOf(evidence.name);
  const firstKey = evidence.remoteKey ?? evidence.gitKey ?? `path:${evidence.main}`;
  const id = `${slug}-${shortHash(firstKey, ID_HASH_LENGTH)}`;
  // The project that was at this place before has an id from the same key.
  const isTaken = taken.length > 0 && evidence.remoteKey === undefined;
  const otherKey = evidence.inodeKey ?? evidence.rootKey ?? `${firstKey}\n${taken.join('\n')}`;
  return withEvidence(
    {
      id: isTaken ? `${slug}-${shortHash(otherKey, ID_HASH_LENGTH)}` : id,
      name: evidence.name,
      keys: [],
      paths: [],
    },
    evidence,
    free,
  );
}

/** A project that another tool knows only by name, without a folder on this machine. */
export function namedProject(tool: string, name: string): Project {
  const key = `peer:${tool}/${name}`;
  return {
    id: `${slugOf(name)}-${shortHash(key, ID_HASH_LENGTH)}`,
    name: name || tool,
    keys: [key],
    paths: [],
  };
}

/** `free`: no other project has the key. Keys of a place are taken over; a shared first commit or alias is not. */
export function withEvidence(project: Project, evidence: Evidence, free: (key: string) => boolean): Project {
  if (!evidence.exists && project.keys.length > 0) return project;
  const shared = [evidence.rootKey, evidence.sourceKey, evidence.evermemKey]
    .filter((key) => key !== undefined)
    .filter(free);
  const own = evidence.remoteKey === undefined ? [] : [evidence.remoteKey];
  const keys = new Set([...own, ...shared, ...evidence.placeKeys, ...project.keys]);
  return {
    id: project.id,
    name: isNamedBy(project, evidence) ? evidence.name : project.name,
    keys: KEY_KINDS.flatMap((kind) =>
      [...keys].filter((key) => key.startsWith(kind)).slice(0, MAX_KEYS_OF_KIND),
    ),
    paths: [...new Set([evidence.root, ...project.paths])].slice(0, MAX_PATHS),
  };
}

/** The remote's name replaces the folder's, never the other way round. */
function isNamedBy(project: Project, evidence: Evidence): boolean {
  return evidence.remoteKey !== undefined || !project.keys.some((key) => key.startsWith('remote:'));
}

export function withoutKeys(project: Project, lost: readonly string[]): Project {
  return { ...project, keys: project.keys.filter((key) => !lost.includes(key)) };
}

/** Removes accents from Latin letters; letters of other scripts stay. */
function slugOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LATIN[letter] ?? letter)
    .normalize('NFKD')
    .replace(/(?<=[a-z])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-+/, '');
  const slug = [...plain].slice(0, MAX_SLUG_LENGTH).join('').replace(/-+$/, '');
  return slug === '' ? 'project' : slug;
}

/** Latin letters that Unicode does not decompose. */
const LATIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
