/**
 * Finds the Codex transcripts on this machine, newest first, and reads the session, folder and branch of each:
 * `<home>/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`, and archived ones in `<home>/archived_sessions`. Only reads.
 */
import { closeSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { given } from '../../../core/index.ts';
import { openRegularSync } from '../../../files/index.ts';
import { entriesOf, newestFirst, refusalOf, whyNot } from '../../reading/listing.ts';
import {
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type TranscriptFile,
} from '../../transcript.ts';
import { readHead } from './head.ts';
import { subagentFiles } from './subagents.ts';

const NAME = /^rollout-.*\.jsonl(?:\.zst)?$/;
/** Year, month, day. */
const LEVELS = 3;
/** The fields that tell a subagent's file from a main one come before the model's instructions. */
const PEEK_BYTES = 4096;
const SUBAGENT = /"thread_source": ?"subagent"|"source": ?\{ ?"subagent"/;

export function findTranscripts(codexHome: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  const folders = [
    ...dayFolders(join(codexHome, 'sessions'), LEVELS, refused),
    join(codexHome, 'archived_sessions'),
  ];
  for (const folder of folders) {
    for (const entry of entriesOf(folder).filter(({ name }) => NAME.test(name))) {
      const path = join(folder, entry.name);
      const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (!stat) refused.push({ path, reason: refusalOf(entry) });
      else if (stat.size === 0) refused.push({ path, reason: 'empty' });
      else if (path.endsWith('.zst')) refused.push({ path, reason: 'compressed' });
      else if (!isSubagentFile(path)) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
    }
  }
  return { files: newestFirst(files), refused };
}

/** Returns session, folder and branch of a transcript, or the reason why it is none. */
export async function describeTranscript(file: TranscriptFile): Promise<FoundTranscript | string> {
  try {
    const head = readHead(file.path);
    if (!head || head.isSubagent || head.cwd === undefined || head.startedAt === undefined)
      return NO_CONVERSATION;
    const { session, cwd: projectDir, startedAt, branch } = head;
    const subagents = await subagentFiles(file.path, head);
    return { ...file, session, projectDir, startedAt, subagents, ...given({ branch }) };
  } catch (error) {
    return whyNot(error);
  }
}

function dayFolders(root: string, levels: number, refused: RefusedFile[]): readonly string[] {
  if (levels === 0) return [root];
  return entriesOf(root).flatMap((entry) => {
    const path = join(root, entry.name);
    if (entry.isSymbolicLink()) refused.push({ path, reason: refusalOf(entry) });
    return entry.isDirectory() ? dayFolders(path, levels - 1, refused) : [];
  });
}

/** A file that cannot be read is listed: `describe` says why. */
function isSubagentFile(path: string): boolean {
  try {
    const { fd } = openRegularSync(path);
    try {
      const head = Buffer.alloc(PEEK_BYTES);
      return SUBAGENT.test(head.toString('latin1', 0, readSync(fd, head, 0, PEEK_BYTES, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
