export { CATALOGUE, catalogued, DEFAULT_MODEL, type CatalogueModel } from './catalogue.ts';
export { chooseEmbedder, type EmbedderChoice, type EmbedderSurroundings } from './choose.ts';
export { normalized, type Embedder } from './embedder.ts';
export { localEmbedder, type LocalOptions } from './local.ts';
export {
  installModel,
  isInstalled,
  listModels,
  removeModel,
  sweepModels,
  type InstallProgress,
  type ModelStatus,
} from './models.ts';
export { ollamaEmbedder } from './ollama.ts';
export { openAiEmbedder } from './openai.ts';
