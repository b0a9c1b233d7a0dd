/** Which driver distils: the one the settings name, or for `auto` the first that works. None before a yes. */
import { existsSync, statSync } from 'node:fs';
import type { Config } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES } from '../../files/index.ts';
import type { ProcessWatch } from './_process-group.ts';
import { agentSdkDriver } from './agent-sdk.ts';
import { apiDriver } from './api.ts';
import { claudeDriver } from './claude.ts';
import { DRIVER_NAMES, type Driver, type DriverHealth, type DriverName } from './driver.ts';

export interface Surroundings {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** Folders in which the Agent SDK may be installed, beside the data folder. */
  readonly programFolders: readonly string[];
  readonly processes?: ProcessWatch;
}

export type Choice =
  | { readonly kind: 'local'; readonly why: 'chosen' | 'no-consent' }
  | { readonly kind: 'local'; readonly why: 'none-works'; readonly health: readonly NamedHealth[] }
  | { readonly kind: 'model'; readonly driver: Driver; readonly health: NamedHealth };

export type NamedHealth = DriverHealth & { readonly name: DriverName };

const DEFAULT_MODEL: Readonly<Record<DriverName, string>> = {
  claude: 'haiku',
  'agent-sdk': 'haiku',
  api: '',
};

/** `rested`: drivers that failed lately and are left alone. */
export async function chooseDriver(
  config: Config,
  around: Surroundings,
  signal: AbortSignal,
  rested: (name: DriverName) => boolean = () => true,
): Promise<Choice> {
  const wanted = config['distill.driver'];
  if (wanted === 'local') return { kind: 'local', why: 'chosen' };
  if (!config['distill.consent']) return { kind: 'local', why: 'no-consent' };
  const found: NamedHealth[] = [];
  for (const name of wanted === 'auto' ? DRIVER_NAMES : [wanted]) {
    const driver = makeDriver(name, config, around);
    const health = { name, ...(await driver.health(signal)) };
    if (health.works && rested(name)) return { kind: 'model', driver, health };
    found.push(
      health.works ? { name, works: false, evidence: 'failed lately, is left alone for a while' } : health,
    );
  }
  return { kind: 'local', why: 'none-works', health: found };
}

export function makeDriver(name: DriverName, config: Config, around: Surroundings): Driver {
  const { places, env, programFolders, processes } = around;
  const model = modelFor(name, config['distill.model']);
  // Any folder that is no project will do; this one is there and is ours.
  const cwd = existsSync(places.run) ? places.run : places.home;
  switch (name) {
    case 'claude':
      return claudeDriver({ model, env, cwd, processes });
    case 'agent-sdk':
      return agentSdkDriver({ model, env, cwd, folders: [places.home, ...programFolders], processes });
    case 'api':
      return apiDriver({ model, url: config['distill.apiUrl'], key: apiKey(places, env) });
  }
}

/** `['haiku', 'api=llama3.2']`: an entry for the driver counts before one for all. */
export function modelFor(name: DriverName, settings: readonly string[]): string {
  const prefix = `${name}=`;
  const own = settings.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
  const forAll = settings.find((entry) => !DRIVER_NAMES.some((driver) => entry.startsWith(`${driver}=`)));
  return own ?? forAll ?? DEFAULT_MODEL[name];
}

/** From the environment, else from a file nobody else can read. */
export function apiKey(places: Pick<Places, 'apiKey'>, env: NodeJS.ProcessEnv): string | undefined {
  const given = env['TIDEMARK_API_KEY']?.trim();
  if (given) return given;
  const stat = statSync(places.apiKey, { throwIfNoEntry: false });
  if (!stat?.isFile() || (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)) return undefined;
  return readTextSync(places.apiKey, STATE_BYTES).trim() || undefined;
}
