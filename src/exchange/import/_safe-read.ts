/**
 * Reads files nobody vouches for: pipes, devices, links that lead out of their folder, files of any size and encoding.
 * Never waits for a pipe, never holds more than the cap, never writes.
 */
import { closeSync, realpathSync, type Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { readLines } from '../../agents/index.ts';
import {
  FILE_TOO_LARGE,
  isRefused,
  listFolderSync,
  openRegular,
  openRegularSync,
  readOpenSync,
} from '../../files/index.ts';

/** Years of notes by hand are a few megabytes; what is larger is something else. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

export type TextRead =
  | { readonly ok: true; readonly text: string; readonly modifiedAt: Date; readonly note?: LineNote }
  | { readonly ok: false; readonly reason: string };

export interface LineNote {
  readonly line: number;
  readonly reason: string;
}

/** The whole text of a file below a folder. */
export function readText(path: string, below: string): TextRead {
  const reason = refusal(path, below);
  if (reason !== undefined) return { ok: false, reason };
  try {
    const { fd, modifiedAt } = openRegularSync(path);
    try {
      const bytes = readOpenSync(fd, MAX_TEXT_BYTES, path);
      return { ok: true, modifiedAt: new Date(modifiedAt), ...decoded(bytes) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { ok: false, reason: whyNot(error) };
  }
}

export type JsonLine =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly reason: string };

/** The objects of a JSONL file one by one; a line that is none is told, and the rest goes on. */
export async function* readJsonLines(
  path: string,
  below: string,
  signal?: AbortSignal,
): AsyncGenerator<JsonLine> {
  const reason = refusal(path, below);
  if (reason !== undefined) return yield { line: 0, reason };
  const file = await openRegular(path).catch(whyNot);
  if (typeof file === 'string') return yield { line: 0, reason: file };
  try {
    let line = 0;
    for await (const { bytes } of readLines(file, 0, signal)) {
      line++;
      if (bytes === undefined) {
        yield { line, reason: 'too long, passed over' };
        continue;
      }
      const text = decoded(bytes).text.replaceAll('\0', '').trim();
      if (text === '') continue;
      const value = objectIn(text);
      yield value ? { line, value } : { line, reason: 'not a JSON object' };
    }
  } finally {
    await file.close();
  }
}

/** Names in a folder, links and all; none where it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return listFolderSync(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Files of a folder whose names fit, links included: what they lead to is asked when they are read. */
export function filesIn(folder: string, name: RegExp): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => !entry.isDirectory() && name.test(entry.name))
    .map((entry) => join(folder, entry.name));
}

/** Why a file must not be read: a project one cloned may hold links to anything of its user's. */
function refusal(path: string, below: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    const way = relative(realpathSync.native(below), real);
    return way === '..' || way.startsWith(`..${sep}`) ? 'a link that leads out of its folder' : undefined;
  } catch (error) {
    return whyNot(error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'not readable for you',
  EPERM: 'not readable for you',
  ENOENT: 'not there, or a link that leads nowhere',
  ELOOP: 'a link that leads back to itself',
};

export function whyNot(error: unknown): string {
  if (isRefused(error))
    return error.code === FILE_TOO_LARGE
      ? `larger than ${MAX_TEXT_BYTES / 1024 / 1024} MB, passed over`
      : 'not a regular file';
  const { code, message } = error as NodeJS.ErrnoException; // what fs throws is an errno error
  return REASONS[code ?? ''] ?? message ?? String(error);
}

function decoded(bytes: Buffer): { text: string; note?: LineNote } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: utf16(bytes.subarray(2), 'utf-16le') };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: utf16(bytes.subarray(2), 'utf-16be') };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    const loose = bytes.toString('utf8');
    const line = loose.slice(0, loose.indexOf('\ufffd')).split('\n').length;
    return { text, note: { line, reason: 'not UTF-8; read as Windows-1252' } };
  }
}

function utf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): string {
  return new TextDecoder(encoding).decode(bytes);
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>) // what JSON.parse gives for an object
      : undefined;
  } catch {
    return undefined;
  }
}
