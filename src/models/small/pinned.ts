/** The model this version ships with. `node scripts/pin-model.mjs` writes the hash after a new export. */
export const SMALL_VERSION = 'small-1';
/** SHA-256 of `model.json`, which has the hash of every other file. */
export const MANIFEST_SHA256 = '1284c1049f28370d78c2d31353e48f2033990e141283c1336463d86cc53b5250';
