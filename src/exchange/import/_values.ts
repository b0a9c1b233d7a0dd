/** Reads values of other programs' stores, which may be missing or of any type. Pure. */
import { AGENTS, FIRST_AGENT, type Agent } from '../../core/index.ts';

export type Loose = Readonly<Record<string, unknown>>;

export function text(row: Loose, key: string): string {
  const value = row[key];
  return typeof value === 'string' ? value.replaceAll('\0', '').trim() : '';
}

export function integer(row: Loose, key: string): number | undefined {
  const value = typeof row[key] === 'bigint' ? Number(row[key]) : row[key];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** Reads a list stored as JSON or as lines. */
export function texts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  if (typeof value !== 'string' || value.trim() === '') return [];
  try {
    const parsed: unknown = JSON.parse(value);
    if (Array.isArray(parsed)) return parsed.filter((item) => typeof item === 'string');
  } catch {
    // not JSON: read as lines
  }
  return value
    .split('\n')
    .map((line) => line.replace(/^[-*]\s+/, '').trim())
    .filter((line) => line !== '');
}

/** No agent's session is older; a clock may be wrong by a day. */
const EARLIEST = Date.parse('2020-01-01T00:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
/** Milliseconds since 1970 passed this in 2001; seconds will in the year 33658. */
const LEAST_MS = 1e12;

/** Returns the first plausible time as ISO 8601. Accepts text, seconds and milliseconds. */
export function timeOf(...candidates: readonly unknown[]): string | undefined {
  for (const candidate of candidates) {
    const time =
      typeof candidate === 'number'
        ? candidate < LEAST_MS
          ? candidate * 1000
          : candidate
        : typeof candidate === 'string' && candidate !== ''
          ? Date.parse(candidate)
          : Number.NaN;
    if (time >= EARLIEST && time <= Date.now() + DAY_MS) return new Date(time).toISOString();
  }
  return undefined;
}

/** Returns the agent by its name in a peer's data, such as `codex-cli`; the first one for unknown names. */
export function agentOf(name: string): Agent {
  const [word = ''] = name.toLowerCase().split(/[^a-z]/);
  return AGENTS.find((agent) => agent === word) ?? FIRST_AGENT;
}
