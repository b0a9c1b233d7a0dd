/** Reads the first line of a pi session: its id, folder and time. Later lines do not repeat them. */
import { isAbsolute, resolve } from 'node:path';
import { given } from '../../../core/index.ts';
import { readLines } from '../../../files/index.ts';
import { lineText } from '../../reading/json-lines.ts';
import { parseObject, textOf } from '../../reading/json.ts';

/** A header has a few short fields. */
const HEADER_BYTES = 64 * 1024;

export interface Header {
  readonly session: string;
  readonly at: string;
  readonly cwd?: string;
}

/** Undefined if the file is missing or does not begin like a session. */
export async function headerOf(path: string): Promise<Header | undefined> {
  for await (const { bytes } of readLines(path, { maxBytes: HEADER_BYTES })) {
    const json = bytes && parseObject(lineText(bytes));
    const session = textOf(json?.['id']);
    const at = textOf(json?.['timestamp']);
    if (json?.['type'] !== 'session' || session === undefined || at === undefined) return undefined;
    if (Number.isNaN(Date.parse(at))) return undefined;
    return { session, at, ...given({ cwd: textOf(json['cwd']) }) };
  }
  return undefined;
}

/** Returns an absolute path where the folder of the session is known. */
export function absolute(path: string, cwd: string | undefined): string {
  return cwd === undefined || isAbsolute(path) || path.startsWith('~') ? path : resolve(cwd, path);
}
