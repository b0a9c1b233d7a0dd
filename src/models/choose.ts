/** Chooses the embedder of the settings and the small model, or says why there is none. Starts nothing. */
import { statSync } from 'node:fs';
import type { Config } from '../config/index.ts';
import { given, type Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';
import type { Embedder } from './embedder.ts';
import { localEmbedder, localSmallModel, type LocalOptions, type LocalSmallModel } from './local.ts';
import { openAiEmbedder } from './openai.ts';
import { checkSmallModel, REINSTALL, smallModelFolder } from './small/files.ts';

interface None {
  readonly kind: 'none';
  readonly why: string;
  readonly next: string;
}

export type EmbedderChoice = { readonly kind: 'embedder'; readonly embedder: Embedder } | None;
export type SmallModelChoice = { readonly kind: 'model'; readonly model: LocalSmallModel } | None;

export interface EmbedderSurroundings extends Omit<LocalOptions, 'home'> {
  readonly places: Pick<Places, 'home' | 'embedKey'>;
  readonly env: NodeJS.ProcessEnv;
}

const DISABLED = none('embed.driver is none', 'tidemark config set embed.driver local');

export function chooseEmbedder(config: Config, around: EmbedderSurroundings): EmbedderChoice {
  const { 'embed.driver': driver, 'embed.model': model, 'embed.url': url } = config;
  switch (driver) {
    case 'none':
      return DISABLED;
    case 'local':
      return problemOf(around) ?? { kind: 'embedder', embedder: localEmbedder(optionsFor(around)) };
    case 'openai': {
      if (!model) return none('embed.model is not set', 'tidemark config set embed.model <model>');
      const key = embedKey(around);
      return { kind: 'embedder', embedder: openAiEmbedder({ model, url, ...given({ key }) }) };
    }
  }
}

/**
 * Chooses the small model for questions. It also answers them if a server makes the vectors; if they are its own, both
 * share one process. Close it after use.
 */
export function chooseSmallModel(config: Config, around: EmbedderSurroundings): SmallModelChoice {
  if (config['embed.driver'] === 'none') return DISABLED;
  return problemOf(around) ?? { kind: 'model', model: localSmallModel(optionsFor(around)) };
}

function problemOf({ program, small }: EmbedderSurroundings): None | undefined {
  const files = checkSmallModel(small ?? smallModelFolder(program));
  return files.kind === 'complete' ? undefined : none(files.why, REINSTALL);
}

function optionsFor({ places, program, runtime, small, idleMs }: EmbedderSurroundings): LocalOptions {
  return { home: places.home, program, runtime, ...given({ small, idleMs }) };
}

/** Separate from the key for distilling, which may be of another provider. */
function embedKey({ places, env }: EmbedderSurroundings): string | undefined {
  const given = env['TIDEMARK_EMBED_KEY']?.trim();
  if (given) return given;
  const stat = statSync(places.embedKey, { throwIfNoEntry: false });
  if (!stat?.isFile() || (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)) return undefined;
  return readTextSync(places.embedKey, STATE_BYTES).trim() || undefined;
}

function none(why: string, next: string): None {
  return { kind: 'none', why, next };
}
