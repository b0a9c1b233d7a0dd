/**
 * Which format journal, turn store and ledger are in. A newer program brings them up to date, after a copy of what it is
 * about to change; an older one refuses to touch them. The index has migrations of its own and can always be rebuilt.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { TidemarkError, VERSION, type Places } from '../model/index.ts';

export interface Migration {
  /** The format it makes, one more than the one before. */
  readonly to: number;
  readonly why: string;
  /** The files and folders it will change, all below the data folder. */
  readonly changes: (places: Places) => readonly string[];
  readonly run: (places: Places) => void | Promise<void>;
}

/** Append only, in order. Format 1 is what 0.1 writes. */
export const MIGRATIONS: readonly Migration[] = [];

export const FORMAT = 1;

/** Older copies go: one step back is what a person may need. */
const KEPT_BACKUPS = 2;

interface Marker {
  readonly format: number;
  /** The version that wrote it. */
  readonly version: string;
  /** There while a migration is under way: should it be cut short, the copy comes back first. */
  readonly migrating?: { readonly to: number; readonly backup: string };
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
  readonly backup: string;
}

/** Throws when the data is of a later format than this program knows. Changes nothing. */
export function refuseNewerFormat(places: Places, newest = FORMAT): void {
  const marker = readMarker(places);
  if (!marker || marker.format <= newest) return;
  throw new TidemarkError(
    'newer-data',
    `the data in ${places.home} was written by Tidemark ${marker.version}, in a format this one (${VERSION}) does not know`,
    {
      hint: 'Update: npx tidemark@latest install. Or go back to the copy in its folder "backups", made before the change.',
    },
  );
}

/** Brings the stores up to date, before anybody opens them. Undefined when they were. */
export async function migrate(
  places: Places,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated | undefined> {
  const newest = migrations.at(-1)?.to ?? FORMAT;
  refuseNewerFormat(places, newest);
  const marker = readMarker(places);
  // Without a marker it is new, or from before there was one.
  const from = marker?.format ?? FORMAT;
  if (marker?.migrating) restore(places, marker.migrating.backup);
  const pending = migrations.filter(({ to }) => to > from);
  if (pending.length === 0) {
    if (!marker || marker.migrating) write(places, { format: from, version: VERSION });
    return undefined;
  }
  const backup = copyOf(
    places,
    from,
    pending.flatMap(({ changes }) => changes(places)),
  );
  write(places, { format: from, version: VERSION, migrating: { to: newest, backup } });
  for (const migration of pending) await migration.run(places);
  write(places, { format: newest, version: VERSION });
  dropOldBackups(places);
  return { from, to: newest, backup };
}

function readMarker(places: Places): Marker | undefined {
  if (!existsSync(places.format)) return undefined;
  try {
    const marker = JSON.parse(readFileSync(places.format, 'utf8')) as Partial<Marker>;
    if (Number.isInteger(marker.format)) return marker as Marker;
  } catch {
    // Told below.
  }
  throw new TidemarkError('format-unreadable', `${places.format} cannot be read`, {
    hint: `Remove it if no later version of Tidemark has run here; it is then taken for format ${FORMAT}.`,
  });
}

function write(places: Places, marker: Marker): void {
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  const fresh = `${places.format}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(marker)}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, places.format);
}

/** Whole under its name or not there: a copy cut short is never restored. */
function copyOf(places: Places, from: number, paths: readonly string[]): string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const backup = join(places.backups, `${time}-format-${from}`);
  const beside = `${backup}.tmp`;
  mkdirSync(beside, { recursive: true, mode: 0o700 });
  const names = [...new Set(paths)].map((path) => relative(places.home, path));
  for (const name of names)
    if (existsSync(join(places.home, name)))
      cpSync(join(places.home, name), join(beside, 'data', name), {
        recursive: true,
        preserveTimestamps: true,
      });
  writeFileSync(join(beside, 'contents.json'), JSON.stringify(names), { mode: 0o600, flush: true });
  renameSync(beside, backup);
  return backup;
}

function restore(places: Places, backup: string): void {
  const names = JSON.parse(readFileSync(join(backup, 'contents.json'), 'utf8')) as readonly string[];
  for (const name of names) {
    rmSync(join(places.home, name), { recursive: true, force: true });
    const kept = join(backup, 'data', name);
    if (existsSync(kept))
      cpSync(kept, join(places.home, name), { recursive: true, preserveTimestamps: true });
  }
}

function dropOldBackups(places: Places): void {
  const ours = readdirSync(places.backups)
    .filter((name) => /-format-\d+(?:\.tmp)?$/.test(name))
    .toSorted();
  for (const name of ours.slice(0, -KEPT_BACKUPS))
    rmSync(join(places.backups, name), { recursive: true, force: true });
}
