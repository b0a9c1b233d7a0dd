/** Chooses the driver: the one in the settings, or for `auto` the first that works. None before the user's consent. */
import { existsSync, statSync } from 'node:fs';
import type { Config } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES } from '../../files/index.ts';
import type { ProcessWatch } from './_process-group.ts';
import { agentDriver } from './agent.ts';
import { agentSdkDriver } from './agent-sdk.ts';
import { apiDriver } from './api.ts';
import { unpriced, unpricedApi } from './billing.ts';
import { claudeDriver } from './claude.ts';
import {
  AGENT_DRIVERS,
  DRIVER_NAMES,
  isAgentDriver,
  type Driver,
  type DriverHealth,
  type DriverName,
} from './driver.ts';
import { queueDriver } from './queue.ts';

export interface DriverContext {
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
  codex: '',
  opencode: '',
  queue: 'queue',
};

const FAILED_RECENTLY: DriverHealth = {
  works: false,
  evidence: 'failed recently and is not used for a few minutes',
  next: 'Try it again now with: tidemark distill',
};

/** `rested`: false for a driver that failed recently. */
export async function chooseDriver(
  config: Config,
  context: DriverContext,
  signal: AbortSignal,
  rested: (name: DriverName) => boolean = () => true,
): Promise<Choice> {
  const setting = config['distill.driver'];
  if (setting === 'local') return { kind: 'local', why: 'chosen' };
  if (!config['distill.consent']) return { kind: 'local', why: 'no-consent' };
  const { env, places } = context;
  const tried: NamedHealth[] = [];
  for (const name of setting === 'auto' ? DRIVER_NAMES : [setting]) {
    const driver = makeDriver(name, config, context);
    const found = await driver.health(signal);
    const refusal = found.works
      ? await unpriced(driver, config, { env, cwd: places.home }, signal)
      : undefined;
    const health = { name, ...(refusal ?? found) };
    if (health.works && rested(name)) return { kind: 'model', driver, health };
    tried.push(health.works ? { name, ...FAILED_RECENTLY } : health);
  }
  return { kind: 'local', why: 'none-works', health: tried };
}

function makeDriver(name: DriverName, config: Config, context: DriverContext): Driver {
  const { places, env, programFolders, processes } = context;
  const model = modelFor(name, config['distill.model']);
  // Any folder that is not a project.
  const cwd = existsSync(places.run) ? places.run : places.home;
  switch (name) {
    case 'claude':
      return claudeDriver({ model, env, cwd, processes });
    case 'agent-sdk':
      return agentSdkDriver({ model, env, cwd, folders: [places.home, ...programFolders], processes });
    case 'codex':
    case 'opencode':
      return agentDriver(name, { model, env, cwd, processes });
    case 'queue':
      return queueDriver({ folder: config['distill.queue'], model });
    case 'api':
      return apiDriver({ model, url: config['distill.apiUrl'], key: apiKey(places, env) });
  }
}

/**
 * `['haiku', 'api=llama3.2']`: an entry for the driver overrides one for all. Another agent has other models, so only its own
 * entry counts; without one it uses its own choice, and the name is empty.
 */
export function modelFor(name: DriverName, settings: readonly string[]): string {
  const prefix = `${name}=`;
  const own = settings.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
  const named = [...DRIVER_NAMES, ...AGENT_DRIVERS];
  const forAll = settings.find((entry) => !named.some((driver) => entry.startsWith(`${driver}=`)));
  return own ?? (isAgentDriver(name) ? undefined : forAll) ?? DEFAULT_MODEL[name];
}

/** Why the driver `api` of the settings is refused although the user agreed: its price is not known. */
export function refusedModel(config: Config): DriverHealth | undefined {
  const model = modelFor('api', config['distill.model']);
  const isUsed = config['distill.consent'] && config['distill.driver'] === 'api';
  return isUsed && config['distill.apiUrl'] !== '' && model !== '' ? unpricedApi(model, config) : undefined;
}

/** From the environment, else from a file that only the user can read. */
export function apiKey(places: Pick<Places, 'apiKey'>, env: NodeJS.ProcessEnv): string | undefined {
  const given = env['TIDEMARK_API_KEY']?.trim();
  if (given) return given;
  const stat = statSync(places.apiKey, { throwIfNoEntry: false });
  if (!stat?.isFile() || (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)) return undefined;
  return readTextSync(places.apiKey, STATE_BYTES).trim() || undefined;
}
