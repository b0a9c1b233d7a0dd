/** The file that says in which format journal, turn store and ledger are. Small: whoever starts a daemon looks at it first. */
import { existsSync } from 'node:fs';
import { TidemarkError, VERSION, type Places } from '../../core/index.ts';
import { makeFolderSync, readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

/** What 0.1 writes. */
export const FORMAT = 1;

export interface FormatMarker {
  readonly format: number;
  /** The version that wrote it. */
  readonly version: string;
  /** There while a migration is under way: should it be cut short, the snapshot comes back first. */
  readonly migrating?: { readonly to: number; readonly snapshot: string };
}

/** Throws when the data is of a later format than this program knows. Changes nothing. */
export function refuseNewerFormat(places: Places, newest = FORMAT): void {
  const marker = readMarker(places);
  if (!marker || marker.format <= newest) return;
  throw new TidemarkError(
    'newer-data',
    `the data in ${places.home} was written by Tidemark ${marker.version}, in a format this one (${VERSION}) does not know`,
    {
      hint: `Update: npx tidemark@latest install. A snapshot from before the change lies in ${places.backups}.`,
    },
  );
}

export function readMarker(places: Places): FormatMarker | undefined {
  if (!existsSync(places.format)) return undefined;
  try {
    const marker = JSON.parse(readTextSync(places.format, STATE_BYTES)) as Partial<FormatMarker>;
    if (Number.isInteger(marker.format)) return marker as FormatMarker;
  } catch {
    // Told below.
  }
  throw new TidemarkError('format-unreadable', `${places.format} cannot be read`, {
    hint: `Remove it if no later version of Tidemark has run here; it is then taken for format ${FORMAT}.`,
  });
}

export function writeMarker(places: Places, marker: FormatMarker): void {
  makeFolderSync(places.home);
  writeAtomicallySync(places.format, `${JSON.stringify(marker)}\n`);
}
