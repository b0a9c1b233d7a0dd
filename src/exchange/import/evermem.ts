/**
 * Reads EverMem's data: the sessions and projects its plugin stored on this machine and, if the user gives a key, the
 * memories of its cloud.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entriesOf } from '../../agents/index.ts';
import { given, MEMORY_KINDS, SUMMARY_FIELDS, type SessionSummary } from '../../core/index.ts';
import { draftOf, kindOfNote } from './_draft.ts';
import { cloudMemories } from './_evermem-cloud.ts';
import { readJsonLines, readText } from './_safe-read.ts';
import { text, timeOf, type Loose } from './_values.ts';
import type { PeerFound, PeerItem, PeerProject, PeerReader, ReadOptions, Surroundings } from './peer.ts';

const SESSIONS = 'sessions.jsonl';
const GROUPS = 'groups.jsonl';
/** Messages as its API takes them, as `tidemark export --format evermem` writes them. */
const MESSAGES = 'memories.jsonl';
/** Depth of a plugin's data below the client's folder: cache/<marketplace>/<plugin>/<version>/data. */
const PLUGIN_DEPTH = 5;

export const evermem: PeerReader = {
  name: 'evermem',
  title: 'EverMem',
  find: ({ configDir }: Surroundings) =>
    dataFolders(join(configDir, 'plugins'), PLUGIN_DEPTH).flatMap((folder) => look(folder) ?? []),
  look: (path) => look(existsSync(join(path, 'data', GROUPS)) ? join(path, 'data') : path),
  read,
};

function look(path: string): PeerFound | undefined {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const folder = isFolder ? path : dirname(path);
  if (!existsSync(join(folder, SESSIONS)) && !existsSync(join(folder, GROUPS))) return undefined;
  const counts = {
    sessions: lineCount(join(folder, SESSIONS)),
    projects: lineCount(join(folder, GROUPS)),
    memories: lineCount(join(folder, MESSAGES)),
  };
  return { name: 'evermem', path: folder, counts };
}

async function* read({ path }: PeerFound, { signal, api }: ReadOptions): AsyncGenerator<PeerItem> {
  const groups = new Map<string, PeerProject>();
  if (existsSync(join(path, GROUPS))) {
    for await (const line of readJsonLines(join(path, GROUPS), path, signal)) {
      if ('reason' in line) yield problem(join(path, GROUPS), line);
      else {
        const dir = text(line.value, 'path');
        const name = text(line.value, 'name') || basename(dir);
        groups.set(text(line.value, 'groupId'), { name, ...(dir === '' ? {} : { dir }) });
      }
    }
  }
  const placeOf = (group: string): PeerProject => groups.get(group) ?? { name: group };
  if (existsSync(join(path, SESSIONS))) {
    for await (const line of readJsonLines(join(path, SESSIONS), path, signal)) {
      if ('reason' in line) yield problem(join(path, SESSIONS), line);
      else yield sessionOf(line.value, placeOf, join(path, SESSIONS), line.line);
    }
  }
  if (existsSync(join(path, MESSAGES))) {
    for await (const line of readJsonLines(join(path, MESSAGES), path, signal)) {
      if ('reason' in line) yield problem(join(path, MESSAGES), line);
      else yield messageOf(line.value, placeOf, join(path, MESSAGES), line.line);
    }
  }
  if (api) yield* cloudMemories(api, groups, placeOf, signal);
}

function sessionOf(
  row: Loose,
  placeOf: (group: string) => PeerProject,
  file: string,
  line: number,
): PeerItem {
  const id = text(row, 'sessionId');
  const startedAt = timeOf(text(row, 'startTime'), text(row, 'timestamp'));
  const endedAt = timeOf(text(row, 'endTime'), text(row, 'timestamp'));
  if (id === '' || startedAt === undefined)
    return { kind: 'problem', file, line, reason: id === '' ? 'no session' : 'no time' };
  const title = text(row, 'summary');
  return {
    kind: 'session',
    source: `session:${id}`,
    id,
    agent: 'claude-code',
    startedAt,
    ...(endedAt ? { endedAt } : {}),
    status: 'completed',
    ...(title === '' ? {} : { title, summary: summaryOf(title) }),
    ...given({ turns: turnsIn(row) }),
    place: placeOf(text(row, 'groupId')),
  };
}

/** A message becomes a memory: its first line is the title, with the kind before it where it is one of ours. */
function messageOf(
  row: Loose,
  placeOf: (group: string) => PeerProject,
  file: string,
  line: number,
): PeerItem {
  const [first = '', ...rest] = text(row, 'content').split('\n');
  const [, named = '', title = first] = /^([a-z]+(?: [a-z]+)?): (.+)$/.exec(first) ?? [];
  const kind = MEMORY_KINDS.find((one) => one === named.replace(' ', '_'));
  const draft = draftOf({
    kind: kind ?? kindOfNote(first),
    title: kind ? title : first,
    body: rest.join('\n').trim(),
  });
  const at = timeOf(row['create_time']);
  if (!draft || at === undefined)
    return { kind: 'problem', file, line, reason: draft ? 'no time' : 'no content' };
  const id = text(row, 'message_id');
  return {
    kind: 'memory',
    key: `evermem\n${id || `${at}\n${first}`}`,
    source: `message:${id}`,
    at,
    draft,
    agent: 'claude-code',
    session: '',
    place: placeOf(text(row, 'group_id')),
  };
}

/** Undefined for a count that is none. */
function turnsIn({ turnCount }: Loose): number | undefined {
  return typeof turnCount === 'number' && Number.isSafeInteger(turnCount) && turnCount >= 0
    ? turnCount
    : undefined;
}

function summaryOf(request: string): SessionSummary {
  const empty = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, ''])) as unknown as SessionSummary; // has every field
  return { ...empty, request };
}

function problem(file: string, { line, reason }: { line: number; reason: string }): PeerItem {
  return { kind: 'problem', file, line, reason };
}

/** `data` folders of plugins called EverMem, of any marketplace and version. */
function dataFolders(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const isData = entry.name === 'data' && /evermem/i.test(path) && existsSync(join(path, GROUPS));
      return isData ? [path] : dataFolders(path, depth - 1);
    });
}

function lineCount(path: string): number {
  if (!existsSync(path)) return 0;
  const file = readText(path, dirname(path));
  return file.ok ? file.text.split('\n').filter((line) => line.trim() !== '').length : 0;
}
