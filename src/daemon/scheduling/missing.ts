/** What is missing for the distiller and the embedder the user chose: a key, a model, a login. Only what was chosen can be missing. */
import type { Config } from '../../config/index.ts';
import type { DistillHealth } from '../../distill/index.ts';
import type { EmbedHealth } from '../workers/embed-client.ts';

export type Missing = Readonly<Record<'distiller' | 'embedder', string | undefined>>;

export function missing(
  config: Config,
  distilling: Pick<DistillHealth, 'driver' | 'evidence' | 'next' | 'passed'> | undefined,
  embedder: Pick<EmbedHealth, 'embedder' | 'why' | 'next' | 'trouble'>,
): Missing {
  return { distiller: forDistiller(config, distilling), embedder: forEmbedder(config, embedder) };
}

function forDistiller(
  config: Config,
  health: Pick<DistillHealth, 'driver' | 'evidence' | 'next' | 'passed'> | undefined,
): string | undefined {
  if (!config['distill.consent'] || config['distill.driver'] === 'local' || !health) return undefined;
  if (health.driver === 'local')
    return `Tidemark: no model can be asked, so memories are made without one: ${health.evidence}.${then(health.next)}`;
  if (health.passed['refused'])
    return 'Tidemark: the model refused us. Log in with Claude Code itself, or use distill.driver api with a key of its own; see: tidemark doctor';
  return undefined;
}

function forEmbedder(
  config: Config,
  { embedder, why, next, trouble }: Pick<EmbedHealth, 'embedder' | 'why' | 'next' | 'trouble'>,
): string | undefined {
  const driver = config['embed.driver'];
  if (driver === 'auto' || driver === 'none') return undefined;
  const reason = embedder === null ? why : trouble;
  return reason && `Tidemark: memories are found by their words alone: ${reason}.${then(next)}`;
}

function then(next: string | undefined): string {
  return next ? ` Next: ${next}` : '';
}
