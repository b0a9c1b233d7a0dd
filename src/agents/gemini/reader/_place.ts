/** Finds the session and the folder of a transcript of Gemini CLI, which names neither in its messages. */
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { given } from '../../../core/index.ts';
import { readLines, readText, STATE_BYTES, TRANSCRIPT_BYTES } from '../../../files/index.ts';
import { lineText } from '../../reading/json-lines.ts';
import { parseObject, textOf, type JsonObject } from '../../reading/json.ts';

/** The first line has a few short fields. */
const HEADER_BYTES = 256 * 1024;
const CHATS = `${sep}chats${sep}`;
/** An absolute path as a value or in a text. */
const ABSOLUTE = /(?:\/[\w.@+~ -]+)+/g;

export interface SessionHead {
  readonly session: string;
  readonly isSubagent: boolean;
  readonly at?: string;
  readonly projectHash?: string;
}

/** Undefined if the file is missing or does not begin like a session. */
export async function sessionIn(path: string): Promise<SessionHead | undefined> {
  const json = path.endsWith('.json') ? await whole(path) : await firstLine(path);
  const session = textOf(json?.['sessionId']);
  if (json === undefined || session === undefined) return undefined;
  return {
    session,
    isSubagent: json['kind'] === 'subagent',
    ...given({ at: textOf(json['startTime']), projectHash: textOf(json['projectHash']) }),
  };
}

/**
 * The client keeps the folder beside its sessions. Older versions only keep its hash: then it is the folder above a file
 * of the session that has this hash.
 */
export async function projectFolder(path: string): Promise<string | undefined> {
  const project = projectOf(path);
  const kept = project && (await readText(join(project, '.project_root'), STATE_BYTES).catch(() => ''));
  if (kept) return kept.trim();
  const hash = (await sessionIn(path))?.projectHash;
  const text = hash && (await readText(path, TRANSCRIPT_BYTES).catch(() => ''));
  return text ? folderWith(hash, text) : undefined;
}

/** `<tmp>/<project>/chats/…` → `<tmp>/<project>` */
function projectOf(path: string): string | undefined {
  const at = path.lastIndexOf(CHATS);
  return at < 0 ? undefined : path.slice(0, at);
}

function folderWith(hash: string, text: string): string | undefined {
  const tried = new Set<string>();
  for (const [found] of text.matchAll(ABSOLUTE)) {
    for (let folder = found; isAbsolute(folder) && !tried.has(folder); folder = dirname(folder)) {
      tried.add(folder);
      if (createHash('sha256').update(folder).digest('hex') === hash) return folder;
    }
  }
  return undefined;
}

async function firstLine(path: string): Promise<JsonObject | undefined> {
  for await (const { bytes } of readLines(path, { maxBytes: HEADER_BYTES }))
    return bytes && parseObject(lineText(bytes));
  return undefined;
}

async function whole(path: string): Promise<JsonObject | undefined> {
  return parseObject(await readText(path, TRANSCRIPT_BYTES).catch(() => ''));
}
