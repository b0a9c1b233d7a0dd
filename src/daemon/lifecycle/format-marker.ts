/** The file with the format of journal, turn store and ledger. A module of its own, because every client loads it. */
import { existsSync } from 'node:fs';
import { TidemarkError, VERSION, type Places } from '../../core/index.ts';
import { makeFolderSync, readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

/** The format of version 0.1. */
export const FORMAT = 1;

export interface FormatMarker {
  readonly format: number;
  /** The version that wrote it. */
  readonly version: string;
  /** Set during a migration. After a crash the snapshot is restored first. */
  readonly migrating?: { readonly to: number; readonly snapshot: string };
}

/** Throws when the data has a later format than this program knows. */
export function refuseNewerFormat(places: Places, newest = FORMAT): void {
  const marker = readMarker(places);
  if (!marker || marker.format <= newest) return;
  throw new TidemarkError(
    'newer-data',
    `the data in ${places.home} was written by Tidemark ${marker.version}, in a format this one (${VERSION}) does not know`,
    {
      hint: `Update Tidemark, for example in its clone: git pull && npm run build. A snapshot from before the change is in ${places.backups}.`,
    },
  );
}

export function readMarker(places: Places): FormatMarker | undefined {
  if (!existsSync(places.format)) return undefined;
  try {
    const marker = JSON.parse(readTextSync(places.format, STATE_BYTES)) as Partial<FormatMarker>;
    if (Number.isInteger(marker.format)) return marker as FormatMarker;
  } catch {
    // Reported below.
  }
  throw new TidemarkError('format-unreadable', `${places.format} cannot be read`, {
    hint: `Remove it if no later version of Tidemark has run here; format ${FORMAT} is then assumed.`,
  });
}

export function writeMarker(places: Places, marker: FormatMarker): void {
  makeFolderSync(places.home);
  writeAtomicallySync(places.format, `${JSON.stringify(marker)}\n`);
}
