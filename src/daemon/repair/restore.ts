/**
 * A snapshot back into the stores. It is laid out beside them first, without what was forgotten since; only a whole one
 * takes their place, and a crash in the middle of that is finished at the next start.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError, type Places } from '../../core/index.ts';
import { readText, STATE_BYTES, makeFolder, syncFolder, writeAtomically } from '../../files/index.ts';
import { eraseFromFolder } from '../../memory/index.ts';
import { Ledger, type LedgerRecord } from '../../storage/ledger/index.ts';
import { Snapshots, type Snapshot } from '../../storage/snapshots/index.ts';
import { TurnStore } from '../../storage/turns/index.ts';

const STORES = ['journal', 'ledger', 'turns'] as const;

type Tombstone = Extract<LedgerRecord, { kind: 'tombstone' }>;

/** Lays a snapshot out and marks it as ready: the stores are stale from here on. */
export async function layOut(
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
  await buryAgain(restoring, tombstones);
  await writeAtomically(markIn(places), JSON.stringify({ at: snapshot.at }));
  return snapshot;
}

/** Why the stores must not be used any longer, if a snapshot is ready to take their place. Cheap. */
export function isLaidOut(places: Places): string | undefined {
  return existsSync(markIn(places)) ? 'a snapshot is being restored' : undefined;
}

/** Puts what is laid out in the stores' place; as often as it takes. Gives the time it was from. */
export async function finishRestore(places: Places): Promise<string | undefined> {
  if (!isLaidOut(places)) return undefined;
  const { at } = JSON.parse(await readText(markIn(places), STATE_BYTES)) as { at: string }; // written above
  for (const store of STORES) {
    const laid = join(places.restoring, store);
    if (!existsSync(laid)) continue; // before a crash
    if (store === 'journal') await keepHidden(places.journal, laid);
    await rm(places[store], { recursive: true, force: true });
    await mkdir(places.home, { recursive: true });
    await rename(laid, places[store]);
  }
  const config = join(places.restoring, 'config.json');
  if (existsSync(config) && !existsSync(places.config)) await rename(config, places.config);
  await syncFolder(places.home);
  await rm(places.restoring, { recursive: true, force: true });
  return at;
}

/** A repository or a syncing tool's folder in the journal is no part of a snapshot, and stays. */
async function keepHidden(from: string, to: string): Promise<void> {
  for (const name of await readdir(from).catch(() => []))
    if (name.startsWith('.') && !existsSync(join(to, name))) await rename(join(from, name), join(to, name));
}

/** What was forgotten after the snapshot was made is forgotten in it too. */
async function buryAgain(folder: string, tombstones: readonly Tombstone[]): Promise<void> {
  const standing = tombstones.filter(({ state }) => state !== 'lifted');
  if (standing.length === 0) return;
  const turns = new Set(standing.map(({ turn }) => turn));
  const sessions = new Set<string>();
  const store = await TurnStore.open(join(folder, 'turns'));
  for await (const { turn } of store.scan()) if (turns.has(turn.id)) sessions.add(turn.session);
  await store.close();
  await eraseFromFolder(folder, {
    memories: standing.map(({ memory }) => memory),
    turns: [...turns],
    sessions: [...sessions],
  });
  const ledger = await Ledger.open(join(folder, 'ledger'));
  // There is nothing left that could be brought back.
  await ledger.append(standing.map((tombstone) => ({ ...tombstone, state: 'erased' as const })));
  await ledger.close();
}

function markIn(places: Places): string {
  return join(places.restoring, 'ready');
}

/** Refused where it would replace something nobody has said yes to. */
export function needsConsent(memories: number, yes: boolean): void {
  if (memories === 0 || yes) return;
  throw new TidemarkError(
    'usage',
    `this replaces ${memories === 1 ? 'the memory that is' : `the ${memories} memories that are`} here`,
    {
      hint: 'Say it with --yes; a snapshot of what is here is taken first.',
    },
  );
}
