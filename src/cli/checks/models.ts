/** What costs or could cost: the embedder, the distiller and its ceilings. */
import { loadConfig } from '../../config/index.ts';
import type { EmbedHealth } from '../../daemon/index.ts';
import type { DistillHealth } from '../../distill/index.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { dollars } from '../verbs/recall/cost.ts';
import { note, well, wrong, type Check } from './check.ts';

export function embedder({ embedder: chosen, why, next, counts, working, trouble }: EmbedHealth): Check {
  const name = 'embedder';
  const have = counts.memory.have + counts.turn.have;
  const wanted = counts.memory.wanted + counts.turn.wanted;
  if (chosen === null)
    return note(name, `none, memories are found by their words alone: ${why}`, next ?? undefined);
  const progress =
    wanted > 0 ? `${have} of ${have + wanted} vectors${working ? ', at work' : ''}` : `${have} vectors`;
  if (trouble !== undefined)
    return wrong(
      name,
      `${chosen}, ${progress}: ${trouble}`,
      'Words alone serve meanwhile. Choose another with: tidemark model use',
    );
  return well(name, `${chosen}, ${progress}`);
}

export function distiller(health: DistillHealth): Check {
  const name = 'distiller';
  const { driver, model, evidence, next, expected } = health;
  if (health.wanted === 'local') return well(name, 'local, as set');
  if (!health.consent) {
    const turns = Math.round(expected.turnsPerDay);
    // Of a day or two nothing can be told yet; the ceiling is a check of its own.
    const cost =
      turns > 0 ? `, at about ${counted(turns, 'turn')} and ${dollars(expected.usdPerDay)} a day` : '';
    return {
      ...well(name, `local; a model would write better memories${cost}`),
      next: 'If you want that: tidemark config set distill.consent true',
    };
  }
  if (driver === 'local')
    return wrong(
      name,
      `local, because no model can be asked: ${evidence}`,
      next ?? 'Choose one: tidemark config set distill.driver',
    );
  const failed = Object.entries(health.passed).map(([reason, n]) => `${reason} ${n}`);
  const facts = `${driver} (${model}), ${evidence}; ${health.waiting} turns waiting`;
  if (failed.length === 0) return well(name, facts);
  return note(
    name,
    `${facts}; left to local in the last week: ${failed.join(', ')}`,
    health.passed['refused']
      ? 'The model refused us: log in with Claude Code itself (a daemon started by a hook gets none of your keys), or use distill.driver api with a key of its own.'
      : 'Try those again with: tidemark distill',
  );
}

export function ceiling(
  { today, ceiling: reached, consent }: DistillHealth,
  { places, env }: Context,
): Check {
  const name = 'cost ceiling';
  const { values } = loadConfig({ places, env });
  const tokens = today.inputTokens + today.outputTokens;
  const limits = `${dollars(today.usd)} of ${dollars(values['distill.dailyUsd'])} and ${thousands(tokens)} of ${thousands(values['distill.dailyTokens'])} tokens today`;
  if (!consent)
    return well(
      name,
      `nothing is spent before you agree; then at most ${dollars(values['distill.dailyUsd'])} a day`,
    );
  if (reached)
    return note(
      name,
      `${limits}: reached, local distils until midnight UTC`,
      'Raise it with: tidemark config set distill.dailyUsd …',
    );
  return well(name, limits);
}

function thousands(n: number): string {
  return n.toLocaleString('en-US');
}
