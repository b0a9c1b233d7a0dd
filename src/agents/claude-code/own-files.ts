/** The files that Claude Code loads itself: CLAUDE.md, and its auto memory (docs/claude-code.md). Only lists them. */
import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OwnFiles } from '../agent.ts';
import { entriesOf } from '../reading/listing.ts';
import { claudeConfigDir } from './config-folder.ts';
import { clientSettings } from './installer/client-settings.ts';

/** The index of the auto memory; other notes are read by the model when it needs them. */
const INDEX = 'MEMORY.md';
/** Notes beyond this are not listed: a folder may have any number of files. */
const MOST_NOTES = 100;
/** The client loads this much of the index. */
const LOADED_LINES = 200;

export const ownFiles: OwnFiles = {
  ofUser: (env) => [join(claudeConfigDir(env), 'CLAUDE.md')],
  ofProject: ['CLAUDE.md', 'CLAUDE.local.md', join('.claude', 'CLAUDE.md')],
  notes(env, root) {
    const folder = claudeNotesFolder(claudeConfigDir(env), root);
    const names = entriesOf(folder)
      .filter((entry) => !entry.isDirectory() && /\.md$/i.test(entry.name))
      .map(({ name }) => name);
    const first = names.filter((name) => name === INDEX);
    const ordered = [...first, ...names.filter((name) => name !== INDEX)];
    return ordered.slice(0, MOST_NOTES).map((name) => join(folder, name));
  },
  loadedLines: (env, root, note) =>
    basename(note) === INDEX && clientSettings(env, root).autoMemory ? LOADED_LINES : 0,
};

/** The folder of the auto memory of a project. */
export function claudeNotesFolder(configDir: string, root: string): string {
  return join(configDir, 'projects', claudeSlug(root), 'memory');
}

/** The client names a project's folder after its path, with a dash for everything except letters and digits. */
export function claudeSlug(folder: string): string {
  return real(folder).replaceAll(/[^A-Za-z0-9]/g, '-');
}

function real(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder; // it is gone
  }
}
