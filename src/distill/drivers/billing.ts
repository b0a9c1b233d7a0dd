/** Finds out how the user pays for the requests of a driver. Asks the client itself and never reads a credential. */
import { findClient } from '../../agents/index.ts';
import type { Config } from '../../config/index.ts';
import { clientEnvironment } from './_client.ts';
import { runInGroup } from './_process-group.ts';
import { oneShotOf } from './agent.ts';
import { isOnThisMachine } from './api.ts';
import { isAgentDriver, type AgentDriverName, type DriverHealth, type DriverName } from './driver.ts';
import { priceOf, readPrices } from './prices.ts';

export type Billing =
  /** A subscription: no money per request, but each one counts against its limits. `plan`: `Max`. */
  | { readonly kind: 'plan'; readonly plan?: string }
  | { readonly kind: 'money' }
  /** A model on this machine. */
  | { readonly kind: 'free' }
  /** A remote model without a known price. */
  | { readonly kind: 'unpriced' }
  | { readonly kind: 'logged-out' }
  | { readonly kind: 'unknown' };

const STATUS_MS = 5_000;

interface Named {
  readonly name: DriverName;
  readonly model: string;
}

interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * Undefined, or why the dollar ceiling could not limit the driver: its model may cost money, and no price is known. A
 * model on this machine and a plan cost no money per request, and neither do the files of `queue`.
 */
export async function unpriced(
  driver: Named,
  config: Config,
  place: Place,
  signal: AbortSignal,
): Promise<DriverHealth | undefined> {
  if (driver.name === 'api') return unpricedApi(driver.model, config);
  if (driver.name === 'queue' || isPriced(driver.model, config)) return undefined;
  const { kind } = await billingOf(driver, config, place, signal);
  return kind === 'plan' ? undefined : refusal(driver, config);
}

/** The same for the driver `api`, without asking a program. */
export function unpricedApi(model: string, config: Config): DriverHealth | undefined {
  if (isOnThisMachine(config['distill.apiUrl']) || isPriced(model, config)) return undefined;
  return refusal({ name: 'api', model }, config);
}

function isPriced(model: string, config: Config): boolean {
  return priceOf(model, readPrices(config['distill.prices'])) !== undefined;
}

function refusal({ name, model }: Named, config: Config): DriverHealth {
  if (model === name)
    return {
      works: false,
      evidence: `the model that ${name} chooses has no known price, so distill.dailyUsd cannot limit it; turns wait until a model and a price are set`,
      next: `Name a model, then set its price: tidemark config set distill.model '${[...config['distill.model'], `${name}=MODEL`].join(',')}'`,
    };
  const prices = [...config['distill.prices'], `${model}=IN/OUT`].join(',');
  const where =
    name === 'api' ? `at ${URL.parse(config['distill.apiUrl'])?.host}` : `through ${clientTitle(name)}`;
  return {
    works: false,
    evidence: `the price of ${model} ${where} is not known, so distill.dailyUsd cannot limit it; turns wait until a price is set`,
    // The command is at the end, so that it can be pasted with the rest of the line.
    next: `Replace IN and OUT with US dollars per million tokens: tidemark config set distill.prices '${prices.replaceAll("'", String.raw`'\''`)}'`,
  };
}

export async function billingOf(
  driver: Named,
  config: Config,
  { env, cwd }: Place,
  signal: AbortSignal,
): Promise<Billing> {
  if (driver.name === 'api') {
    if (isOnThisMachine(config['distill.apiUrl'])) return { kind: 'free' };
    return { kind: isPriced(driver.model, config) ? 'money' : 'unpriced' };
  }
  if (driver.name === 'queue') return { kind: 'unpriced' };
  if (isAgentDriver(driver.name)) return agentBilling(driver.name, { env, cwd }, signal);
  const program = findClient(env);
  if (program === undefined) return { kind: 'unknown' };
  const ran = await runInGroup(program, ['auth', 'status', '--json'], {
    input: '',
    env: clientEnvironment(env),
    cwd,
    signal: AbortSignal.any([signal, AbortSignal.timeout(STATUS_MS)]),
  });
  return ran.kind === 'ended' ? readLogin(ran.stdout) : { kind: 'unknown' };
}

async function agentBilling(
  name: AgentDriverName,
  { env, cwd }: Place,
  signal: AbortSignal,
): Promise<Billing> {
  const { oneShot } = oneShotOf(name);
  const program = oneShot.find(env);
  if (program === undefined) return { kind: 'unknown' };
  const ran = await runInGroup(program, oneShot.login.args, {
    input: '',
    env: clientEnvironment(env),
    cwd,
    signal: AbortSignal.any([signal, AbortSignal.timeout(STATUS_MS)]),
  });
  if (ran.kind !== 'ended') return { kind: 'unknown' };
  const kinds = { plan: 'plan', key: 'money', none: 'logged-out', unknown: 'unknown' } as const;
  return { kind: kinds[oneShot.login.read(`${ran.stdout}\n${ran.stderr}`)] };
}

/** The client of a driver, as users know it. */
export function clientTitle(name: string): string {
  return isAgentDriver(name) ? oneShotOf(name).title : 'Claude Code';
}

/** Reads what `claude auth status` prints (2.1.325). Older clients print something else. */
export function readLogin(stdout: string): Billing {
  const status = parsed(stdout);
  const { loggedIn, authMethod, apiProvider, subscriptionType: plan } = status;
  if (loggedIn === false) return { kind: 'logged-out' };
  if (loggedIn !== true) return { kind: 'unknown' };
  if (typeof plan === 'string' && plan !== '')
    return { kind: 'plan', plan: `${plan[0]?.toUpperCase() ?? ''}${plan.slice(1)}` };
  if (apiProvider !== undefined && apiProvider !== 'firstParty') return { kind: 'money' };
  if (authMethod === 'claude.ai' || authMethod === 'oauth_token') return { kind: 'plan' };
  return {
    kind: typeof authMethod === 'string' && /key|helper|console/i.test(authMethod) ? 'money' : 'unknown',
  };
}

function parsed(stdout: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(stdout);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
