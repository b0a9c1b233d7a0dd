/** The model this version ships with. `node scripts/pin-model.mjs` writes the hash after a new export. */
export const SMALL_VERSION = 'small-5';
/** SHA-256 of `model.json`, which has the hash of every other file. */
export const MANIFEST_SHA256 = '81f22630096934c13f5e1a5da99a1e35ad8c503b433d555555c1c6bf22efcbdd';
