/** Finds pi's sessions: `<sessions>/--<folder>--/<time>_<id>.jsonl`, newest first. Only reads. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, newestFirst, refusalOf, whyNot } from '../../reading/listing.ts';
import {
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type TranscriptFile,
} from '../../transcript.ts';
import { headerOf } from './_header.ts';

export function findTranscripts(sessions: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  const folders = entriesOf(sessions).filter((entry) => entry.isDirectory());
  // A folder of sessions that the user chose has no folders of projects.
  for (const folder of [sessions, ...folders.map(({ name }) => join(sessions, name))]) {
    for (const entry of entriesOf(folder).filter(({ name }) => name.endsWith('.jsonl'))) {
      const path = join(folder, entry.name);
      const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
      else refused.push({ path, reason: stat ? 'empty' : refusalOf(entry) });
    }
  }
  return { files: newestFirst(files), refused };
}

export async function describeTranscript(file: TranscriptFile): Promise<FoundTranscript | string> {
  try {
    const header = await headerOf(file.path);
    if (header?.cwd === undefined) return NO_CONVERSATION;
    const { session, at: startedAt, cwd: projectDir } = header;
    return { ...file, session, projectDir, startedAt, subagents: [] };
  } catch (error) {
    return whyNot(error);
  }
}
