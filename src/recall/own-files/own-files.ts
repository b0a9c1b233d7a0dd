/**
 * Reads the files that agents load themselves (CLAUDE.md, AGENTS.md, Claude Code's memory) whenever they are asked for,
 * and keeps their redacted sections in memory until the file changes. Stores nothing, and reads only regular files up to a
 * size and a number. A file of a project that is a link out of the project is not read.
 */
import { realpathSync, statSync, type Stats } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import {
  loadedFiles,
  ownFilesOfProject,
  ownFilesOfUser,
  type OwnFile,
  type OwnFileWriter,
} from '../../agents/index.ts';
import { contentHash, type Agent, type Evidence } from '../../core/index.ts';
import { readTextSync } from '../../files/index.ts';
import { redact } from '../../privacy/index.ts';
import { indexText } from '../../database/index.ts';
import { frontMatter, plainMarkdown, sectionsOf } from './sections.ts';

/** A longer file is not one that a client loads into every session. */
const FILE_BYTES = 256 * 1024;
/** All files of one question: about a second of redaction if none was read before. */
const ALL_BYTES = 1024 * 1024;
/** Files that are read for one question. */
const MOST_FILES = 400;
/** Projects are looked at up to this number. */
const MOST_ROOTS = 100;
/** Sections of other projects are dropped from memory beyond this. */
const MOST_CACHED = 2 * MOST_FILES;

/** A section of a file, redacted. */
export interface OwnSection {
  /** `file:1a2b3c4d`; the same as long as the file and the heading are. */
  readonly id: string;
  readonly path: string;
  /** `from your CLAUDE.md`, `from the project's AGENTS.md`, `from Claude Code's memory` */
  readonly label: string;
  readonly evidence: Evidence;
  /** The heading; the name of the file before the first one. */
  readonly title: string;
  readonly text: string;
  /** When the file was changed. */
  readonly at: string;
}

interface Cached {
  readonly stamp: string;
  readonly bytes: number;
  readonly sections: readonly IndexedSection[];
}

export interface IndexedSection {
  readonly section: OwnSection;
  /** The tokens of title and text, as the full text stores them. */
  readonly said: string;
}

/** Text of a project comes with the clone, so it is never a rule of the user. */
const EVIDENCE_OF: Readonly<Record<OwnFileWriter, Evidence>> = {
  user: 'said',
  project: 'quoted',
  client: 'claimed',
};

function labelOf({ by, name }: OwnFile): string {
  switch (by) {
    case 'user':
      return `from your ${name}`;
    case 'project':
      return `from the project's ${name}`;
    case 'client':
      return `from ${name}`;
  }
}

const WRITTEN: Readonly<Partial<Record<Evidence, string>>> = {
  quoted: 'quoted: it comes with the project',
  claimed: 'noted by the agent',
};

/** Says who wrote a section. `reader`: who reads this sentence. */
export function writtenBy({ evidence }: OwnSection, reader: 'user' | 'agent'): string {
  return WRITTEN[evidence] ?? `written by ${reader === 'user' ? 'you' : 'the user'}`;
}

const ID = /^file:[0-9a-f]{1,16}$/;

export function isSectionId(id: string): boolean {
  return ID.test(id);
}

export class OwnFiles {
  readonly #env: NodeJS.ProcessEnv;
  readonly #cache = new Map<string, Cached>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** The sections of the user's files and of those of the projects in these folders, as the files are now. */
  sections(roots: readonly string[], without: ReadonlySet<string>): readonly IndexedSection[] {
    const files = [
      ...ownFilesOfUser(this.#env),
      ...roots.slice(0, MOST_ROOTS).flatMap((root) => ownFilesOfProject(this.#env, root)),
    ];
    const found: IndexedSection[] = [];
    let [bytes, count] = [0, 0];
    for (const file of files) {
      const read = without.has(file.path) ? undefined : this.#read(file, ALL_BYTES - bytes);
      if (!read) continue;
      bytes += read.bytes;
      found.push(...read.sections);
      if (++count === MOST_FILES) break;
    }
    // A project may contain a link to a file that is listed already.
    return [...new Map(found.map((one) => [one.section.id, one])).values()];
  }

  /** The lines that an agent loads itself at the start of a session, normalised (`normalLine`). */
  loadedLines(agent: Agent, roots: readonly string[]): ReadonlySet<string> {
    const lines = loadedFiles(agent, this.#env, roots).flatMap((file) => {
      if (!isReadable(file)) return [];
      const all = textOf(file.path)?.split('\n') ?? [];
      return file.lines === undefined ? all : all.slice(0, file.lines);
    });
    return new Set(lines.map(normalLine).filter((line) => line !== ''));
  }

  #read(file: OwnFile, room: number): Cached | undefined {
    const stat = statOf(file.path);
    if (!stat?.isFile() || !isReadable(file)) {
      this.#cache.delete(file.path);
      return undefined;
    }
    if (stat.size > room) return undefined;
    const stamp = [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs, file.by].join(' ');
    const known = this.#cache.get(file.path);
    if (known?.stamp === stamp) return known;
    const text = textOf(file.path);
    if (text === undefined) return undefined;
    const at = stat.mtime.toISOString();
    const read = { stamp, bytes: stat.size, sections: indexedSections(file, redact(text).text, at) };
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(file.path, read);
    return read;
  }
}

/** A line without the marks of a list, punctuation at its end, emphasis and case: equal lines say the same. */
export function normalLine(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/^\s*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s+)?/, '')
    .replaceAll(/[*_`“”"]/g, '')
    .replace(/[\s.!:;,]+$/, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
}

function indexedSections(file: OwnFile, text: string, at: string): readonly IndexedSection[] {
  const { head, body } = frontMatter(text);
  const whole = head['description'] ?? head['name'];
  const parts = whole === undefined ? sectionsOf(body) : [{ title: whole, text: body }];
  const seen = new Map<string, number>();
  return parts.flatMap(({ title, text: said }) => {
    if (said.trim() === '') return [];
    const ordinal = seen.get(title) ?? 0;
    seen.set(title, ordinal + 1);
    const section: OwnSection = {
      id: `file:${contentHash(`${file.path}\n${title}\n${ordinal}`).slice(0, 8)}`,
      path: file.path,
      label: labelOf(file),
      evidence: EVIDENCE_OF[file.by],
      title: title || basename(file.path),
      text: said.trim(),
      at,
    };
    return [{ section, said: [section.title, section.text].map(indexText).join('\n') }];
  });
}

/** Refuses links out of a project: a clone may contain links to any file of the user. */
function isReadable({ path, by, root }: OwnFile): boolean {
  if (by !== 'project' || root === undefined) return true;
  try {
    const way = relative(realpathSync.native(root), realpathSync.native(path));
    return way !== '..' && !way.startsWith(`..${sep}`);
  } catch {
    return false;
  }
}

/** Undefined for a missing file, a loop of links, or a folder that cannot be entered. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined for anything but a regular file of a readable size. */
function textOf(path: string): string | undefined {
  try {
    return plainMarkdown(readTextSync(path, FILE_BYTES));
  } catch {
    return undefined;
  }
}
