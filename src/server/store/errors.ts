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

export const PRIVILEGE = '42501';

/** Whether a read was refused for a reason that no other database would change. */
export function isRefusal(error: unknown): boolean {
  return error instanceof TidemarkError && !error.code.startsWith('database-');
}

/** `database-unavailable`: retry later. `forbidden`: refused by row-level security. Everything else is a bug. */
export function databaseError(error: unknown): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? `${error.message} ${detailOf(error)}` : '';
  if (code === PRIVILEGE && /row-level security/.test(message))
    return new TidemarkError('forbidden', 'you may not change this', {
      cause: error,
      hint: 'Ask an owner of the team for write access.',
    });
  const known = REASONS.find(({ fits }) => fits(code, message));
  if (known)
    return new TidemarkError('database-unavailable', known.reason, { cause: error, hint: known.hint });
  if (code === PRIVILEGE)
    return new TidemarkError(
      'database-privilege',
      `the database user lacks a privilege${objectOf(message)}`,
      {
        cause: error,
        hint: 'Use the database user that ran `tidemark server init`, or run it as the owner of the database; roles are described in docs/server.md.',
      },
    );
  return new TidemarkError('database-error', `the database refused a statement (${code || 'no code'})`, {
    cause: error,
    hint: 'Run: tidemark server doctor',
  });
}

/** Says why a login was refused; other details can quote a row. */
function detailOf(error: Error): string {
  const { detail, severity } = error as { readonly detail?: unknown; readonly severity?: unknown };
  return severity === 'FATAL' && typeof detail === 'string' ? detail : '';
}

/** Names the object of a refusal, if it is one of ours: ` (schema tidemark)`. */
function objectOf(message: string): string {
  const [, found] =
    /permission denied (?:for|to set) ((?:schema|table|function|role) "?tidemark\w*"?)/.exec(message) ?? [];
  return found ? ` (${found.replaceAll('"', '')})` : '';
}

/** Why the database cannot be used now, and what to do about it; the first that fits. */
const REASONS: readonly {
  readonly fits: (code: string, message: string) => boolean;
  readonly reason: string;
  readonly hint: string;
}[] = [
  {
    fits: (code) => code === '28P01',
    reason: 'the database refused the password',
    hint: 'Correct user and password in DATABASE_URL. Encode signs like @ / : in a password as %40 %2F %3A.',
  },
  {
    fits: (code, message) => code === '28000' && /no encryption|SSL off/i.test(message),
    reason: 'the database accepts only encrypted connections',
    hint: 'Add ?sslmode=require to DATABASE_URL, or allow this address in pg_hba.conf.',
  },
  {
    fits: (code) => code.startsWith('28'),
    reason: 'the database refused the login',
    hint: 'Check that the user of DATABASE_URL exists and may log in, and that pg_hba.conf allows it from this address.',
  },
  {
    fits: (code) => code.startsWith('3D'),
    reason: 'there is no database of this name',
    hint: 'Correct the name at the end of DATABASE_URL, or create it: createdb --owner <user> <name>',
  },
  {
    fits: (code, message) => code === PRIVILEGE && /CONNECT privilege/.test(message),
    reason: 'the user may not connect to this database',
    hint: 'As the owner of the database: GRANT CONNECT ON DATABASE <name> TO <user>',
  },
  {
    fits: (code, message) => code === PRIVILEGE && /for database/.test(message),
    reason: 'the user may not create a schema in this database',
    hint: 'Make it the owner, as a superuser: ALTER DATABASE <name> OWNER TO <user>',
  },
  {
    fits: (code, message) => code === '25006' || /during recovery/.test(message),
    reason: 'the database is read-only: a replica, or not recovered yet',
    hint: 'Use the address of the primary in DATABASE_URL, or wait until the recovery ends (SELECT pg_is_in_recovery()).',
  },
  {
    fits: (code) => code === '53100',
    reason: 'the disk of the database is full',
    hint: 'Free space on the disk of PostgreSQL. Nothing was stored; clients send it again.',
  },
  {
    fits: (code, message) =>
      /CERT|_TLS_|_SSL_|SIGNATURE/.test(code) || /does not support SSL|certificate/i.test(message),
    reason: 'no encrypted connection to the database is possible',
    hint: 'Check sslmode and sslrootcert in DATABASE_URL against the certificate of the database.',
  },
  {
    fits: (code) => code === 'ENOTFOUND' || code === 'EAI_AGAIN',
    reason: 'the host name of the database is unknown',
    hint: 'Correct the host in DATABASE_URL, or check the name server.',
  },
  {
    fits: (code) => code === 'ECONNREFUSED' || code === 'ENOENT',
    reason: 'the database does not answer: nothing listens at its address',
    hint: 'Start PostgreSQL, or correct host and port in DATABASE_URL.',
  },
  {
    fits: (code) => code === 'EHOSTUNREACH' || code === 'ENETUNREACH',
    reason: 'the host of the database cannot be reached',
    hint: 'Check the network and the host in DATABASE_URL.',
  },
  {
    // The second one is of PgBouncer.
    fits: (code, message) => code === '53300' || /no more connections allowed/.test(message),
    reason: 'the database has no connection left',
    hint: 'All servers together need --connections + 2 each: give them fewer (--connections 10), raise max_connections of PostgreSQL (max_client_conn of PgBouncer), or put a pooler in between. See docs/server.md.',
  },
  {
    fits: (code) => code === '57P03',
    reason: 'the database is starting up or shutting down',
    hint: 'Wait a moment, then try again.',
  },
  {
    fits: (code, message) => code === 'ETIMEDOUT' || /timeout/i.test(message),
    reason: 'the database does not answer in time',
    hint: 'Check that PostgreSQL runs and is not stopped or overloaded, and that no firewall drops its packets.',
  },
  {
    // 08: connection, 53: out of resources, 57: shutdown or time-out.
    fits: (code, message) =>
      /^(?:08|53|57)/.test(code) || /^E[A-Z]+$/.test(code) || /terminated|ended|not queryable/i.test(message),
    reason: 'the database does not answer',
    hint: 'Check that PostgreSQL runs and that the address of the database is right, then try again.',
  },
];
