export { CATALOGUE, type CatalogueModel, DEFAULT_MODEL, SMALL_MODEL, catalogued } from './catalogue.ts';
export {
  type EmbedderChoice,
  type EmbedderSurroundings,
  type SmallModelChoice,
  chooseEmbedder,
  chooseSmallModel,
} from './choose.ts';
export { type Embedder, normalized } from './embedder.ts';
export { type LocalOptions, type LocalSmallModel, localEmbedder, localSmallModel } from './local.ts';
export {
  type InstallProgress,
  type ModelStatus,
  installModel,
  isInstalled,
  listModels,
  removeModel,
  sweepModels,
} from './models.ts';
export { ollamaEmbedder } from './ollama.ts';
export { openAiEmbedder } from './openai.ts';
export { REINSTALL, type SmallFiles, checkSmallModel, smallModelFolder } from './small/files.ts';
export { memoryText } from './small/memory-text.ts';
export {
  KEEP_KINDS,
  type KeepScore,
  type Pair,
  type Passage,
  RELATIONS,
  type RelateScore,
  type Relation,
  type SmallModel,
} from './small/model.ts';
export { type InProcessModel, openSmallModel } from './small/open.ts';
