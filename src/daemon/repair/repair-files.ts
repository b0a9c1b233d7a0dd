/**
 * Repairs files of the journal and the ledger that a disk or a crash has damaged (never a user's edits): from the last
 * good snapshot, then from the index and the turn store. The damaged file is copied aside first.
 */
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  addedDrafts,
  given,
  RULES_MAKER,
  SMALL_MAKER,
  type Memory,
  type Places,
  type StoredTurn,
} from '../../core/index.ts';
import { distillable, localDistiller } from '../../distill/index.ts';
import { readText, makeFolder, removeFile, writeAtomically } from '../../files/index.ts';
import { memoriesOf, headOf, type Stores, addMemories } from '../../memory/index.ts';
import type { JournalFile } from '../../storage/journal/index.ts';
import { parseRecord } from '../../storage/ledger/index.ts';
import { Snapshots } from '../../storage/snapshots/index.ts';

const DISTILL_TIMEOUT_MS = 60_000;
/** One month of the ledger. A busy one is some tens of megabytes; text longer than this cannot be one string. */
const LEDGER_BYTES = 256 * 1024 * 1024;
/** Never in written text; a lost block of a disk is full of them. */
const NUL = '\0';

/** Replaces damaged files of the journal by those of the last snapshot, or removes them. */
export async function repairJournal(
  damaged: readonly JournalFile[],
  places: Places,
  backups: string,
  now: Date,
): Promise<void> {
  if (damaged.length === 0) return;
  const good = await lastGood(backups);
  for (const { path } of damaged) {
    const file = join(places.journal, path);
    await copyAside(file, asidePath(places, now, `journal/${path}`));
    const text = await good?.(`journal/${path}`);
    if (text !== undefined && !text.includes(NUL)) await writeAtomically(file, text);
    else await removeFile(file);
  }
}

/** Returns files of the journal that no editor can have written. Skips files that have not changed. */
export function damagedFiles({ journal, index }: Pick<Stores, 'journal' | 'index'>): readonly JournalFile[] {
  const changed = journal.scan().filter(({ path, hash }) => index.journalFile(path)?.hash !== hash);
  const paths = new Set(changed.map(({ path }) => path).filter((path) => journal.isDamaged(path)));
  return paths.size === 0 ? [] : journal.files().filter(({ path }) => paths.has(path));
}

/** Joins what the snapshot has of damaged ledger files with what can still be read of them. Run before any append. */
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
    await copyAside(path, asidePath(places, now, `ledger/${name}`));
    await writeAtomically(path, joinLines((await good?.(`ledger/${name}`)) ?? '', present));
  }
}

/** Adds entries newer than the snapshot: from the index where it knows the file, else from their turns. */
export async function rebuildEntries(stores: Stores, files: readonly JournalFile[]): Promise<void> {
  for (const file of files) {
    const present = new Set(stores.journal.read(file.path).entries.map(({ memory }) => memory.id));
    const known = stores.index.memoriesBy({ journal: file.path, limit: Number.MAX_SAFE_INTEGER });
    const missing = (known.length > 0 ? known : await fromTurns(stores, file)).filter(
      ({ id }) => !present.has(id) && !stores.index.isForgotten(id),
    );
    for (const [session, memories] of Map.groupBy(missing, ({ provenance }) => provenance.session)) {
      const head = await headOf(stores, session);
      const heads = head ? [head] : [];
      if (known.length > 0) await stores.journal.put(memories, heads);
      else await addMemories(stores, memories, heads, { again: true });
    }
  }
}

/** Makes only those memories again that were made before, so that deleted ones stay deleted. */
async function fromTurns(
  stores: Stores,
  { project, date, archive }: JournalFile,
): Promise<readonly Memory[]> {
  const of = archive ? date.slice(0, 'YYYY-MM'.length) : date;
  const found: Memory[] = [];
  const latest = new Map<string, StoredTurn>();
  const again: string[] = [];
  for await (const { turn } of stores.turns.scan({ project })) {
    const previous = latest.get(turn.session);
    latest.set(turn.session, turn);
    const by = stores.index.distilledBy(turn.id);
    if (!turn.startedAt.startsWith(of) || by === undefined) continue;
    if (by === SMALL_MAKER) again.push(turn.id);
    const signal = AbortSignal.timeout(DISTILL_TIMEOUT_MS);
    const { operations } = await localDistiller.distill(
      { turn: distillable(turn), related: [], ...given({ previous }) },
      signal,
    );
    const drafts = addedDrafts(operations);
    found.push(...memoriesOf(drafts, turn, localDistiller.name).filter(({ id }) => stores.index.wasMade(id)));
  }
  await keepAgain(stores, again);
  return found;
}

/** Marks turns as distilled by rules only, so that the small model reads them again: only its memories were lost. */
async function keepAgain({ ledger, index }: Stores, turns: readonly string[]): Promise<void> {
  const at = new Date().toISOString();
  const marks = turns.map(
    (turn) => ({ kind: 'distilled', at, turn, by: RULES_MAKER, memories: [] }) as const,
  );
  if (marks.length > 0) await ledger.append(marks);
  for (const { turn, by } of marks) {
    index.forgetMade(turn);
    index.markDistilled(turn, by);
  }
}

/** Order matters: the snapshot's lines are older. */
function joinLines(before: string, present: string): string {
  const known = before.split('\n').filter(Boolean);
  const seen = new Set(known);
  const rest = present
    .split('\n')
    .filter((line) => line !== '' && !seen.has(line) && parseRecord(line).kind !== 'malformed');
  return [...known, ...rest].map((line) => `${line}\n`).join('');
}

/** Returns a reader of the newest readable snapshot. */
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

async function copyAside(path: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await copyFile(path, to);
}
