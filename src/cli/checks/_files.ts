/** Reads small files as evidence. An unreadable file counts as absent. */
import { readTextSync } from '../../files/index.ts';

/** Settings of the client and events set aside; the largest seen is a few megabytes. */
const EVIDENCE_BYTES = 16 * 1024 * 1024;

export function firstLine(path: string): string | undefined {
  return textOf(path)?.split(/\r?\n/, 1)[0];
}

export function textOf(path: string): string | undefined {
  try {
    return readTextSync(path, EVIDENCE_BYTES);
  } catch {
    return undefined;
  }
}

export function jsonOf(path: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(readTextSync(path, EVIDENCE_BYTES).replace(/^\uFEFF/, '')));
  } catch {
    return {};
  }
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
