/** Finds the sessions of Gemini CLI: `<folder>/tmp/<project>/chats/session-*.jsonl`, newest first. Only reads. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { given } from '../../../core/index.ts';
import { jsonLines, lineText } from '../../reading/json-lines.ts';
import { objectsIn, parseObject, textOf } from '../../reading/json.ts';
import { entriesOf, newestFirst, refusalOf, whyNot } from '../../reading/listing.ts';
import {
  NO_CONVERSATION,
  UNKNOWN_FOLDER,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type Subagent,
  type TranscriptFile,
} from '../../transcript.ts';
import { projectFolder, sessionIn } from './_place.ts';
import { subagentOf } from './_tools.ts';

const SESSION = /^session-.*\.jsonl?$/;

export function findTranscripts(folder: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  const projects = entriesOf(join(folder, 'tmp')).filter((entry) => entry.isDirectory());
  for (const project of projects) {
    const chats = join(folder, 'tmp', project.name, 'chats');
    const entries = entriesOf(chats).filter(({ name }) => SESSION.test(name));
    const names = new Set(entries.map(({ name }) => name));
    for (const entry of entries) {
      // A session of an old version that was resumed: its messages were copied.
      if (names.has(`${entry.name}l`)) continue;
      const path = join(chats, entry.name);
      const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
      else refused.push({ path, reason: stat ? 'empty' : refusalOf(entry) });
    }
  }
  return { files: newestFirst(files), refused };
}

export async function describeTranscript(file: TranscriptFile): Promise<FoundTranscript | string> {
  try {
    const head = await sessionIn(file.path);
    if (!head?.at || Number.isNaN(Date.parse(head.at))) return NO_CONVERSATION;
    const projectDir = await projectFolder(file.path);
    if (projectDir === undefined) return UNKNOWN_FOLDER;
    const subagents = (await subagentsOf(file.path)).map(({ path }) => path);
    return { ...file, session: head.session, projectDir, startedAt: head.at, subagents };
  } catch (error) {
    return whyNot(error);
  }
}

/** `chats/<session>/<subagent>.jsonl`. The call that started one names it. */
export async function subagentsOf(transcriptPath: string): Promise<readonly Subagent[]> {
  const head = await sessionIn(transcriptPath);
  if (!head || head.isSubagent) return [];
  const folder = join(dirname(transcriptPath), head.session);
  const names = entriesOf(folder).filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
  if (names.length === 0) return [];
  const calls = await callsIn(transcriptPath);
  return names.map(({ name }) => {
    const id = basename(name, '.jsonl');
    return { id, path: join(folder, name), ...given({ toolUseId: calls.get(id) }) };
  });
}

/** `chats/<session>/<subagent>.jsonl` → the file of the session that has messages. */
export function mainOf(subagentPath: string): string | undefined {
  const folder = dirname(subagentPath);
  const chats = dirname(folder);
  const ending = `-${basename(folder).slice(0, 8)}.jsonl`;
  const name = entriesOf(chats).find((entry) => entry.isFile() && entry.name.endsWith(ending))?.name;
  return name === undefined ? undefined : join(chats, name);
}

async function callsIn(path: string): Promise<ReadonlyMap<string, string>> {
  const calls = new Map<string, string>();
  for await (const { value } of jsonLines(path, {}, ({ bytes }) => parseObject(lineText(bytes)))) {
    for (const call of objectsIn(value['toolCalls'])) {
      const [agent, id] = [subagentOf(call), textOf(call['id'])];
      if (agent !== undefined && id !== undefined) calls.set(agent, id);
    }
  }
  return calls;
}
