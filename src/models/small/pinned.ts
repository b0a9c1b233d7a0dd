/** The model this version ships with. `node scripts/pin-model.mjs` writes the hash after a new export. */
export const SMALL_VERSION = 'small-2';
/** SHA-256 of `model.json`, which has the hash of every other file. */
export const MANIFEST_SHA256 = 'b1a4d23816a88b66938694027c5a8d7320a07d5f9f41f6eb99c913a7436d6777';
