/**
 * Reads Continue's sessions: `<folder>/<id>.json`, of the terminal and of the editors. The client writes a file again as a
 * whole, so it is read from its beginning. Never writes.
 *
 * Messages have neither ids nor times. A turn's id is the hash of everything up to its first answer, so it is the same in
 * a fork, which copies the messages, and after a compaction, which deletes the earlier ones. A last prompt without any
 * answer has no id yet and is not yielded. The times of turns are the session's, a second apart to keep their order.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash, given } from '../../core/index.ts';
import { readTextSync } from '../../files/index.ts';
import { beforeEnd, describeDocument, readDocument } from '../reading/document.ts';
import { isObject, objectsIn, textOf, type JsonObject } from '../reading/json.ts';
import { entriesOf, newestFirst, refusalOf } from '../reading/listing.ts';
import { TurnDraft, type Last } from '../reading/turn-draft.ts';
import {
  emptyNotes,
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type ReadOptions,
  type RefusedFile,
  type TranscriptFile,
  type TranscriptReader,
  type TurnRead,
} from '../transcript.ts';
import { callOf, type Call } from './_tools.ts';

const LIST = 'sessions.json';
/** The list has a few lines per session. */
const LIST_BYTES = 16 * 1024 * 1024;
const ID_LENGTH = 32;
/** The client's own prompt after it compacted the conversation in the middle of a turn. */
const CONTINUE = 'continue';
/** A command that the user typed with `!`. */
const BY_USER = /^shell-/;

export const reader: TranscriptReader = {
  agent: 'continue',
  folder: (env) =>
    join(env['CONTINUE_GLOBAL_DIR'] || join(env['HOME'] || homedir(), '.continue'), 'sessions'),
  find,
  describe,
  readTurns,
  subagentsOf: () => Promise.resolve([]),
  mainOf: () => undefined,
};

function find(sessions: string): FoundFiles {
  const files: TranscriptFile[] = [];
  const refused: RefusedFile[] = [];
  for (const entry of entriesOf(sessions)) {
    if (!entry.name.endsWith('.json') || entry.name === LIST) continue;
    const path = join(sessions, entry.name);
    const stat = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (stat && stat.size > 0) files.push({ path, bytes: stat.size, modifiedAt: stat.mtime });
    else refused.push({ path, reason: stat ? 'empty' : refusalOf(entry) });
  }
  return { files: newestFirst(files), refused };
}

async function describe(file: TranscriptFile): Promise<FoundTranscript | string> {
  const json = await describeDocument(file.path);
  if (typeof json === 'string') return json;
  const projectDir = folderOf(json);
  if (stepsOf(json).length === 0 || projectDir === undefined) return NO_CONVERSATION;
  const startedAt = createdAt(file.path) ?? file.modifiedAt;
  return {
    ...file,
    session: sessionOf(json, file.path),
    projectDir,
    startedAt: startedAt.toISOString(),
    subagents: [],
  };
}

async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const document = await readDocument(path, notes);
  if (!document) return;
  const { json, bytes } = document;
  const cwd = folderOf(json);
  const startedAt = createdAt(path) ?? statSync(path).mtime;
  const items = objectsIn(json['history']);
  notes.stray = Math.max(0, items.findIndex(isPrompt));
  for (const [index, step] of stepsOf(json).entries()) {
    options.signal?.throwIfAborted();
    const turn = new TurnDraft({
      id: step.id,
      agent: 'continue',
      session: sessionOf(json, path),
      origin: 'person',
      at: new Date(startedAt.getTime() + index * 1000).toISOString(),
      prompt: step.prompt,
      start: 0,
      end: bytes,
      ...given({ cwd }),
    });
    for (const [n, answer] of step.answers.entries())
      take(turn, answer, { id: `${step.id}-${n + 1}`, end: bytes, cwd });
    if (step.isOver) yield beforeEnd(turn.read(true));
    else yield turn.read(turn.last === 'said' || turn.last === 'denied');
  }
}

interface Place {
  readonly id: string;
  readonly end: number;
  readonly cwd: string | undefined;
}

