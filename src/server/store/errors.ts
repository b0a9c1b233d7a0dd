/** What the database complains of → what a person can act on. Never carries a value of a statement. Pure. */
import { TidemarkError } from '../../core/index.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The id in lower case. What is no uuid belongs to nothing, and never gets near a statement. */
export function checkedUuid(text: string): string {
  if (!isUuid(text)) throw notFound('id');
  return text.toLowerCase();
}

export function notFound(what: string): TidemarkError {
  return new TidemarkError('not-found', `no such ${what}`, {
    hint: 'it does not exist, or is not shared with you',
  });
}

/** A list begun at the top again would never end for who goes on by a cursor that was cut or made up. */
export function strangeCursor(): TidemarkError {
  return new TidemarkError('invalid', 'cursor: this list gave no such cursor', {
    hint: 'Leave it out for the first page, and hand back what a page gave for the next.',
  });
}

export function forbidden(message: string, hint: string): TidemarkError {
  return new TidemarkError('forbidden', message, { hint });
}

const PRIVILEGE = '42501';

/** `database-unavailable`: try again later. `forbidden`: row-level security said no. The rest is a bug, and says so. */
export function databaseError(error: unknown): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === PRIVILEGE && /row-level security/.test(String(error)))
    return new TidemarkError('forbidden', 'that is not yours to change', {
      cause: error,
      hint: 'ask an owner of the team for the right to write',
    });
  if (code === PRIVILEGE)
    return new TidemarkError('database-privilege', 'the database refuses this to the user of its address', {
      cause: error,
      hint: 'let a user with CREATEROLE run `tidemark server init` once, or make the roles by hand (docs/server.md)',
    });
  if (isAway(code, error))
    return new TidemarkError('database-unavailable', 'the database does not answer', {
      cause: error,
      hint: 'see that PostgreSQL runs and the address of the database is right, then try again',
    });
  return new TidemarkError('database-error', `the database refused a statement (${code || 'no code'})`, {
    cause: error,
    hint: 'run `tidemark server doctor`',
  });
}

/** 08: connection, 53: out of something, 57: shut down or taken too long, 28: not let in, 3D: no such database. */
function isAway(code: string, error: unknown): boolean {
  if (/^(?:08|53|57|28|3D)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  return error instanceof Error && /timeout|terminated|ended|not queryable/i.test(error.message);
}
