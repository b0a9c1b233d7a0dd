/** Checks the models, the distiller and its cost limits. */
import { join } from 'node:path';
import { loadConfig } from '../../config/index.ts';
import type { EmbedHealth } from '../../daemon/index.ts';
import type { ConsentOffer, DistillHealth } from '../../distill/index.ts';
import { DIST } from '../program.ts';
import { counted, size, tilde } from '../screen.ts';
import type { Context } from '../verb.ts';
import { dollars } from '../verbs/recall/cost.ts';
import { checkOf, type Check } from './check.ts';

/** Checks every file of the model that ships with Tidemark. */
export async function builtInModel({ places, env }: Context): Promise<Check> {
  // Loaded late: most CLI calls do not need the models.
  const { checkSmallModel, REINSTALL, smallModelFolder } = await import('../../models/index.ts');
  const check = checkOf('built-in model');
  const folder = smallModelFolder(join(DIST, 'embedder.cjs'));
  const found = checkSmallModel(folder, { hashes: true });
  if (found.kind !== 'complete')
    return check.wrong(
      `${found.why} in ${tilde(folder)}: without it, search uses words only and only rules make memories`,
      REINSTALL,
    );
  const isOff = loadConfig({ places, env }).values['embed.driver'] === 'none';
  const facts = `${found.version}, ${size(found.bytes)}, hash verified, ${tilde(folder)}`;
  return check.well(isOff ? `${facts}; not used (embed.driver is none)` : facts);
}

export function embedder({ embedder: chosen, why, next, counts, working, trouble }: EmbedHealth): Check {
  const check = checkOf('embedder');
  const have = counts.memory.have + counts.turn.have;
  const wanted = counts.memory.wanted + counts.turn.wanted;
  if (chosen === null) return check.note(`none, memories are found by words only: ${why}`, next ?? undefined);
  const progress =
    wanted > 0 ? `${have} of ${have + wanted} vectors${working ? ', working' : ''}` : counted(have, 'vector');
  if (trouble !== undefined)
    return check.wrong(
      `${chosen}, ${progress}: ${trouble}`,
      'Search by words still works, and it is tried again in a few minutes. Without that server: tidemark config set embed.driver local',
    );
  return check.well(`${chosen}, ${progress}`);
}

/** `offer`: the question for consent, while no model may be used. */
export function distiller(health: DistillHealth, offer: ConsentOffer | undefined): Check {
  const check = checkOf('distiller');
  const { driver, model, evidence, next } = health;
  if (health.wanted === 'local') return check.well('local (distill.driver)');
  if (offer) return { ...check.well(`local; ${offer.summary}`), next: `To use one: ${offer.how}` };
  if (driver === 'local')
    return check.wrong(
      `local, because no language model is available: ${evidence}`,
      next ?? 'Choose one: tidemark config set distill.driver <driver>',
    );
  const failed = Object.entries(health.passed).map(([reason, n]) => `${reason} ${n}`);
  const facts = `${driver} (${model}), ${evidence}; ${counted(health.waiting, 'turn')} waiting`;
  if (failed.length === 0) return check.well(facts);
  return check.note(
    `${facts}; failed in the last week, so the driver local was used: ${failed.join(', ')}`,
    health.passed['refused']
      ? 'The model refused the request. Log in with the agent that the driver uses (a daemon started by a hook gets none of your keys), or use distill.driver api with its own key.'
      : 'Try those again with: tidemark distill',
  );
}

export function ceiling(
  { today, ceiling: reached, consent }: DistillHealth,
  { places, env }: Pick<Context, 'places' | 'env'>,
): Check {
  const check = checkOf('cost limit');
  const { values } = loadConfig({ places, env });
  const tokens = today.inputTokens + today.outputTokens;
  const limits = `${dollars(today.usd)} of ${dollars(values['distill.dailyUsd'])} and ${thousands(tokens)} of ${thousands(values['distill.dailyTokens'])} tokens today`;
  // The limit that is nearer is the one that was reached.
  const isTokens =
    tokens / values['distill.dailyTokens'] >= today.usd / (values['distill.dailyUsd'] || Number.MIN_VALUE);
  if (!consent)
    return check.well(
      `nothing is spent without your consent; then at most ${dollars(values['distill.dailyUsd'])} a day`,
    );
  if (reached)
    return check.note(
      `${limits}: limit reached, the driver local takes over until midnight UTC`,
      `Raise it: tidemark config set ${isTokens ? 'distill.dailyTokens' : 'distill.dailyUsd'} <number>`,
    );
  return check.well(limits);
}

function thousands(n: number): string {
  return n.toLocaleString('en-US');
}
