/** Looks for texts in everything below a folder, as a thief would: raw bytes, and what is compressed unpacked. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';

export interface Needle {
  /** The name for a report: the text itself must not be printed. */
  readonly name: string;
  readonly text: string;
}

/** `where: name` for each that was found, upper and lower case alike. */
export function leaksIn(folder: string, needles: readonly Needle[]): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .flatMap((path) => leaksInText(path.slice(folder.length + 1), contentOf(path), needles));
}

export function leaksInText(where: string, content: string, needles: readonly Needle[]): readonly string[] {
  const text = content.toLowerCase();
  return needles
    .filter((needle) => text.includes(needle.text.toLowerCase()))
    .map(({ name }) => `${where}: ${name}`);
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0); // a temporary file that has its real name by now
  }
}

/** The bytes of a file as text, unpacked too, and its name: a secret may have become the name of a folder. */
export function contentOf(path: string): string {
  const bytes = bytesOf(path);
  const raw = bytes.toString('latin1');
  // The daemon may be appending to the file: its last part is unpacked as far as it is written.
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  const unpacked =
    path.endsWith('.gz') && bytes.length > 0 ? gunzipSync(bytes, options).toString('utf8') : '';
  return `${basename(path)}\n${raw}\n${unpacked}`;
}
