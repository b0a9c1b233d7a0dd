/** Where this program lies and which Node runs it, written down for the hooks: they have no PATH to count on. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Places } from '../model/index.ts';

export function recordProgram(places: Places): void {
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  put(places.node, process.execPath);
  put(places.program, __dirname);
}

/** The folder that Claude Code takes as a marketplace: the clone or the installed package. */
export function marketplaceFolder(): string {
  return dirname(dirname(__dirname));
}

/** The CLI as a person in this folder would type it. */
export function ownCommand(cwd: string): string {
  const bin = join(marketplaceFolder(), 'bin', 'tidemark');
  if (!existsSync(bin)) return 'tidemark';
  return dirname(dirname(bin)) === cwd ? './bin/tidemark' : bin;
}

function put(path: string, text: string): void {
  const line = `${text}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === line) return;
  writeFileSync(`${path}.tmp`, line, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}
