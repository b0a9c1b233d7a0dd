/**
 * Looks for texts in everything below a folder, as a thief would: the name and the bytes of every file, what is compressed
 * unpacked, and every value of every table of a database. Knows files by their content, not by their names.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync, constants, inflateRawSync, unzipSync, zstdDecompressSync } from 'node:zlib';

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

/** Whether a text is anywhere below a folder. */
export function isAnywhereIn(folder: string, text: string): boolean {
  return leaksIn(folder, [{ name: 'it', text }]).length > 0;
}

export function leaksInText(where: string, content: string, needles: readonly Needle[]): readonly string[] {
  const text = content.toLowerCase();
  return needles
    .filter((needle) => text.includes(needle.text.toLowerCase()))
    .map(({ name }) => `${where}: ${name}`);
}

/** The bytes of a file as text, unpacked too, and its name: a secret may have become the name of a folder. */
export function contentOf(path: string): string {
  const bytes = bytesOf(path);
  const parts = [basename(path), bytes.toString('latin1')];
  if (bytes.subarray(0, 2).equals(GZIP)) parts.push(...unpacked(bytes));
  if (bytes.subarray(0, SQLITE.length).toString('latin1') === SQLITE) parts.push(...valuesOf(path));
  return parts.join('\n');
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const SQLITE = 'SQLite format 3\0';

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0); // a temporary file that has its real name by now
  }
}

/** Every text that the bytes give with a known compression. Of a file that is being appended, as far as it is written. */
function unpacked(bytes: Uint8Array): readonly string[] {
  const finishFlush = constants.Z_SYNC_FLUSH;
  const ways = [
    () => unzipSync(bytes, { finishFlush }),
    () => inflateRawSync(bytes, { finishFlush }),
    () => zstdDecompressSync(bytes),
    () => brotliDecompressSync(bytes),
  ];
  return ways.flatMap((way) => {
    try {
      return [way().toString('utf8')];
    } catch {
      return [];
    }
  });
}

/** The values that the bytes of a database do not show: those in its write-ahead log, and compressed ones. */
function valuesOf(path: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'leaks-'));
  const copy = join(folder, 'copy');
  try {
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const database = new DatabaseSync(copy);
    try {
      return tablesOf(database).flatMap((table) => valuesIn(database, table));
    } finally {
      database.close();
    }
  } catch {
    return []; // damaged, or changed while it was copied: its bytes were searched
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tablesOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return rows.map(({ name }) => String(name));
}

function valuesIn(database: DatabaseSync, table: string): readonly string[] {
  const texts: string[] = [];
  try {
    for (const row of database.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}"`).iterate())
      for (const value of Object.values(row)) {
        if (typeof value === 'string') texts.push(value);
        else if (value instanceof Uint8Array) texts.push(...unpacked(value));
      }
  } catch {
    // a virtual table whose module is not loaded here: its own tables were read
  }
  return texts;
}
