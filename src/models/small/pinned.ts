/** The model this version ships with. `node scripts/pin-model.mjs` writes the hash after a new export. */
export const SMALL_VERSION = 'small-1';
/** SHA-256 of `model.json`, which has the hash of every other file. */
export const MANIFEST_SHA256 = '66ba06f3991a55f6207e9a2f6d77a6931c233b5e33438e83abe04ac7d2c93742';
