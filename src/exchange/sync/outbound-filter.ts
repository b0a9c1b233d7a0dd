/**
 * The outbound filter: the only place where a memory becomes something that may leave the machine. Refuses personal
 * memories, redacts secrets once more and removes paths of the machine. Pure.
 */
import {
  given,
  contentHash,
  LONGEST_TITLE,
  PERSONAL_PROJECT,
  TidemarkError,
  type Memory,
  type Project,
} from '../../core/index.ts';
import { maskPath, redact, redactDeep } from '../../privacy/index.ts';
import { LONGEST_NAME, LONGEST_TEXT, MOST_ITEMS, type Version, type WireEntry } from './wire.ts';

/** Keys that mean the same on every machine; the others are paths of this one. */
const SHARED_KEY = /^(?:remote|root):/;
/** A path outside of the project. */
const FOREIGN_FILE = /^(?:[/\\~]|file:|%(?:25)*(?:2f|5c)|[A-Za-z](?::|%3a)(?:[\\/%])|\.\.[\\/%])/i;

/** An entry without the fields that only the exchange needs. */
export type Content = Omit<WireEntry, 'machine' | 'version'>;

export interface MachinePaths {
  readonly userHome: string;
  /** Folders the project was seen in. */
  readonly project: readonly string[];
}

export interface Filtered {
  readonly content: Content;
  /** Of the content: the same on every machine that has the same text. */
  readonly hash: string;
  /** Number of secrets redacted here, by type. */
  readonly redactions: Readonly<Record<string, number>>;
  /** Whether paths of the machine were removed or a field was cut. */
  readonly changed: boolean;
}

/** Throws for the personal project, which is never shared. */
export function refusePersonal(project: string): void {
  if (project !== PERSONAL_PROJECT) return;
  throw new TidemarkError('team.personal', 'personal memories are never shared', {
    hint: 'Move a memory into a project with the hub to share it with that project.',
  });
}

export function filterOutbound(memory: Memory, paths: MachinePaths): Filtered {
  refusePersonal(memory.project);
  const { value, counts } = redactDeep(contentOf(memory));
  const content = withoutPaths(value, paths);
  const redactions = counts as Readonly<Record<string, number>>;
  return {
    content,
    hash: contentHash(JSON.stringify(content)),
    redactions,
    changed: JSON.stringify(content) !== JSON.stringify(value),
  };
}

/** Cached, because redacting ten thousand unchanged entries for every exchange costs too much. */
const hashes = new Map<string, { readonly of: string; readonly hash: string }>();
const MOST_HASHES = 200_000;

/** Returns the hash that `filterOutbound` would return, from a cache while the memory is unchanged. */
export function hashOutbound(memory: Memory, paths: MachinePaths): string {
  refusePersonal(memory.project);
  const of = contentHash(JSON.stringify([contentOf(memory), paths]));
  const known = hashes.get(memory.id);
  if (known?.of === of) return known.hash;
  if (hashes.size >= MOST_HASHES) hashes.clear();
  const { hash } = filterOutbound(memory, paths);
  hashes.set(memory.id, { of, hash });
  return hash;
}

/** Returns name and keys of a project as the team sees them. */
export function filterProject({ id, name, keys }: Project): { name: string; keys: string[] } {
  refusePersonal(id);
  const shared = keys.filter((key) => SHARED_KEY.test(key)).map((key) => redact(key).text);
  return { name: redact(name).text.slice(0, LONGEST_NAME) || 'project', keys: shared.slice(0, MOST_ITEMS) };
}

/** Turns an entry of the team into a memory of this machine's project, redacted once more. */
export function fromWire(entry: WireEntry, project: string, author: string | undefined): Memory {
  const { machine: _, version: __, ...content } = redactDeep(entry).value;
  return { ...content, project, ...given({ author }) };
}

export function toWire(content: Content, machine: string, version: Version): WireEntry {
  return { ...content, machine, version };
}

/** Fields in a fixed order, empty ones left out, so the same entry gives the same text on every machine. */
function contentOf(memory: Memory): Content {
  const { provenance: from } = memory;
  return {
    id: memory.id,
    kind: memory.kind,
    title: memory.title,
    body: memory.body,
    ...(memory.reason ? { reason: memory.reason } : {}),
    facts: memory.facts,
    concepts: memory.concepts,
    files: memory.files,
    state: memory.state,
    at: memory.at,
    ...(memory.branch ? { branch: memory.branch } : {}),
    ...(memory.supersedes?.length ? { supersedes: memory.supersedes } : {}),
    ...(memory.supersededBy ? { supersededBy: memory.supersededBy } : {}),
    ...(memory.resolvedBy ? { resolvedBy: memory.resolvedBy } : {}),
    ...(memory.evidence ? { evidence: memory.evidence } : {}),
    ...(memory.seen ? { seen: memory.seen } : {}),
    provenance: {
      agent: from.agent,
      session: from.session,
      turn: from.turn,
      messages: from.messages,
      by: from.by,
    },
  };
}

function withoutPaths(content: Content, { userHome, project }: MachinePaths): Content {
  const folders = project.toSorted((a, b) => b.length - a.length);
  const clean = (text: string): string => {
    const inProject = folders.reduce((out, folder) => maskPath(out, folder, '.'), text);
    return maskPath(inProject, userHome, '~');
  };
  const name = (text: string): string => clean(text).slice(0, LONGEST_NAME);
  const long = (text: string): string => clean(text).slice(0, LONGEST_TEXT);
  const { reason, branch, provenance, ...rest } = content;
  return {
    ...rest,
    title: clean(content.title).slice(0, LONGEST_TITLE),
    body: long(content.body),
    ...(reason ? { reason: long(reason) } : {}),
    facts: content.facts.slice(0, MOST_ITEMS).map(long),
    concepts: content.concepts.slice(0, MOST_ITEMS).map(name),
    files: content.files
      .map(name)
      .filter((file) => !FOREIGN_FILE.test(file))
      .slice(0, MOST_ITEMS),
    ...(branch ? { branch: name(branch) } : {}),
    ...(content.supersedes ? { supersedes: content.supersedes.slice(0, MOST_ITEMS) } : {}),
    provenance: {
      agent: name(provenance.agent),
      session: name(provenance.session),
      turn: name(provenance.turn),
      messages: provenance.messages.slice(0, MOST_ITEMS).map(name),
      by: name(provenance.by),
    },
  };
}
