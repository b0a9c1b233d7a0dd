/**
 * Finds the Claude Code transcripts on this machine, newest first, and reads the session, folder and branch of each.
 * Only reads; the daemon takes their turns in as those of a live session.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { linesIn, openRegular } from '../../../files/index.ts';
import { entriesOf, newestFirst, refusalOf, whyNot } from '../../reading/listing.ts';
import {
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type TranscriptFile,
} from '../../transcript.ts';

/** Session and folder are in the first lines; a file without them in this many is no transcript. */
const PEEK_LINES = 400;
/** Lines that are too long are skipped without being counted; a file of nothing else is given up. */
const PEEK_BYTES = 8 * 1024 * 1024 * 1024;
const PEEK_LINE_BYTES = 4 * 1024 * 1024;

/** `<config>/projects/<slug>/<session>.jsonl`, newest first. */
export function listTranscripts(configDir: string): readonly TranscriptFile[] {
  return findTranscripts(configDir).files;
}

/** Also returns what is named like a transcript but is none. */
export function findTranscripts(configDir: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  for (const folder of foldersIn(join(configDir, 'projects'), refused)) {
    for (const entry of entriesOf(folder).filter(({ name }) => name.endsWith('.jsonl'))) {
      const path = join(folder, entry.name);
      const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
      else refused.push({ path, reason: stat ? 'empty' : refusalOf(entry) });
    }
  }
  return { files: newestFirst(files), refused };
}

/** Returns session, folder and branch of a transcript, or the reason why it is none. */
export async function describeTranscript(file: TranscriptFile): Promise<FoundTranscript | string> {
  let handle;
  try {
    handle = await openRegular(file.path);
  } catch (error) {
    return whyNot(error);
  }
  let read = 0;
  try {
    for await (const line of linesIn(handle, { maxBytes: PEEK_LINE_BYTES })) {
      if (line.end > PEEK_BYTES) break;
      if (line.bytes === undefined) continue;
      if (++read > PEEK_LINES) break;
      const head = headOf(line.bytes.toString('utf8'));
      if (head) return { ...file, ...head, subagents: subagentFiles(file.path) };
    }
    return NO_CONVERSATION;
  } catch (error) {
    return whyNot(error);
  } finally {
    await handle.close();
  }
}

type Head = Pick<FoundTranscript, 'session' | 'projectDir' | 'startedAt' | 'branch'>;

function headOf(line: string): Head | undefined {
  try {
    const value = JSON.parse(line.replaceAll('\0', '')) as Record<string, unknown>;
    const { type, sessionId, cwd, timestamp, gitBranch } = value;
    if (type !== 'user' && type !== 'assistant') return undefined;
    if (typeof sessionId !== 'string' || typeof cwd !== 'string' || typeof timestamp !== 'string')
      return undefined;
    if (Number.isNaN(Date.parse(timestamp)) || sessionId === '') return undefined;
    // The client writes `HEAD` outside of a repository and on a detached head.
    const branch = typeof gitBranch === 'string' && !['', 'HEAD'].includes(gitBranch) ? gitBranch : undefined;
    return { session: sessionId, projectDir: cwd, startedAt: timestamp, ...(branch ? { branch } : {}) };
  } catch {
    return undefined;
  }
}

function subagentFiles(transcript: string): readonly string[] {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && /^agent-.*\.jsonl$/.test(entry.name))
    .map((entry) => join(folder, entry.name));
}

function foldersIn(root: string, refused: RefusedFile[]): readonly string[] {
  const entries = entriesOf(root);
  for (const entry of entries.filter((one) => one.isSymbolicLink()))
    refused.push({ path: join(root, entry.name), reason: refusalOf(entry) });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
}
