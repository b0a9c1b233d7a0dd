/** Finds Qwen Code's sessions, `projects/<folder>/chats/<session>.jsonl`, and reads the head of each. Only reads. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { given } from '../../../core/index.ts';
import { isObject, textOf, type JsonObject } from '../../reading/json.ts';
import { entriesOf, newestFirst, refusalOf } from '../../reading/listing.ts';
import { peek } from '../../reading/peek.ts';
import {
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type TranscriptFile,
} from '../../transcript.ts';

const SUBAGENT = /^agent-.*\.jsonl$/;

export function findTranscripts(runtime: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  for (const project of entriesOf(join(runtime, 'projects'))) {
    const folder = join(runtime, 'projects', project.name);
    if (project.isSymbolicLink()) refused.push({ path: folder, reason: refusalOf(project) });
    if (!project.isDirectory()) continue;
    const chats = join(folder, 'chats');
    for (const entry of entriesOf(chats).filter(({ name }) => name.endsWith('.jsonl'))) {
      const path = join(chats, entry.name);
      const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
      else refused.push({ path, reason: stat ? 'empty' : refusalOf(entry) });
    }
  }
  return { files: newestFirst(files), refused };
}

type Head = Pick<FoundTranscript, 'session' | 'projectDir' | 'startedAt' | 'branch'>;

export async function describeTranscript(file: TranscriptFile): Promise<FoundTranscript | string> {
  const head = await peek(file.path, headOf);
  if (typeof head === 'string') return head;
  return head ? { ...file, ...head, subagents: subagentFiles(file.path) } : NO_CONVERSATION;
}

/** A session that was continued in a fork keeps the id of the file, not of the copied lines. */
function headOf({ type, sessionId, cwd, timestamp, gitBranch, message }: JsonObject): Head | undefined {
  if (type !== 'user' || !isObject(message)) return undefined;
  const [session, projectDir, startedAt] = [textOf(sessionId), textOf(cwd), textOf(timestamp) ?? ''];
  if (session === undefined || projectDir === undefined || Number.isNaN(Date.parse(startedAt)))
    return undefined;
  return { session, projectDir, startedAt, ...given({ branch: textOf(gitBranch) }) };
}

/** `…/chats/<session>.jsonl` → `…/subagents/<session>`. */
export function subagentFolder(transcript: string): string {
  return join(dirname(dirname(transcript)), 'subagents', basename(transcript, '.jsonl'));
}

export function subagentFiles(transcript: string): readonly string[] {
  const folder = subagentFolder(transcript);
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && SUBAGENT.test(entry.name))
    .map(({ name }) => join(folder, name));
}
