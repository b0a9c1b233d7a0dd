/** `team.json`: the server, the member and the key, readable by the owner only. The key is sent only to that server. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { shortHash, TidemarkError } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

const Named = v.object({ id: v.string(), name: v.string() });
const TeamFile = v.object({
  /** Survives a logout, because other machines name journal files after it. */
  machine: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/)),
  login: v.exactOptional(
    v.object({ server: v.string(), key: v.string(), member: Named, team: Named, at: v.string() }),
  ),
});

export type TeamFile = v.InferOutput<typeof TeamFile>;
export type Login = NonNullable<TeamFile['login']>;

const LONGEST_HOST = 24;

/** Undefined if there is no file. An unreadable file is an error, because it contains the machine's name. */
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

/** Returns a readable name that is unique in a team: `ada-laptop-7k2m` */
export function newMachineName(preferred: string): string {
  const host = (preferred || hostname())
    .split('.')[0]
    ?.toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_HOST);
  return `${host || 'machine'}-${shortHash(randomBytes(16).toString('hex'), 5)}`;
}

/** Returns the address of a server. Throws unless it uses https or is on this machine. */
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
      `${url.origin} is not encrypted: others could read the key`,
      { hint: `Use https://${url.host}` },
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
