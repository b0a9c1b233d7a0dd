/**
 * The wall: the one place where a memory becomes something that may leave the machine. Personal memories never pass;
 * secrets are taken out once more, and so are paths of the machine. Pure.
 */
import {
  given,
  contentHash,
  PERSONAL_PROJECT,
  TidemarkError,
  type Memory,
  type Project,
} from '../../core/index.ts';
import { redact, redactDeep } from '../../privacy/index.ts';
import { LONGEST_NAME, LONGEST_TEXT, MOST_ITEMS, type Version, type WireEntry } from './wire.ts';

/** Keys that mean the same on every machine; the others are paths of this one. */
const SHARED_KEY = /^(?:remote|root):/;
/** What a path looks like that is not within the project. */
const FOREIGN_FILE = /^(?:[/\\~]|[A-Za-z]:[\\/]|\.\.[\\/])/;

/** What is written as it stands in the journal, without what only the exchange knows. */
export type Content = Omit<WireEntry, 'machine' | 'version'>;

export interface MachinePaths {
  readonly userHome: string;
  /** Folders the project was seen in. */
  readonly project: readonly string[];
}

export interface Passed {
  readonly content: Content;
  /** Of the content: the same on every machine that has the same text. */
  readonly hash: string;
  /** How many secrets of each type were taken out here. */
  readonly redactions: Readonly<Record<string, number>>;
  /** Whether paths of the machine were taken out, or something was too long. */
  readonly changed: boolean;
}

/** Throws for what can never be shared, whoever asks and however. */
export function refusePersonal(project: string): void {
  if (project !== PERSONAL_PROJECT) return;
  throw new TidemarkError('team.personal', 'personal memories are never shared', {
    hint: 'What concerns a project can be moved there with the hub, and is shared with that project.',
  });
}

export function filterOutbound(memory: Memory, paths: MachinePaths): Passed {
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

/** Taking secrets out of ten thousand entries that did not change would keep the machine busy for nothing. */
const hashes = new Map<string, { readonly of: string; readonly hash: string }>();
const MOST_HASHES = 200_000;

/** The hash `filterOutbound` gives, remembered as long as the memory stays the same. */
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

/** Name and keys of a project, as the team knows it. */
export function filterProject({ id, name, keys }: Project): { name: string; keys: string[] } {
  refusePersonal(id);
  const shared = keys.filter((key) => SHARED_KEY.test(key)).map((key) => redact(key).text);
  return { name: redact(name).text.slice(0, LONGEST_NAME) || 'project', keys: shared.slice(0, MOST_ITEMS) };
}

/** What came from the team, as a memory of this machine's project. Redacted once more before it is written. */
export function fromWire(entry: WireEntry, project: string, author: string | undefined): Memory {
  const { machine: _, version: __, ...content } = redactDeep(entry).value;
  return { ...content, project, ...given({ author }) };
}

export function toWire(content: Content, machine: string, version: Version): WireEntry {
  return { ...content, machine, version };
}

/** Fields in one order, empty ones left out, so that the same entry gives the same text everywhere. */
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
  const folders = project.filter((path) => path.length > 1).toSorted((a, b) => b.length - a.length);
  const clean = (text: string): string => {
    let out = text;
    for (const folder of folders) {
      out = replacePath(out, `${folder}/`, '');
      out = replacePath(out, folder, '.');
    }
    return userHome.length > 1 ? replacePath(out, userHome, '~') : out;
  };
  const name = (text: string): string => clean(text).slice(0, LONGEST_NAME);
  const long = (text: string): string => clean(text).slice(0, LONGEST_TEXT);
  const { reason, branch, provenance, ...rest } = content;
  return {
    ...rest,
    title: name(content.title),
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

/** The path as a path of its own, not as the beginning of another name. */
function replacePath(text: string, path: string, by: string): string {
  if (!text.includes(path)) return text;
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const ends = path.endsWith('/') ? '' : '(?![\\w.-]*[\\w-])';
  return text.replace(new RegExp(`${escaped}${ends}`, 'g'), by);
}
