/** What the server tells its operator: one JSON object a line. Never a key, a body, a query or a text of a memory. */
import { TidemarkError } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';

export type Log = (level: 'info' | 'warn' | 'error', message: string, facts?: Facts) => void;
export type Facts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `{"at":"…","level":"info","message":"listening","port":7437}` */
export function jsonLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  return (level, message, facts = {}) =>
    write(`${JSON.stringify({ at: now().toISOString(), level, message, ...facts })}\n`);
}

/** An error as facts. What the database said may quote a row: only its code and the place in our code are kept. */
export function errorFacts(error: unknown): Facts {
  if (!(error instanceof Error)) return { error: 'not an error' };
  const { cause } = error;
  return {
    error: error instanceof TidemarkError ? redact(error.message).text : error.name,
    code: codeOf(error),
    ...(cause instanceof Error ? { cause: cause.name, causeCode: codeOf(cause) } : {}),
    stack: framesOf(cause instanceof Error ? cause : error),
  };
}

function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

const FRAMES = 8;

/** Without the message that stands on top of it. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return lines
    .slice(0, FRAMES)
    .map((line) => line.trim())
    .join(' < ');
}
