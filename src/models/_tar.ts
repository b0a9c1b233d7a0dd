/** One file out of a gzipped tarball, in memory. Knows only plain files, which is all a package holds. */
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

export function fileInTarball(tarball: Uint8Array, path: string): Buffer | undefined {
  const tar = gunzipSync(tarball);
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    const name = textAt(header, 0, 100);
    if (name === '') return undefined;
    const prefix = textAt(header, 345, 155);
    const size = Number.parseInt(textAt(header, 124, 12), 8);
    const start = at + BLOCK;
    if ((prefix ? `${prefix}/${name}` : name) === path) return tar.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

function textAt(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end).trim();
}
