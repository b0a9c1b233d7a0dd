/** Finds out how the user pays for the requests of a driver. Asks the client itself and never reads a credential. */
import { findClient } from '../../agents/index.ts';
import type { Config } from '../../config/index.ts';
import { clientEnvironment } from './_client.ts';
import { runInGroup } from './_process-group.ts';
import type { DriverName } from './driver.ts';
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

const ON_THIS_MACHINE = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/;
const STATUS_MS = 5_000;

export async function billingOf(
  driver: { readonly name: DriverName; readonly model: string },
  config: Config,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
  signal: AbortSignal,
): Promise<Billing> {
  if (driver.name === 'api') {
    if (ON_THIS_MACHINE.test(config['distill.apiUrl'])) return { kind: 'free' };
    const price = priceOf(driver.model, readPrices(config['distill.prices']));
    return { kind: price ? 'money' : 'unpriced' };
  }
  if (driver.name === 'queue') return { kind: 'unpriced' };
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
