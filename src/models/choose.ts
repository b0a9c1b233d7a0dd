/** Chooses the embedder of the settings and the small model, or says why there is none. Starts nothing. */
import { statSync } from 'node:fs';
import type { Config } from '../config/index.ts';
import { given, type Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';
import { catalogued, DEFAULT_MODEL, SMALL_MODEL, type CatalogueModel } from './catalogue.ts';
import type { Embedder } from './embedder.ts';
import { localEmbedder, localSmallModel, type LocalOptions, type LocalSmallModel } from './local.ts';
import { isInstalled } from './models.ts';
import { ollamaEmbedder } from './ollama.ts';
import { openAiEmbedder } from './openai.ts';
import { checkSmallModel, REINSTALL, smallModelFolder } from './small/files.ts';

interface None {
  readonly kind: 'none';
  readonly why: string;
  readonly next: string;
}

export type EmbedderChoice = { readonly kind: 'embedder'; readonly embedder: Embedder } | None;
export type SmallModelChoice = { readonly kind: 'model'; readonly model: LocalSmallModel } | None;

export interface EmbedderSurroundings {
  readonly places: Pick<Places, 'models' | 'embedKey'>;
  readonly env: NodeJS.ProcessEnv;
  /** The embedder's program, and the folder of the WebAssembly runtime. */
  readonly program: string;
  readonly runtime: string;
  /** Folder of the small model, if not where the program has it. */
  readonly small?: string;
  readonly idleMs?: number;
}

const DISABLED = none('embed.driver is none', `tidemark model use ${DEFAULT_MODEL}`);

export function chooseEmbedder(config: Config, around: EmbedderSurroundings): EmbedderChoice {
  const { 'embed.driver': driver, 'embed.model': model, 'embed.url': url } = config;
  switch (driver) {
    case 'none':
      return DISABLED;
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

/**
 * Chooses the small model for questions. It also answers them if the vectors come from another embedder; if they are its
 * own, both share one process. Close it after use.
 */
export function chooseSmallModel(config: Config, around: EmbedderSurroundings): SmallModelChoice {
  if (config['embed.driver'] === 'none') return DISABLED;
  const problem = problemOf(SMALL_MODEL, around);
  return problem ?? { kind: 'model', model: localSmallModel(optionsFor(SMALL_MODEL, around)) };
}

function local(id: string, around: EmbedderSurroundings): EmbedderChoice {
  const model = catalogued(id);
  if (!model) return none(`${id} is not in the catalogue`, 'tidemark model list');
  const problem = problemOf(model, around);
  return problem ?? { kind: 'embedder', embedder: localEmbedder(optionsFor(model, around)) };
}

function problemOf(
  model: CatalogueModel,
  { places, program, small }: EmbedderSurroundings,
): None | undefined {
  if (model.isBuiltIn) {
    const files = checkSmallModel(small ?? smallModelFolder(program));
    return files.kind === 'complete' ? undefined : none(files.why, REINSTALL);
  }
  if (isInstalled(places.models, model)) return undefined;
  return none(`${model.id} is not installed`, `tidemark model install ${model.id}`);
}

function optionsFor(model: CatalogueModel, around: EmbedderSurroundings): LocalOptions {
  const { places, program, runtime, small, idleMs } = around;
  return { model, models: places.models, program, runtime, ...given({ small, idleMs }) };
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
