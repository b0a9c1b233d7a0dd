/** The files of the built page, read once at the start. No requested path ever reaches the file system. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { TidemarkError } from '../core/index.ts';

export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

/** By request path: `/main.js`. */
export type Assets = ReadonlyMap<string, Asset>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** `base`: the hub's path on its server (`/hub`); addresses in the HTML files are moved below it. */
export function readAssets(folder: string, base = ''): Assets {
  const assets = new Map<string, Asset>();
  for (const entry of listed(folder)) {
    const file = join(entry.parentPath, entry.name);
    const type = TYPES[extname(file)];
    if (!entry.isFile() || type === undefined) continue;
    const body = withBase(new Uint8Array(readFileSync(file)), type, base);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    assets.set(`/${relative(folder, file).replaceAll(sep, '/')}`, { body, type, etag });
  }
  for (const needed of ['/index.html', '/locked.html']) {
    if (!assets.has(needed)) throw notBuilt();
  }
  return assets;
}

/** In our own HTML every address that begins with a slash belongs to the page. */
function withBase(body: Uint8Array<ArrayBuffer>, type: string, base: string): Uint8Array<ArrayBuffer> {
  if (base === '' || !type.startsWith('text/html')) return body;
  const text = new TextDecoder().decode(body);
  return new TextEncoder().encode(text.replaceAll(/((?:href|src)="|url=)\//g, `$1${base}/`));
}

function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true });
  } catch (cause) {
    throw notBuilt(cause);
  }
}

function notBuilt(cause?: unknown): TidemarkError {
  return new TidemarkError('hub-not-built', "the hub's page is not built", {
    cause,
    hint: 'From a clone: npm run build. Otherwise install Tidemark again.',
  });
}
