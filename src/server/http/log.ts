/** The server's log: one JSON object per line. Never contains a key, a body, a query or the text of a memory. */
import { TidemarkError, plainJson } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';

export type Log = (level: 'info' | 'warn' | 'error', message: string, facts?: Facts) => void;
export type Facts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `{"at":"…","level":"info","message":"listening","port":7437}` */
export function jsonLog(write: (line: string) => void): Log {
  return (level, message, facts = {}) =>
    write(`${plainJson({ at: new Date().toISOString(), level, message, ...facts })}\n`);
}

/** Returns an error as log fields. A database message can quote a row, so only its code and the stack frames are logged. */
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

/** Returns the first stack frames, without the message above them. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return lines
    .slice(0, FRAMES)
    .map((line) => line.trim())
    .join(' < ');
}
