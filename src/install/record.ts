/** Where the program lies and which Node runs it, written down for the hooks: they have no PATH to count on. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Places } from '../model/index.ts';

export function recordProgram(places: Places, dist: string): void {
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  put(places.node, process.execPath);
  put(places.program, dist);
}

function put(path: string, text: string): void {
  const line = `${text}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === line) return;
  writeFileSync(`${path}.tmp`, line, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}
