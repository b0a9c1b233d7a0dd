/** Chooses the embedder of the settings, or says why there is none. Starts nothing. */
import { statSync } from 'node:fs';
import type { Config } from '../config/index.ts';
import { given, type Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';
import { catalogued, DEFAULT_MODEL } from './catalogue.ts';
import type { Embedder } from './embedder.ts';
import { localEmbedder } from './local.ts';
import { isInstalled } from './models.ts';
import { ollamaEmbedder } from './ollama.ts';
import { openAiEmbedder } from './openai.ts';

export type EmbedderChoice =
  | { readonly kind: 'embedder'; readonly embedder: Embedder }
  | { readonly kind: 'none'; readonly why: string; readonly next: string };

export interface EmbedderSurroundings {
  readonly places: Pick<Places, 'models' | 'embedKey'>;
  readonly env: NodeJS.ProcessEnv;
  /** The embedder's program, and the folder of the WebAssembly runtime. */
  readonly program: string;
  readonly runtime: string;
  readonly idleMs?: number;
}

const INSTALL = 'tidemark model install';

export function chooseEmbedder(config: Config, around: EmbedderSurroundings): EmbedderChoice {
  const { 'embed.driver': driver, 'embed.model': model, 'embed.url': url } = config;
  switch (driver) {
    case 'none':
      return none('disabled', `${INSTALL}, or: tidemark model use ${DEFAULT_MODEL}`);
    case 'auto':
    case 'local':
      return local(model || DEFAULT_MODEL, around);
    case 'ollama':
      if (!model) return none('no model is set', 'tidemark model use ollama:<model>');
      return { kind: 'embedder', embedder: ollamaEmbedder({ model, url }) };
    case 'openai': {
      if (!model) return none('no model is set', 'tidemark model use openai:<model>');
      const key = embedKey(around);
      return { kind: 'embedder', embedder: openAiEmbedder({ model, url, ...(key ? { key } : {}) }) };
    }
  }
}

function local(id: string, around: EmbedderSurroundings): EmbedderChoice {
  const { places, program, runtime, idleMs } = around;
  const model = catalogued(id);
  if (!model) return none(`${id} is not in the catalogue`, 'tidemark model list');
  if (!isInstalled(places.models, model))
    return none(`${id} is not installed`, id === DEFAULT_MODEL ? INSTALL : `${INSTALL} ${id}`);
  const embedder = localEmbedder({
    model,
    models: places.models,
    program,
    runtime,
    ...given({ idleMs }),
  });
  return { kind: 'embedder', embedder };
}

/** Separate from the key for distilling, which may be of another provider. */
function embedKey({ places, env }: EmbedderSurroundings): string | undefined {
  const given = env['TIDEMARK_EMBED_KEY']?.trim();
  if (given) return given;
  const stat = statSync(places.embedKey, { throwIfNoEntry: false });
  if (!stat?.isFile() || (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)) return undefined;
  return readTextSync(places.embedKey, STATE_BYTES).trim() || undefined;
}

function none(why: string, next: string): EmbedderChoice {
  return { kind: 'none', why, next };
}
