/**
 * Finds the Claude Code transcripts on this machine, newest first, and says what each is. Only reads; turns are taken
 * from them by the daemon the same way as from a live session.
 */
import { createReadStream, readdirSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface FoundTranscript {
  readonly path: string;
  readonly session: string;
  /** The directory the session was started in, from its first lines. */
  readonly projectDir: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
  readonly startedAt: string;
  readonly subagents: readonly string[];
}

/** A transcript says its session and directory in its first lines; past this many something else is wrong with it. */
const PEEK_LINES = 400;
const PEEK_BYTES = 4 * 1024 * 1024;

/** `<config>/projects/<slug>/<session>.jsonl`, newest first. Unreadable folders are passed over. */
export function listTranscripts(
  configDir: string,
): readonly { path: string; bytes: number; modifiedAt: Date }[] {
  const root = join(configDir, 'projects');
  const files = folders(root).flatMap((folder) =>
    entries(folder)
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map((entry) => join(folder, entry.name)),
  );
  return files
    .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
    .flatMap(({ path, stat }) =>
      stat && stat.size > 0 ? [{ path, bytes: stat.size, modifiedAt: stat.mtime }] : [],
    )
    .toSorted((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
}

/** What a transcript is, or undefined when it holds no conversation. */
export async function describeTranscript(file: {
  path: string;
  bytes: number;
  modifiedAt: Date;
}): Promise<FoundTranscript | undefined> {
  const input = createReadStream(file.path, { end: PEEK_BYTES });
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let read = 0;
  try {
    for await (const line of lines) {
      if (++read > PEEK_LINES) return undefined;
      const head = headOf(line);
      if (!head) continue;
      return { ...file, ...head, subagents: subagentFiles(file.path) };
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    lines.close();
    input.destroy();
  }
}

function headOf(line: string): { session: string; projectDir: string; startedAt: string } | undefined {
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    const { type, sessionId, cwd, timestamp } = value;
    if (type !== 'user' && type !== 'assistant') return undefined;
    if (typeof sessionId !== 'string' || typeof cwd !== 'string' || typeof timestamp !== 'string')
      return undefined;
    return { session: sessionId, projectDir: cwd, startedAt: timestamp };
  } catch {
    return undefined;
  }
}

function subagentFiles(transcript: string): readonly string[] {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  return entries(folder)
    .filter((entry) => entry.isFile() && /^agent-.*\.jsonl$/.test(entry.name))
    .map((entry) => join(folder, entry.name));
}

function folders(root: string): readonly string[] {
  return entries(root)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name));
}

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
