/**
 * Login to a team server, and the program that talks to it, which is loaded on first use. The key is stored in the team
 * file and sent to that server only.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadConfig } from '../../../config/index.ts';
import { TidemarkError, type Places } from '../../../core/index.ts';
import type { Login, TeamFile } from '../index.ts';
import { removeTeamSettings, storeTeamSettings } from './team-settings.ts';

export type Sync = typeof import('../index.ts');

export interface AccessOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of `sync.cjs`. */
  readonly programs: string;
}

export interface LoggedIn {
  readonly login: Login;
  /** Name of this machine in the team. */
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

  /** A separate bundle, so that a machine without a team never loads it. */
  get sync(): Sync {
    this.#sync ??= createRequire(process.execPath)(join(this.#options.programs, 'sync.cjs')) as Sync;
    return this.#sync;
  }

  /** Checks that a team server runs at this address. Sends no key. */
  greet({ server }: { readonly server: string }) {
    const address = this.sync.checkedServer(server);
    return this.sync.greet(address, this.#signal);
  }

  async login({ server, key }: { readonly server: string; readonly key: string }) {
    const { checkedServer, newMachineName, readTeamFile, writeTeamFile } = this.sync;
    const address = checkedServer(server);
    const asked = this.server({ server: address, key });
    const { member, team, key: facts, server: there } = await asked.me();
    const settings = await asked.settings();
    const file = readTeamFile(this.#options.places.team);
    const isSameTeam = file?.login?.team.id === team.id;
    const login: Login = {
      server: address,
      key,
      member: { id: member.id, name: member.name },
      team: { id: team.id, name: team.name },
      at: new Date().toISOString(),
    };
    const machine = file?.machine ?? newMachineName(this.#machineSetting());
    writeTeamFile(this.#options.places.team, { machine, login });
    // Those of another team end; the first exchange brings what is missing.
    if (!isSameTeam) removeTeamSettings(this.#options.places);
    storeTeamSettings(this.#options.places, settings);
    return { server: address, member, team, key: facts, version: there.version };
  }

  /** Deletes the key. Shared entries stay on the server, received entries stay here. */
  async logout() {
    const { login, ...file } = this.file();
    if (!login) throw notLoggedIn();
    this.sync.writeTeamFile(this.#options.places.team, file);
    removeTeamSettings(this.#options.places);
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

  /** The name the user has set for this machine in a journal shared by several. */
  #machineSetting(): string {
    const { places, env } = this.#options;
    return loadConfig({ places, env }).values['journal.machine'];
  }
}

/** Rethrows errors of the loaded bundle as this bundle's TidemarkError, which `instanceof` recognises. */
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
