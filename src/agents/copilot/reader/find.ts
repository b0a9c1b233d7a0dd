/** Finds Copilot's sessions, `session-state/<session>/events.jsonl`, and reads the folder and branch of each. Only reads. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { given } from '../../../core/index.ts';
import { copilotHome } from '../config-folder.ts';
import { isObject, textOf } from '../../reading/json.ts';
import { entriesOf, newestFirst, refusalOf } from '../../reading/listing.ts';
import { peek } from '../../reading/peek.ts';
import {
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type TranscriptFile,
} from '../../transcript.ts';

const EVENTS = 'events.jsonl';
const SESSIONS = 'session-state';
const SESSION_ID = /^[\w-]{1,100}$/;

/** A hook names the transcript only when the agent stops. */
export function pathOf(session: string, env: NodeJS.ProcessEnv): string | undefined {
  return SESSION_ID.test(session) ? join(copilotHome(env), SESSIONS, session, EVENTS) : undefined;
}

export function findTranscripts(home: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  for (const session of entriesOf(join(home, SESSIONS))) {
    const folder = join(home, SESSIONS, session.name);
    if (session.isSymbolicLink()) refused.push({ path: folder, reason: refusalOf(session) });
    if (!session.isDirectory()) continue;
    const entry = entriesOf(folder).find(({ name }) => name === EVENTS);
    if (!entry) continue; // opened and left without a word
    const path = join(folder, EVENTS);
    const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
    else refused.push({ path, reason: stat ? 'empty' : refusalOf(entry) });
  }
  return { files: newestFirst(files), refused };
}

type Head = Pick<FoundTranscript, 'session' | 'projectDir' | 'startedAt' | 'branch'>;

export async function describeTranscript(file: TranscriptFile): Promise<FoundTranscript | string> {
  let head: Head | undefined;
  const found = await peek(file.path, ({ type, timestamp, data }) => {
    if (!isObject(data)) return undefined;
    if (type === 'user.message') return head;
    if (type !== 'session.start') return undefined;
    const context = isObject(data['context']) ? data['context'] : {};
    const [session, projectDir] = [textOf(data['sessionId']), textOf(context['cwd'])];
    const startedAt = textOf(data['startTime']) ?? textOf(timestamp) ?? '';
    if (session === undefined || projectDir === undefined || Number.isNaN(Date.parse(startedAt)))
      return undefined;
    head = { session, projectDir, startedAt, ...given({ branch: textOf(context['branch']) }) };
    return undefined;
  });
  if (typeof found === 'string') return found;
  return found ? { ...file, ...found, subagents: [] } : NO_CONVERSATION;
}
