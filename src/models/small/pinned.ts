/** The model this version ships with. `node scripts/pin-model.mjs` writes the hash after a new export. */
export const SMALL_VERSION = 'small-1';
/** SHA-256 of `model.json`, which has the hash of every other file. */
export const MANIFEST_SHA256 = '';
