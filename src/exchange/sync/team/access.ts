/**
 * Which team server, as whom, and the program that speaks with it: loaded with the first question and not before. The key
 * stays in the team file and in what is sent to that one server.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadConfig } from '../../../config/index.ts';
import { TidemarkError, type Places } from '../../../core/index.ts';
import type { Login, TeamFile } from '../index.ts';

export type Sync = typeof import('../index.ts');

export interface AccessOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the programs, where `sync.cjs` lies. */
  readonly programs: string;
}

export interface LoggedIn {
  readonly login: Login;
  /** What this machine is called in the team. */
  readonly machine: string;
}

export class TeamAccess {
  readonly #options: AccessOptions;
  readonly #signal: AbortSignal;
  #sync: Sync | undefined;

  constructor(options: AccessOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** A program of its own: whoever has no team never pays for it. */
  get sync(): Sync {
    this.#sync ??= createRequire(process.execPath)(join(this.#options.programs, 'sync.cjs')) as Sync;
    return this.#sync;
  }

  /** Whether there is a team server at this address that speaks as we do; no key is needed, and none is sent. */
  greet({ server }: { readonly server: string }) {
    const address = this.sync.checkedServer(server);
    return this.sync.greet(address, this.#signal);
  }

  async login({ server, key }: { readonly server: string; readonly key: string }) {
    const { checkedServer, newMachineName, readTeamFile, writeTeamFile } = this.sync;
    const address = checkedServer(server);
    const { member, team, key: facts, server: there } = await this.server({ server: address, key }).me();
    const file = readTeamFile(this.#options.places.team);
    const login: Login = {
      server: address,
      key,
      member: { id: member.id, name: member.name },
      team: { id: team.id, name: team.name },
      at: new Date().toISOString(),
    };
    const machine = file?.machine ?? newMachineName(this.#machineSetting());
    writeTeamFile(this.#options.places.team, { machine, login });
    return { server: address, member, team, key: facts, version: there.version };
  }

  /** The key goes; what is shared stays shared there, and what came from there stays here. */
  async logout() {
    const { login, ...file } = this.file();
    if (!login) throw notLoggedIn();
    this.sync.writeTeamFile(this.#options.places.team, file);
    return { server: login.server };
  }

  file(): TeamFile {
    const file = this.sync.readTeamFile(this.#options.places.team);
    if (!file) throw notLoggedIn();
    return file;
  }

  loggedIn(): LoggedIn {
    const { login, machine } = this.file();
    if (!login) throw notLoggedIn();
    return { login, machine };
  }

  server({ server, key }: Pick<Login, 'server' | 'key'>) {
    return new this.sync.TeamServer({ server, key, signal: this.#signal });
  }

  /** What a person has called this machine in a journal that several share. */
  #machineSetting(): string {
    const { places, env } = this.#options;
    return loadConfig({ places, env }).values['journal.machine'];
  }
}

/** Errors of the program that was loaded are no errors of ours to `instanceof`. */
export async function asOurs<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    const { code, hint } = error as { code?: unknown; hint?: unknown };
    if (!(error instanceof Error) || typeof code !== 'string') throw error;
    throw new TidemarkError(code, error.message, {
      cause: error,
      ...(typeof hint === 'string' ? { hint } : {}),
    });
  }
}

function notLoggedIn(): TidemarkError {
  return new TidemarkError('team.none', 'no team server is set up on this machine', {
    hint: 'Log in with: tidemark login <url>',
  });
}
