/** Small files read for evidence: what cannot be read counts as absent. */
import { readFileSync } from 'node:fs';

export function firstLine(path: string): string | undefined {
  return textOf(path)?.split(/\r?\n/, 1)[0];
}

export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export function jsonOf(path: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
  } catch {
    return {};
  }
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
