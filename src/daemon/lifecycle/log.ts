/**
 * The daemon's log: one JSON line per event, with levels, rotated by size. Every line is redacted before it is written.
 * Never throws: a failing log must not stop the work.
 */
import { given, plainJson } from '../../core/index.ts';
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { redactDeep } from '../../privacy/index.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export type Log = Readonly<
  Record<LogLevel, (what: string, facts?: Readonly<Record<string, unknown>>) => void>
>;

const ROTATE_AT_BYTES = 4 * 1024 * 1024; // two days of a busy laptop at level info
const MAX_FILES = 3;

export function openLog(path: string, level: LogLevel, now: () => Date = () => new Date()): Log {
  const least = LOG_LEVELS.indexOf(level);
  makeFolder(path);
  const writer =
    (at: LogLevel): Log[LogLevel] =>
    (what, facts = {}) => {
      if (LOG_LEVELS.indexOf(at) < least) return;
      const line = { at: now().toISOString(), level: at, pid: process.pid, what, ...facts };
      write(path, `${plainJson(redactDeep(line).value)}\n`);
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

/** Returns message, code, cause and place of an error for the log, without its stack. */
export function factsOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = (error as { code?: unknown }).code;
  return {
    error: error.message,
    ...given({ code, cause: error.cause && String(error.cause) }),
    where: error.stack
      ?.split('\n')[1]
      ?.trim()
      .replace(/\(?\/.*\//, '('),
  };
}

function write(path: string, line: string): void {
  try {
    rotate(path);
    appendFileSync(path, line, { mode: 0o600 });
  } catch {
    // The disk may be full or the home read-only; `doctor` reports that.
  }
}

function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < ROTATE_AT_BYTES) return;
  for (let i = MAX_FILES - 1; i >= 1; i--) {
    const older = i === 1 ? path : `${path}.${i - 1}`;
    if (statSync(older, { throwIfNoEntry: false })) renameSync(older, `${path}.${i}`);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch {
    // As above.
  }
}
