/** Reads the first line of a Codex transcript (`session_meta`), which every part of the file needs. */
import { closeSync, readSync } from 'node:fs';
import { given } from '../../../core/index.ts';
import { openRegularSync } from '../../../files/index.ts';
import { isObject, parseObject, textOf, type JsonObject } from '../../reading/json.ts';

/** The line contains the model's instructions, about 25 KB today. */
const MAX_HEAD_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

export interface FileHead {
  /** The conversation's own id, as in the file's name. */
  readonly thread: string;
  /** The session it belongs to: for a subagent that of the main conversation. */
  readonly session: string;
  readonly isSubagent: boolean;
  readonly startedAt?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly version?: string;
}

/** Undefined if the first line is not yet whole, or is no `session_meta`. Throws if the file cannot be read. */
export function readHead(path: string): FileHead | undefined {
  const { fd } = openRegularSync(path);
  try {
    const line = firstLine(fd);
    return line === undefined ? undefined : headIn(line);
  } finally {
    closeSync(fd);
  }
}

function firstLine(fd: number): string | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; at < MAX_HEAD_BYTES;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, at);
    const end = chunk.subarray(0, length).indexOf(NEWLINE);
    chunks.push(chunk.subarray(0, end < 0 ? length : end));
    if (end >= 0 || length === 0) return Buffer.concat(chunks).toString('utf8');
    at += length;
  }
  return undefined;
}

function headIn(line: string): FileHead | undefined {
  const json = parseObject(line.replace(/^\uFEFF/, '').trim());
  const meta = json?.['type'] === 'session_meta' ? json['payload'] : undefined;
  const thread = isObject(meta) ? textOf(meta['id']) : undefined;
  if (!isObject(meta) || thread === undefined) return undefined;
  const git = isObject(meta['git']) ? meta['git'] : {};
  return {
    thread,
    session: textOf(meta['session_id']) ?? thread,
    isSubagent: isSubagent(meta),
    ...given({
      startedAt: textOf(meta['timestamp']) ?? textOf(json?.['timestamp']),
      cwd: textOf(meta['cwd']),
      branch: textOf(git['branch']),
      version: textOf(meta['cli_version']),
    }),
  };
}

function isSubagent(meta: JsonObject): boolean {
  return meta['thread_source'] === 'subagent' || (isObject(meta['source']) && 'subagent' in meta['source']);
}
