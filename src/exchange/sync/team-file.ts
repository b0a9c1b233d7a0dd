/** `team.json`: which server, as whom, and the key, for the owner alone. The key is never logged, printed or sent elsewhere. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { shortHash, TidemarkError } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

const Named = v.object({ id: v.string(), name: v.string() });
const TeamFile = v.object({
  /** Kept when one logs out: the files of others' journals are called by it. */
  machine: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/)),
  login: v.exactOptional(
    v.object({ server: v.string(), key: v.string(), member: Named, team: Named, at: v.string() }),
  ),
});

export type TeamFile = v.InferOutput<typeof TeamFile>;
export type Login = NonNullable<TeamFile['login']>;

const LONGEST_HOST = 24;

/** Nothing where there never was one. A file nobody can read is an error, not a fresh start: it names the machine. */
export function readTeamFile(path: string): TeamFile | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return v.parse(TeamFile, JSON.parse(readTextSync(path, STATE_BYTES)));
  } catch (cause) {
    throw new TidemarkError('team.file', `${path} cannot be read`, {
      cause,
      hint: 'Move it away and log in again: tidemark login <url>',
    });
  }
}

export function writeTeamFile(path: string, file: TeamFile): void {
  writeAtomicallySync(path, `${JSON.stringify(file, null, 2)}\n`);
}

/** `ada-laptop-7k2m`: readable, and no two machines of a team have the same. */
export function newMachineName(preferred: string): string {
  const host = (preferred || hostname())
    .split('.')[0]
    ?.toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_HOST);
  return `${host || 'machine'}-${shortHash(randomBytes(16).toString('hex'), 5)}`;
}

/** The address of a server: encrypted, or on this machine. */
export function checkedServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TidemarkError('usage', `not the address of a server: ${text.replace(/\/\/[^/]*@/, '//…@')}`, {
      hint: 'It looks like https://memory.example.com',
    });
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback)
    throw new TidemarkError(
      'team.not-encrypted',
      `${url.origin} is not encrypted: the key could be read on the way`,
      {
        hint: `Use https://${url.host}`,
      },
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
