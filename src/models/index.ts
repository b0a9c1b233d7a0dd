export { CATALOGUE, type CatalogueModel, DEFAULT_MODEL, catalogued } from './catalogue.ts';
export { type EmbedderChoice, type EmbedderSurroundings, chooseEmbedder } from './choose.ts';
export { type Embedder, normalized } from './embedder.ts';
export { type LocalOptions, localEmbedder } from './local.ts';
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
export { memoryText } from './small/memory-text.ts';
export {
  KEEP_KINDS,
  type KeepScore,
  type Pair,
  RELATIONS,
  type RelateScore,
  type Relation,
  type SmallModel,
} from './small/model.ts';
