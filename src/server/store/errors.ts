/** Database errors → errors with a hint. The messages never contain a value of a statement. Pure. */
import { TidemarkError } from '../../core/index.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns the id in lower case; throws `not-found` for any other text. */
export function checkedUuid(text: string): string {
  if (!isUuid(text)) throw notFound('id');
  return text.toLowerCase();
}

export function notFound(what: string): TidemarkError {
  return new TidemarkError('not-found', `no such ${what}`, {
    hint: 'It does not exist, or it is not shared with you.',
  });
}

/** Refused, because starting at the top again would make a client with a broken cursor loop. */
export function invalidCursor(): TidemarkError {
  return new TidemarkError('invalid', 'cursor: not a cursor of this list', {
    hint: 'Leave it out for the first page; use the cursor of a page for the next one.',
  });
}

export function forbidden(message: string, hint: string): TidemarkError {
  return new TidemarkError('forbidden', message, { hint });
}

const PRIVILEGE = '42501';

/** `database-unavailable`: retry later. `forbidden`: refused by row-level security. Everything else is a bug. */
export function databaseError(error: unknown): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === PRIVILEGE && /row-level security/.test(String(error)))
    return new TidemarkError('forbidden', 'you may not change this', {
      cause: error,
      hint: 'Ask an owner of the team for write access.',
    });
  if (code === PRIVILEGE)
    return new TidemarkError('database-privilege', 'the database user lacks a privilege', {
      cause: error,
      hint: 'Run `tidemark server init` once as a user with CREATEROLE, or create the roles by hand (docs/server.md).',
    });
  if (isUnavailable(code, error))
    return new TidemarkError('database-unavailable', 'the database does not answer', {
      cause: error,
      hint: 'Check that PostgreSQL runs and that the address of the database is right, then try again.',
    });
  return new TidemarkError('database-error', `the database refused a statement (${code || 'no code'})`, {
    cause: error,
    hint: 'Run: tidemark server doctor',
  });
}

/** 08: connection, 53: out of resources, 57: shutdown or time-out, 28: login refused, 3D: no such database. */
function isUnavailable(code: string, error: unknown): boolean {
  if (/^(?:08|53|57|28|3D)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  return error instanceof Error && /timeout|terminated|ended|not queryable/i.test(error.message);
}
