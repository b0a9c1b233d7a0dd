/** The files of the built page, listed and read once. No path that is asked for ever reaches the file system. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { TidemarkError } from '../model/index.ts';

export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

/** By the path they are asked for: `/main.js`. */
export type Assets = ReadonlyMap<string, Asset>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export function readAssets(folder: string): Assets {
  const assets = new Map<string, Asset>();
  for (const entry of listed(folder)) {
    const file = join(entry.parentPath, entry.name);
    const type = TYPES[extname(file)];
    if (!entry.isFile() || type === undefined) continue;
    const body = new Uint8Array(readFileSync(file));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    assets.set(`/${relative(folder, file).replaceAll(sep, '/')}`, { body, type, etag });
  }
  for (const needed of ['/index.html', '/locked.html']) {
    if (!assets.has(needed)) throw notBuilt();
  }
  return assets;
}

function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true });
  } catch (cause) {
    throw notBuilt(cause);
  }
}

function notBuilt(cause?: unknown): TidemarkError {
  return new TidemarkError('hub-not-built', "the hub's page is not there", {
    cause,
    hint: 'From a clone: npm run build. Otherwise install Tidemark again.',
  });
}
