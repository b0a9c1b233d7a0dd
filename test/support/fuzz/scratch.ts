/** A folder for the files of fuzz cases, removed when the process ends. In memory where the system has such a folder. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
let folder: string | undefined;

export function scratch(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'tidemark-fuzz-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return (folder = made);
}
