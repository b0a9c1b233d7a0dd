/** Erases forgotten text from copies of the stores: snapshots, and a folder that is being restored from one. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import type { Places } from '../core/index.ts';
import { Journal } from '../storage/journal/index.ts';
import { type LedgerRecord, Ledger } from '../storage/ledger/index.ts';
import {
  snapshotLock,
  backupFolder,
  Snapshots,
  type StoredFile,
  type Manifest,
} from '../storage/snapshots/index.ts';
import { TurnStore } from '../storage/turns/index.ts';

export interface Erased {
  readonly memories: readonly string[];
  readonly turns: readonly string[];
  /** Sessions whose summaries may contain the text. */
  readonly sessions: readonly string[];
}

/** Returns a test for ledger records that contain the text: merged and queued memories, summaries, prompts. */
export function recordsOf(erased: Erased): (record: LedgerRecord) => boolean {
  const memories = new Set(erased.memories);
  const turns = new Set(erased.turns);
  const sessions = new Set(erased.sessions);
  return (record) => {
    switch (record.kind) {
      case 'merged':
      case 'waiting':
        return memories.has(record.memory.id);
      case 'changed':
      case 'conflict':
        return memories.has(record.memory);
      case 'summary':
      case 'prompt':
        return sessions.has(record.session);
      case 'footing':
        return turns.has(record.turn);
      default:
        return false;
    }
  };
}

/** Erases from a folder that contains `journal`, `ledger` and `turns` and that no other process uses. */
export async function eraseFromFolder(folder: string, erased: Erased): Promise<void> {
  const journal = new Journal(join(folder, 'journal'));
  await journal.remove(erased.memories);
  for (const session of new Set(erased.sessions)) await journal.dropSession(session);
  await journal.close();

  const ledger = await Ledger.open(join(folder, 'ledger'));
  await ledger.erase(recordsOf(erased));
  await ledger.close();

  const root = join(folder, 'turns');
  const turns = await TurnStore.open(root);
  for (const project of await readdir(root)) await turns.erase(project, erased.turns);
  await turns.close();
}

/** Erases from every snapshot in the configured folder and in the default one. */
export async function eraseFromSnapshots(places: Places, erased: Erased): Promise<void> {
  if (erased.memories.length === 0) return;
  // Copies of damaged files may contain the forgotten text.
  await rm(places.spoilt, { recursive: true, force: true });
  const { values } = loadConfig({ places, env: process.env });
  await snapshotLock.run(async () => {
    for (const folder of new Set([places.backups, backupFolder(places, values)]))
      if (existsSync(folder)) await eraseFromEach(places, new Snapshots(folder), erased);
  });
}

async function eraseFromEach(places: Places, snapshots: Snapshots, erased: Erased): Promise<void> {
  for (const name of await snapshots.names()) {
    const manifest = await snapshots.read(name);
    const affected = await affectedFiles(snapshots, manifest, erased);
    if (affected.length > 0)
      await snapshots.write(name, await withoutText(places, snapshots, manifest, affected, erased));
  }
  await snapshots.tidy();
}

/** Returns the files that may contain the text. Turns are compressed, so every file of turns may. */
async function affectedFiles(
  snapshots: Snapshots,
  { files }: Manifest,
  { memories, turns, sessions }: Erased,
): Promise<readonly StoredFile[]> {
  const words = [...memories, ...turns, ...sessions];
  const affected: StoredFile[] = [];
  for (const file of files) {
    if (file.path === 'config.json') continue;
    const text = file.path.startsWith('turns/') ? '' : (await snapshots.content(file)).toString('utf8');
    if (text === '' || words.some((word) => text.includes(word))) affected.push(file);
  }
  return affected;
}

async function withoutText(
  places: Places,
  snapshots: Snapshots,
  manifest: Manifest,
  affected: readonly StoredFile[],
  erased: Erased,
): Promise<Manifest> {
  const folder = await mkdtemp(join(places.run, 'erasing-'));
  try {
    await snapshots.extract(affected, folder);
    await eraseFromFolder(folder, erased);
    const files: StoredFile[] = [];
    for (const file of manifest.files) {
      const kept = affected.includes(file) ? await snapshots.store(folder, file.path) : file;
      if (kept) files.push(kept);
    }
    return { ...manifest, files };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
