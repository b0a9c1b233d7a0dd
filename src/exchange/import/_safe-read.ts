/**
 * Reads untrusted files: pipes, devices, links out of their folder, files of any size and encoding. Never waits for a
 * pipe, never reads more than the cap.
 */
import { closeSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { entriesOf, whyNot as reasonOf } from '../../agents/index.ts';
import { given } from '../../core/index.ts';
import { linesIn, openRegular, openRegularSync, readOpenSync } from '../../files/index.ts';
import type { Loose } from './_values.ts';
import type { PeerItem } from './peer.ts';

/** Years of hand-written notes are a few megabytes; a larger file is something else. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

interface TextFile {
  readonly ok: true;
  readonly text: string;
  readonly modifiedAt: Date;
  readonly note?: LineNote;
}

interface LineNote {
  readonly line: number;
  readonly reason: string;
}

/** Reads a complete text file below a folder. */
export function readText(
  path: string,
  below: string,
): TextFile | { readonly ok: false; readonly reason: string } {
  const read =
    refusal(path, below) ??
    withRegularFile(path, (file, modifiedAt) => {
      const bytes = readOpenSync(file, MAX_TEXT_BYTES, path);
      return { ok: true, modifiedAt: new Date(modifiedAt), ...decoded(bytes) } as const;
    });
  return typeof read === 'string' ? { ok: false, reason: read } : read;
}

/** Reads a file; yields a problem if it cannot be read, or if it is not UTF-8. */
export function* readOrReport(path: string, folder: string): Generator<PeerItem, TextFile | undefined> {
  const file = readText(path, folder);
  if (!file.ok) {
    yield { kind: 'problem', file: path, reason: file.reason };
    return undefined;
  }
  if (file.note) yield { kind: 'problem', file: path, ...file.note };
  return file;
}

/** Yields the objects of a JSONL file, and a reason for each line that is not a JSON object. */
export async function* readJsonLines(
  path: string,
  below: string,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly line: number; readonly value: Loose } | LineNote> {
  const reason = refusal(path, below);
  if (reason !== undefined) return yield { line: 0, reason };
  const file = await openRegular(path).catch(whyNot);
  if (typeof file === 'string') return yield { line: 0, reason: file };
  try {
    let line = 0;
    for await (const { bytes } of linesIn(file, { maxBytes: MAX_TEXT_BYTES, ...given({ signal }) })) {
      line++;
      if (bytes === undefined) {
        yield { line, reason: 'too long, skipped' };
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

/** Opens a regular file and calls `work`; returns the reason where that is not possible. */
export function withRegularFile<T>(path: string, work: (file: number, modifiedAt: number) => T): T | string {
  try {
    const { fd, modifiedAt } = openRegularSync(path);
    try {
      return work(fd, modifiedAt);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return whyNot(error);
  }
}

/** Files of a folder whose names match, links included; reading them checks their target. */
export function filesIn(folder: string, name: RegExp): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => !entry.isDirectory() && name.test(entry.name))
    .map((entry) => join(folder, entry.name));
}

/** Refuses links out of the folder: a cloned project may contain links to any file of the user. */
function refusal(path: string, below: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    const way = relative(realpathSync.native(below), real);
    return way === '..' || way.startsWith(`..${sep}`) ? 'a link to a file outside its folder' : undefined;
  } catch (error) {
    return whyNot(error);
  }
}

export function whyNot(error: unknown): string {
  return reasonOf(error, MAX_TEXT_BYTES);
}

function decoded(bytes: Buffer): { text: string; note?: LineNote } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes) };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    const loose = bytes.toString('utf8');
    const line = loose.slice(0, loose.indexOf('\ufffd')).split('\n').length;
    return { text, note: { line, reason: 'not UTF-8; read as Windows-1252' } };
  }
}

function objectIn(text: string): Loose | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Loose) // what JSON.parse gives for an object
      : undefined;
  } catch {
    return undefined;
  }
}
