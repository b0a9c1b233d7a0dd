/**
 * Files of the journal and the ledger that a disk or a crash has spoilt (not a person's edits, however odd) are healed
 * from what is whole: the last good snapshot, then the index and the turn store. The spoilt file is put aside, not deleted.
 */
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Memory, Places } from '../../core/index.ts';
import { localDistiller } from '../../distill/index.ts';
import { readText, makeFolder, removeFile, writeAtomically } from '../../files/index.ts';
import { memoriesOf, headOf, type Stores, addMemories } from '../../memory/index.ts';
import type { JournalFile } from '../../storage/journal/index.ts';
import { parseRecord } from '../../storage/ledger/index.ts';
import { Snapshots } from '../../storage/snapshots/index.ts';

const DISTILL_TIMEOUT_MS = 60_000;
/** Never in a text that a person or we have written; a lost block of a disk is full of them. */
/** One month of the ledger. A busy one is some tens of megabytes; text longer than this cannot be one string. */
const LEDGER_BYTES = 256 * 1024 * 1024;
const NUL = '\0';

/** Each of the spoilt files of the journal as the last snapshot knows it. */
export async function repairJournal(
  spoilt: readonly JournalFile[],
  places: Places,
  backups: string,
  now: Date,
): Promise<void> {
  if (spoilt.length === 0) return;
  const good = await lastGood(backups);
  for (const { path } of spoilt) {
    const file = join(places.journal, path);
    await putAside(file, asidePath(places, now, `journal/${path}`));
    const text = await good?.(`journal/${path}`);
    if (text !== undefined && !text.includes(NUL)) await writeAtomically(file, text);
    else await removeFile(file);
  }
}

/** Files of the journal that nobody can have written so; one that is as it was taken in is not looked at. */
export function damagedFiles({ journal, index }: Pick<Stores, 'journal' | 'index'>): readonly JournalFile[] {
  const changed = journal.scan().filter(({ path, hash }) => index.journalFile(path)?.hash !== hash);
  const paths = new Set(changed.map(({ path }) => path).filter((path) => journal.isSpoilt(path)));
  return paths.size === 0 ? [] : journal.files().filter(({ path }) => paths.has(path));
}

/**
 * Files of the ledger that were found spoilt while it was read: what the snapshot knows, and what can still be read of
 * them. Before anything is appended.
 */
export async function repairLedger(
  places: Places,
  names: Iterable<string>,
  backups: string,
  now: Date,
): Promise<void> {
  const good = await lastGood(backups);
  for (const name of names) {
    const path = join(places.ledger, name);
    const present = await readText(path, LEDGER_BYTES);
    await putAside(path, asidePath(places, now, `ledger/${name}`));
    await writeAtomically(path, joinLines((await good?.(`ledger/${name}`)) ?? '', present));
  }
}

/** With the stores open: entries newer than the snapshot, from the index if it is the old one, else from their turns. */
export async function rebuildEntries(stores: Stores, files: readonly JournalFile[]): Promise<number> {
  let made = 0;
  for (const file of files) {
    const there = new Set(stores.journal.read(file.path).entries.map(({ memory }) => memory.id));
    const known = stores.index.memoriesBy({ journal: file.path, limit: Number.MAX_SAFE_INTEGER });
    const wanted = (known.length > 0 ? known : await fromTurns(stores, file)).filter(
      ({ id }) => !there.has(id) && !stores.index.isForgotten(id),
    );
    for (const [session, memories] of Map.groupBy(wanted, ({ provenance }) => provenance.session)) {
      const head = await headOf(stores, session);
      const heads = head ? [head] : [];
      if (known.length > 0) await stores.journal.put(memories, heads);
      else await addMemories(stores, memories, heads, { again: true });
    }
    made += wanted.length;
  }
  return made;
}

/** Only what had been made of a turn is made again: what a person deleted stays deleted where the ledger knows better. */
async function fromTurns(
  stores: Stores,
  { project, date, archive }: JournalFile,
): Promise<readonly Memory[]> {
  const of = archive ? date.slice(0, 'YYYY-MM'.length) : date;
  const found: Memory[] = [];
  for await (const { turn } of stores.turns.scan({ project })) {
    if (!turn.startedAt.startsWith(of) || stores.index.distilledBy(turn.id) === undefined) continue;
    const signal = AbortSignal.timeout(DISTILL_TIMEOUT_MS);
    const { memories } = await localDistiller.distill({ turn, recent: [] }, signal);
    found.push(
      ...memoriesOf(memories, turn, localDistiller.name).filter(({ id }) => stores.index.wasMade(id)),
    );
  }
  return found;
}

/** The order of writing counts: what the snapshot knows came first. */
function joinLines(before: string, present: string): string {
  const known = before.split('\n').filter(Boolean);
  const seen = new Set(known);
  const rest = present
    .split('\n')
    .filter((line) => line !== '' && !seen.has(line) && parseRecord(line).kind !== 'malformed');
  return [...known, ...rest].map((line) => `${line}\n`).join('');
}

/** The texts of the newest snapshot that can be read. */
async function lastGood(
  backups: string,
): Promise<((path: string) => Promise<string | undefined>) | undefined> {
  const snapshots = new Snapshots(backups);
  for (const name of await snapshots.names()) {
    const manifest = await snapshots.read(name).catch(() => undefined);
    if (!manifest) continue;
    const files = new Map(manifest.files.map((file) => [file.path, file]));
    return async (path) => {
      const file = files.get(path);
      return file && (await snapshots.content(file).catch(() => undefined))?.toString('utf8');
    };
  }
  return undefined;
}

function asidePath(places: Places, now: Date, path: string): string {
  return join(places.spoilt, now.toISOString().replaceAll(':', ''), path);
}

async function putAside(path: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await copyFile(path, to);
}