function take(turn: TurnDraft, item: JsonObject, { id, end, cwd }: Place): void {
  const calls = objectsIn(item['toolCallStates']).flatMap((state) => callOf(state, cwd ?? '') ?? []);
  turn.say(textIn(item));
  for (const { use, result } of calls) {
    turn.call(use);
    if (result) turn.result(result);
  }
  const message = messageOf(item);
  const model = isObject(message['usage']) ? textOf(message['usage']['model']) : undefined;
  turn.note(id, { end, ...given({ last: lastOf(calls), model }) });
}

/** A denied call stops the agent. The user's own commands say nothing about the agent. */
function lastOf(calls: readonly Call[]): Last | undefined {
  if (calls.length === 0) return 'said';
  if (calls.every(({ use }) => BY_USER.test(use.id))) return undefined;
  return calls.some(({ result }) => result?.status === 'denied') ? 'denied' : 'midway';
}

interface Step {
  readonly id: string;
  readonly prompt: string;
  readonly answers: readonly JsonObject[];
  /** Another prompt follows. */
  readonly isOver: boolean;
}

/** Returns the prompts with their answers, without a last prompt that has none. */
function stepsOf(json: JsonObject): readonly Step[] {
  const items = objectsIn(json['history']);
  const starts = items.flatMap((item, at) => (isPrompt(item) && !isContinuation(items, at) ? [at] : []));
  // All items before the first prompt: after a compaction this is its summary.
  let chain = contentHash(items.slice(0, starts[0]).map(fingerprint).join('\n'));
  return starts.flatMap((at, n) => {
    const next = starts[n + 1];
    const prompt = items[at] ?? {};
    const answers = items.slice(at + 1, next).filter((item) => messageOf(item)['role'] === 'assistant');
    const [first] = answers;
    const begun = `${chain}\n${fingerprint(prompt)}\n${first ? fingerprint(first) : ''}`;
    chain = contentHash([begun, ...answers.slice(1).map(fingerprint)].join('\n'));
    if (!first && next === undefined) return [];
    const id = `continue-${contentHash(begun).slice(0, ID_LENGTH)}`;
    return [{ id, prompt: textIn(prompt), answers, isOver: next !== undefined }];
  });
}

function isPrompt(item: JsonObject): boolean {
  return messageOf(item)['role'] === 'user' && textIn(item) !== '';
}

function isContinuation(items: readonly JsonObject[], at: number): boolean {
  const item = items[at] ?? {};
  return textIn(item) === CONTINUE && items[at - 1]?.['conversationSummary'] !== undefined;
}

/** The parts of a message that never change: its text and the ids of its calls, but not their state. */
function fingerprint(item: JsonObject): string {
  const calls = objectsIn(messageOf(item)['toolCalls']).map(({ id }) => textOf(id) ?? '');
  return JSON.stringify([textIn(item), ...calls]);
}

function messageOf(item: JsonObject): JsonObject {
  return isObject(item['message']) ? item['message'] : {};
}

/** Images are named, and text that the client added to a prompt is in other fields. */
function textIn(item: JsonObject): string {
  const { content } = messageOf(item);
  if (typeof content === 'string') return content.trim();
  return objectsIn(content)
    .map((part) => (part['type'] === 'text' ? (textOf(part['text']) ?? '') : '[image]'))
    .filter(Boolean)
    .join('\n\n')
    .trim();
}

/** Editors write a URL. */
function folderOf(json: JsonObject): string | undefined {
  const folder = textOf(json['workspaceDirectory']);
  if (!folder?.startsWith('file:')) return folder;
  try {
    return fileURLToPath(folder);
  } catch {
    return undefined;
  }
}

function sessionOf(json: JsonObject, path: string): string {
  return textOf(json['sessionId']) ?? basename(path, '.json');
}

/** The list of sessions beside them has the time when each was created. */
function createdAt(path: string): Date | undefined {
  const session = basename(path, '.json');
  const entry = objectsIn(listBeside(path)).find(({ sessionId }) => sessionId === session);
  const created = textOf(entry?.['dateCreated']);
  if (created === undefined) return undefined;
  const date = new Date(/^\d+$/.test(created) ? Number(created) : created);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function listBeside(path: string): unknown {
  try {
    return JSON.parse(readTextSync(join(dirname(path), LIST), LIST_BYTES));
  } catch {
    return [];
  }
}
