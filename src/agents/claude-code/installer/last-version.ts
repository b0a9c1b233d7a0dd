/** Reads the version of the client from the newest sessions. */
import { closeSync, readSync } from 'node:fs';
import { openRegularSync } from '../../../files/index.ts';
import { claudeConfigDir } from '../config-folder.ts';
import { listTranscripts } from '../reader/find.ts';

/** The client writes its version into every line of a transcript except the first few. */
const PEEK_BYTES = 256 * 1024;
const MAX_TRANSCRIPTS = 5;

export function lastVersion(env: NodeJS.ProcessEnv): string | undefined {
  for (const { path } of listTranscripts(claudeConfigDir(env)).slice(0, MAX_TRANSCRIPTS)) {
    const version = /"version":"(\d+\.\d+\.\d+)"/.exec(headOf(path))?.[1];
    if (version) return version;
  }
  return undefined;
}

function headOf(path: string): string {
  try {
    const { fd: file } = openRegularSync(path);
    try {
      const bytes = Buffer.alloc(PEEK_BYTES);
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
