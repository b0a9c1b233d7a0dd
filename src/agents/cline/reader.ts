/**
 * Reads Cline's sessions: `<sessions>/<id>/<id>.messages.json` has the conversation, `<id>.json` beside it the folder and
 * the branch, and `agent_….messages.json` each subagent. The client writes a file again as a whole, so it is read from its
 * beginning; compaction leaves it unchanged. A turn begins with a prompt and ends with an answer without calls. Never writes.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { given, type TurnOrigin } from '../../core/index.ts';
import { isObject, objectsIn, textOf, type JsonObject } from '../reading/json.ts';
import { entriesOf, newestFirst, refusalOf } from '../reading/listing.ts';
import { TurnDraft } from '../reading/turn-draft.ts';
import {
  emptyNotes,
  NO_CONVERSATION,
  UNKNOWN_FOLDER,
  type FoundFiles,
  type FoundTranscript,
  type ReadOptions,
  type RefusedFile,
  type Subagent,
  type TranscriptFile,
  type TranscriptReader,
  type TurnRead,
} from '../transcript.ts';
import { beforeEnd, describeDocument, readDocument } from './_document.ts';
import { messagesOf, promptText, type Message } from './_messages.ts';

const SUFFIX = '.messages.json';
const SUBAGENT = /^agent_.+\.messages\.json$/;
const NO_TIME = '1970-01-01T00:00:00.000Z';

export const reader: TranscriptReader = {
  agent: 'cline',
  folder,
  find,
  describe,
  readTurns,
  subagentsOf,
  mainOf,
};

/** As the client's own paths: each variable moves a smaller part of its data. */
function folder(env: NodeJS.ProcessEnv): string {
  const data =
    env['CLINE_DATA_DIR'] || join(env['CLINE_DIR'] || join(env['HOME'] || homedir(), '.cline'), 'data');
  return env['CLINE_SESSION_DATA_DIR'] || join(data, 'sessions');
}

function find(sessions: string): FoundFiles {
  const files: TranscriptFile[] = [];
  const refused: RefusedFile[] = [];
  for (const entry of entriesOf(sessions)) {
    const path = join(sessions, entry.name, `${entry.name}${SUFFIX}`);
    if (entry.isSymbolicLink()) refused.push({ path: dirname(path), reason: refusalOf(entry) });
    if (!entry.isDirectory()) continue;
    const listed = entriesOf(dirname(path)).find(({ name }) => name === basename(path));
    if (!listed) continue;
    const stat = listed.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
    else refused.push({ path, reason: stat ? 'empty' : refusalOf(listed) });
  }
  return { files: newestFirst(files), refused };
}

async function describe(file: TranscriptFile): Promise<FoundTranscript | string> {
  const json = await describeDocument(file.path);
  if (typeof json === 'string') return json;
  const first = messagesOf(json).find((message) => message.kind === 'prompt');
  if (!first) return NO_CONVERSATION;
  const about = await manifestOf(file.path);
  const projectDir = textOf(about['cwd']) ?? textOf(about['workspace_root']);
  if (projectDir === undefined) return UNKNOWN_FOLDER;
  return {
    ...file,
    session: sessionOf(json, file.path),
    projectDir,
    startedAt: first.head.at ?? file.modifiedAt.toISOString(),
    subagents: subagentFiles(file.path),
    ...given({ branch: branchOf(about) }),
  };
}

async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const document = await readDocument(path, notes);
  if (!document) return;
  const { json, bytes } = document;
  const main = isSubagent(path) ? mainOf(path) : path;
  const about = await manifestOf(main);
  const origin: TurnOrigin = isSubagent(path) ? 'subagent' : 'person';
  const begin = (message: Extract<Message, { kind: 'prompt' }>): TurnDraft =>
    new TurnDraft({
      id: message.head.id,
      agent: 'cline',
      session: sessionOf(json, path),
      origin,
      at: message.head.at ?? NO_TIME,
      prompt: message.text,
      start: 0,
      end: bytes,
      ...given({
        cwd: textOf(about['cwd']),
        continues: origin === 'subagent' ? options.continues : undefined,
      }),
    });
  let turn: TurnDraft | undefined;
  for (const message of messagesOf(json, textOf(about['cwd']))) {
    options.signal?.throwIfAborted();
    if (message.kind === 'system') notes.system++;
    else if (message.kind === 'prompt') {
      if (turn) yield beforeEnd(turn.read(true));
      turn = begin(message);
    } else if (turn) take(turn, message, bytes);
    else notes.stray++;
  }
  if (turn) yield turn.read(turn.last === 'said' || turn.last === 'failed');
}

function take(turn: TurnDraft, message: Extract<Message, { kind: 'answer' | 'results' }>, end: number): void {
  const { id, at } = message.head;
  const place = { end, ...given({ at }) };
  if (message.kind === 'results') {
    for (const result of message.results) turn.result(result);
    turn.note(id, { ...place, last: 'midway' });
    return;
  }
  for (const text of message.texts) turn.say(text, { failed: message.failed });
  for (const call of message.calls) turn.call(call);
  const done = message.failed ? 'failed' : 'said';
  turn.note(id, {
    ...place,
    last: message.calls.length > 0 ? 'midway' : done,
    ...given({ model: message.model }),
  });
}

/** A subagent's first prompt is the task of the call that started it. */
async function subagentsOf(transcriptPath: string): Promise<readonly Subagent[]> {
  const files = subagentFiles(transcriptPath);
  if (files.length === 0) return [];
  const main = await describeDocument(transcriptPath);
  const calls = new Map(typeof main === 'string' ? [] : objectsIn(main['messages']).flatMap(tasksIn));
  return Promise.all(
    files.map(async (path) => {
      const json = await describeDocument(path);
      const first =
        typeof json === 'string' ? undefined : messagesOf(json).find(({ kind }) => kind === 'prompt');
      const toolUseId = first?.kind === 'prompt' ? calls.get(first.text) : undefined;
      return { id: basename(path, SUFFIX), path, ...given({ toolUseId }) };
    }),
  );
}

function tasksIn(message: JsonObject): readonly (readonly [string, string])[] {
  return objectsIn(message['content']).flatMap(({ id, name, input }) => {
    const task = name === 'spawn_agent' && isObject(input) ? textOf(input['task']) : undefined;
    return typeof id === 'string' && task !== undefined ? [[promptText(task), id] as const] : [];
  });
}

function mainOf(subagentPath: string): string {
  const sessionFolder = dirname(subagentPath);
  return join(sessionFolder, `${basename(sessionFolder)}${SUFFIX}`);
}

function isSubagent(path: string): boolean {
  return SUBAGENT.test(basename(path));
}

function subagentFiles(transcript: string): readonly string[] {
  const sessionFolder = dirname(transcript);
  return entriesOf(sessionFolder)
    .filter((entry) => entry.isFile() && SUBAGENT.test(entry.name))
    .map((entry) => join(sessionFolder, entry.name));
}

async function manifestOf(transcript: string): Promise<JsonObject> {
  const json = await describeDocument(transcript.replace(SUFFIX, '.json'));
  return typeof json === 'string' ? {} : json;
}

function branchOf(about: JsonObject): string | undefined {
  const metadata = isObject(about['metadata']) ? about['metadata'] : {};
  return isObject(metadata['git']) ? textOf(metadata['git']['branch']) : undefined;
}

/** A subagent belongs to the session that started it. */
function sessionOf(json: JsonObject, path: string): string {
  if (isSubagent(path)) return basename(dirname(path));
  return textOf(json['sessionId']) ?? basename(path, SUFFIX);
}
