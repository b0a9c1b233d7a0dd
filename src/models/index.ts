export {
  type EmbedderChoice,
  type EmbedderSurroundings,
  type SmallModelChoice,
  chooseEmbedder,
  chooseSmallModel,
} from './choose.ts';
export { type Embedder, normalized } from './embedder.ts';
export {
  LOCAL_EMBEDDER,
  type LocalOptions,
  type LocalSmallModel,
  localEmbedder,
  localSmallModel,
} from './local.ts';
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
