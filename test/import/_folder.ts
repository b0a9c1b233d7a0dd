/** Hashes every byte of a folder, to check that it was only read. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    hash.update(`${name}\n${stat.mode} ${stat.size} ${stat.mtimeMs}\n`);
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (stat.isFile() && (stat.mode & 0o400) !== 0) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
