/**
 * Takes what was forgotten out of copies of the stores: snapshots, and what is being restored from one. The text goes, the
 * rest stays as it was.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import type { Places } from '../core/index.ts';
import { JOURNAL_BYTES, readText, writeAtomically } from '../files/index.ts';
import { Journal } from '../storage/journal/index.ts';
import { type LedgerRecord, Ledger } from '../storage/ledger/index.ts';
import {
  snapshotLock,
  backupFolder,
  Snapshots,
  type KeptFile,
  type Manifest,
} from '../storage/snapshots/index.ts';
import { TurnStore } from '../storage/turns/index.ts';

export interface Gone {
  readonly memories: readonly string[];
  readonly turns: readonly string[];
  /** Those whose summaries may tell of it. */
  readonly sessions: readonly string[];
}

/** What the ledger holds of the text: replies of a model, what was merged or waited, what events said. */
export function speaksOf(gone: Gone): (record: LedgerRecord) => boolean {
  const [memories, turns, sessions] = [
    new Set(gone.memories),
    new Set(gone.turns),
    new Set(gone.sessions),
  ] as const;
  return (record) => {
    switch (record.kind) {
      case 'merged':
      case 'waiting':
        return memories.has(record.memory.id);
      case 'conflict':
        return memories.has(record.memory);
      case 'reply':
        return record.turn === undefined ? sessions.has(record.session ?? '') : turns.has(record.turn);
      case 'prompt':
        return sessions.has(record.session);
      case 'footing':
        return turns.has(record.turn);
      default:
        return false;
    }
  };
}

/** Out of a folder that holds `journal`, `ledger` and `turns` and that nobody else uses. */
export async function eraseFromFolder(folder: string, gone: Gone): Promise<void> {
  const journal = new Journal(join(folder, 'journal'));
  await journal.remove(gone.memories);
  for (const session of new Set(gone.sessions)) await journal.dropSession(session);
  await journal.close();
  await erasePages(join(folder, 'journal'), gone.memories);

  const ledger = await Ledger.open(join(folder, 'ledger'));
  await ledger.erase(speaksOf(gone));
  await ledger.close();

  const root = join(folder, 'turns');
  const turns = await TurnStore.open(root);
  for (const project of await readdir(root)) await turns.erase(project, gone.turns);
  await turns.close();
}

/** Out of every snapshot in the folder the settings name, and in the usual one. */
export async function eraseFromSnapshots(places: Places, gone: Gone): Promise<void> {
  if (gone.memories.length === 0) return;
  // Copies of damaged files may contain the forgotten text.
  await rm(places.spoilt, { recursive: true, force: true });
  const { values } = loadConfig({ places, env: process.env });
  await snapshotLock.run(async () => {
    for (const folder of new Set([places.backups, backupFolder(places, values)]))
      if (existsSync(folder)) await eraseFromEach(places, new Snapshots(folder), gone);
  });
}

async function eraseFromEach(places: Places, snapshots: Snapshots, gone: Gone): Promise<void> {
  for (const name of await snapshots.names()) {
    const manifest = await snapshots.read(name);
    const told = await filesThatTell(snapshots, manifest, gone);
    if (told.length > 0)
      await snapshots.write(name, await withoutGone(places, snapshots, manifest, told, gone));
  }
  await snapshots.tidy();
}

/** Turns are packed: each file of them may hold one. */
async function filesThatTell(
  snapshots: Snapshots,
  { files }: Manifest,
  { memories, turns, sessions }: Gone,
): Promise<readonly KeptFile[]> {
  const words = [...memories, ...turns, ...sessions];
  const told: KeptFile[] = [];
  for (const file of files) {
    if (file.path === 'config.json') continue;
    const text = file.path.startsWith('turns/') ? '' : (await snapshots.content(file)).toString('utf8');
    if (text === '' || words.some((word) => text.includes(word))) told.push(file);
  }
  return told;
}

async function withoutGone(
  places: Places,
  snapshots: Snapshots,
  manifest: Manifest,
  told: readonly KeptFile[],
  gone: Gone,
): Promise<Manifest> {
  const folder = await mkdtemp(join(places.run, 'erasing-'));
  try {
    await snapshots.extract(told, folder);
    await eraseFromFolder(folder, gone);
    const files: KeptFile[] = [];
    for (const file of manifest.files) {
      const kept = told.includes(file) ? await snapshots.keep(folder, file.path) : file;
      if (kept) files.push(kept);
    }
    return { ...manifest, files };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A page's lines end in the id of what they tell. */
async function erasePages(journal: string, memories: readonly string[]): Promise<void> {
  for (const project of await readdir(journal).catch(() => [])) {
    const path = join(journal, project, 'MEMORY.md');
    if (!existsSync(path)) continue;
    const lines = (await readText(path, JOURNAL_BYTES)).split('\n');
    const left = lines.filter((line) => !memories.some((id) => line.includes(id)));
    if (left.length < lines.length) await writeAtomically(path, left.join('\n'));
  }
}
