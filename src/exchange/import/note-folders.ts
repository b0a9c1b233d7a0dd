/**
 * Folders of Markdown notes that are searched in place: Obsidian, a wiki, a folder of decisions. They are read again when
 * they change, never written and never copied into the journal. Their text is quoted: it is found, not injected.
 */
import { existsSync, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import {
  applySource,
  EVERYWHERE,
  lookUpProject,
  projectOfFolder,
  sourcesIn,
  type SourceRecord,
} from '../../capture/index.ts';
import { TidemarkError, type Places, type Project } from '../../core/index.ts';
import { personalProject, type Stores } from '../../memory/index.ts';
import { noteDrafts } from './_note-chunks.ts';
import { notesBelow } from './_note-files.ts';
import { readText } from './_safe-read.ts';
import { refreshSources, removeSource } from './sources.ts';

export interface NoteFolder {
  readonly folder: string;
  readonly project: string;
  /** The name of the project. */
  readonly name: string;
  readonly files: number;
}

export interface NotesReport extends NoteFolder {
  /** Parts of the notes that can be found now. */
  readonly parts: number;
  /** Parts that were not known before. */
  readonly added: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** There are more files than are read. */
  readonly isCut: boolean;
}

export interface NotesAsked {
  readonly folder: string;
  /** A folder of the project in which the notes are found. Without it they are found in every project. */
  readonly dir?: string;
  readonly dryRun: boolean;
}

/** Adds a folder, or reads it again. */
export async function addNotes(
  stores: Stores,
  places: Pick<Places, 'home'>,
  { folder, dir, dryRun }: NotesAsked,
): Promise<NotesReport> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new TidemarkError('not-found', `${folder} is not a folder`);
  if (isWithin(folder, places.home))
    throw new TidemarkError('usage', 'this folder belongs to Tidemark, and its journal is searched anyway');
  const { files, isCut } = notesBelow(folder);
  const read = files.map((path) => ({ path, file: readText(path, folder) }));
  const skipped = read.flatMap(({ path, file }) =>
    file.ok ? [] : [{ path: relative(folder, path), reason: file.reason }],
  );
  const parts = read.reduce(
    (sum, { path, file }) => sum + (file.ok ? noteDrafts(relative(folder, path), file.text).length : 0),
    0,
  );
  const { id: project, name } = await projectFor(stores, dir, dryRun);
  const report = { folder, project, name, files: files.length, parts, skipped, isCut };
  if (dryRun) return { ...report, added: 0 };
  const known = sourcesIn(stores).find(({ path }) => path === folder);
  if (known?.project !== project) {
    if (known) removeSource(stores, known);
    const record: SourceRecord = {
      kind: 'source',
      at: new Date().toISOString(),
      path: folder,
      project,
      isFolder: true,
    };
    await stores.ledger.append([record]);
    applySource(stores.index, record);
  }
  return { ...report, added: refreshSources(stores, folder) };
}

async function projectFor(stores: Stores, dir: string | undefined, dryRun: boolean): Promise<Project> {
  const at = new Date().toISOString();
  if (dir === undefined) return personalProject(stores, at);
  const found = await (dryRun
    ? lookUpProject(stores, dir, EVERYWHERE)
    : projectOfFolder(stores, dir, at, EVERYWHERE));
  return found.project;
}

/** Forgets the folder; its files stay. Returns undefined if it was not added. */
export async function removeNotes(stores: Stores, folder: string): Promise<NoteFolder | undefined> {
  const known = sourcesIn(stores).find(({ path, isFolder }) => path === folder && isFolder);
  if (!known) return undefined;
  removeSource(stores, known);
  const { path, project, files = {} } = known;
  const record: SourceRecord = {
    kind: 'source',
    at: new Date().toISOString(),
    path,
    project,
    isFolder: true,
    isRemoved: true,
  };
  await stores.ledger.append([record]);
  applySource(stores.index, record);
  return { folder: path, project, name: nameOf(stores, project), files: Object.keys(files).length };
}

export function listNotes(stores: Pick<Stores, 'index'>): readonly NoteFolder[] {
  return sourcesIn(stores)
    .filter(({ isFolder }) => isFolder)
    .map(({ path: folder, project, files = {} }) => ({
      folder,
      project,
      name: nameOf(stores, project),
      files: Object.keys(files).length,
    }));
}

function nameOf({ index }: Pick<Stores, 'index'>, project: string): string {
  return index.project(project)?.name ?? project;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return existsSync(folder) && (way === '' || (way !== '..' && !way.startsWith(`..${sep}`)));
}
