/**
 * Restores a snapshot. It is staged beside the stores first, without what was forgotten since. Only a complete one
 * replaces them; after a crash the next start finishes the replacement.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Places } from '../../core/index.ts';
import { readText, STATE_BYTES, makeFolder, syncFolder, writeAtomically } from '../../files/index.ts';
import { eraseFromFolder } from '../../memory/index.ts';
import { Ledger, type LedgerRecord } from '../../storage/ledger/index.ts';
import { Snapshots, type Snapshot } from '../../storage/snapshots/index.ts';
import { TurnStore } from '../../storage/turns/index.ts';

const STORES = ['journal', 'ledger', 'turns'] as const;

type Tombstone = Extract<LedgerRecord, { kind: 'tombstone' }>;

/** Stages a snapshot and marks it as ready. From then on the stores are stale. */
export async function stageRestore(
  places: Places,
  from: string,
  name: string,
  tombstones: readonly Tombstone[],
): Promise<Snapshot> {
  const snapshots = new Snapshots(from);
  const snapshot = await snapshots.verify(name);
  const { files } = await snapshots.read(name);
  const { restoring } = places;
  await rm(restoring, { recursive: true, force: true });
  for (const store of STORES) await makeFolder(join(restoring, store));
  await snapshots.extract(files, restoring);
  await forgetAgain(restoring, tombstones);
  await writeAtomically(readyFile(places), JSON.stringify({ at: snapshot.at }));
  return snapshot;
}

/** Whether a staged snapshot is about to replace the stores. Cheap. */
export function isRestorePending(places: Places): boolean {
  return existsSync(readyFile(places));
}

/** Replaces the stores with the staged snapshot and returns its time. May be repeated after a crash. */
export async function finishRestore(places: Places): Promise<string | undefined> {
  if (!isRestorePending(places)) return undefined;
  const { at } = JSON.parse(await readText(readyFile(places), STATE_BYTES)) as { at: string }; // written above
  for (const store of STORES) {
    const staged = join(places.restoring, store);
    if (!existsSync(staged)) continue; // replaced before a crash
    if (store === 'journal') await keepHidden(places.journal, staged);
    await rm(places[store], { recursive: true, force: true });
    await mkdir(places.home, { recursive: true });
    await rename(staged, places[store]);
  }
  const config = join(places.restoring, 'config.json');
  if (existsSync(config) && !existsSync(places.config)) await rename(config, places.config);
  await syncFolder(places.home);
  await rm(places.restoring, { recursive: true, force: true });
  return at;
}

/** Keeps hidden folders of the journal, such as a repository's: they are not part of a snapshot. */
async function keepHidden(from: string, to: string): Promise<void> {
  for (const name of await readdir(from).catch(() => []))
    if (name.startsWith('.') && !existsSync(join(to, name))) await rename(join(from, name), join(to, name));
}

/** Erases what was forgotten after the snapshot was taken. */
async function forgetAgain(folder: string, tombstones: readonly Tombstone[]): Promise<void> {
  const inForce = tombstones.filter(({ state }) => state !== 'lifted');
  if (inForce.length === 0) return;
  const turns = new Set(inForce.map(({ turn }) => turn));
  const sessions = new Set<string>();
  const store = await TurnStore.open(join(folder, 'turns'));
  for await (const { turn } of store.scan()) if (turns.has(turn.id)) sessions.add(turn.session);
  await store.close();
  await eraseFromFolder(folder, {
    memories: inForce.map(({ memory }) => memory),
    turns: [...turns],
    sessions: [...sessions],
  });
  const ledger = await Ledger.open(join(folder, 'ledger'));
  // `erased`, because nothing is left that an undo could restore.
  await ledger.append(inForce.map((tombstone) => ({ ...tombstone, state: 'erased' as const })));
  await ledger.close();
}

function readyFile(places: Places): string {
  return join(places.restoring, 'ready');
}
