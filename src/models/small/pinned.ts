/** The model this version ships with. `node scripts/pin-model.mjs` writes the hash after a new export. */
export const SMALL_VERSION = 'small-4';
/** SHA-256 of `model.json`, which has the hash of every other file. */
export const MANIFEST_SHA256 = '09a60118653d648c649e09c69fe0db4a0ea8f0ed01376bfb4c777d1e3c48670c';
