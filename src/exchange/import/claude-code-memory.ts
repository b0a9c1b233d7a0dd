/**
 * Claude Code's own memory: CLAUDE.md of the user and of projects, and the notes the client keeps. These files are
 * indexed in place; nothing is copied or written back.
 */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { claudeNotesFolder } from '../../agents/index.ts';
import type { MemoryDraft, MemoryKind } from '../../core/index.ts';
import { frontMatter, plainMarkdown, sectionsOf } from '../../recall/index.ts';
import { draftOf } from './_draft.ts';
import { filesIn, readText } from './_safe-read.ts';
import type { PeerFound, PeerItem, PeerProject, PeerReader, Surroundings } from './peer.ts';

const OF_PROJECT = ['CLAUDE.md', 'CLAUDE.local.md', join('.claude', 'CLAUDE.md')];
const NOTE = /\.md$/i;

export const claudeCodeMemory: PeerReader = {
  name: 'claude-code',
  title: "Claude Code's own memory",
  find,
  look: (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    const files = stat?.isDirectory() ? filesOfProject(path) : stat?.isFile() ? [path] : [];
    const [file] = files;
    return file === undefined ? undefined : foundAt(file);
  },
  read,
};

function find({ configDir, folders }: Surroundings): readonly PeerFound[] {
  const notes = folders.flatMap((folder) => filesIn(claudeNotesFolder(configDir, folder), NOTE));
  const files = [join(configDir, 'CLAUDE.md'), ...folders.flatMap(filesOfProject), ...notes];
  return [...new Set(files)].flatMap((file) => foundAt(file) ?? []);
}

function foundAt(path: string): PeerFound | undefined {
  const file = readText(path, dirname(path));
  if (!file.ok) return undefined;
  return { name: 'claude-code', path, counts: { sections: sourceDrafts(path, file.text).length } };
}

/** Yields the file as a source, which the daemon reads again whenever it changes. */
async function* read({ path }: PeerFound): AsyncGenerator<PeerItem> {
  const file = readText(path, dirname(path));
  if (!file.ok) yield { kind: 'problem', file: path, reason: file.reason };
  else yield { kind: 'source', path, place: placeOf(path) };
}

/** Returns one draft per section of a source; a note with front matter is one draft. */
export function sourceDrafts(path: string, text: string): readonly MemoryDraft[] {
  const { head, body } = frontMatter(plainMarkdown(text));
  const kind = kindOf(path, head['type'] ?? head['metadata.type'] ?? '');
  if (head['name'] !== undefined || head['description'] !== undefined) {
    const draft = draftOf({ kind, title: head['description'] ?? head['name'] ?? '', body });
    return draft ? [draft] : [];
  }
  return sectionsOf(body).flatMap(({ title, text: section }) => {
    const name = title || basename(path);
    const draft = section.trim() === '' ? undefined : draftOf({ kind, title: name, body: section });
    return draft ? [draft] : [];
  });
}

/** The folder of CLAUDE.md, or the slug of the project whose notes these are. */
function placeOf(path: string): PeerProject {
  const folder = dirname(path);
  if (basename(folder) === 'memory' && basename(dirname(dirname(folder))) === 'projects')
    return { name: basename(dirname(folder)), slug: basename(dirname(folder)) };
  const dir = basename(folder) === '.claude' ? dirname(folder) : folder;
  return { dir, name: basename(dir) };
}

function kindOf(path: string, type: string): MemoryKind {
  if (type === 'user' || type === 'feedback') return 'preference';
  if (type === 'project' || type === 'reference') return 'discovery';
  return /^CLAUDE\b/i.test(basename(path)) ? 'pattern' : 'discovery';
}

function filesOfProject(folder: string): readonly string[] {
  return OF_PROJECT.map((name) => join(folder, name)).filter(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  );
}
