/** Secrets of which only hashes are stored: an id for the lookup, and a secret part that is compared. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
export const ID_LENGTH = 12;
/** 32 characters, five bits each. */
const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz012345';
/** Compared for an unknown id, so that it takes as long as a wrong secret. */
const NO_HASH = Buffer.alloc(SECRET_BYTES);

export function newSecret(): { readonly id: string; readonly secret: string; readonly hash: Buffer } {
  const id = [...randomBytes(ID_LENGTH)].map((byte) => ID_ALPHABET[byte & 31]).join('');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, secret, hash: hashOf(secret) };
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(Buffer.from(secret, 'base64url')).digest();
}

/** Compares in constant time. `stored`: the hash in the database, if there is one. */
export function isSecretOf(secret: string, stored: unknown): boolean {
  const isStored = Buffer.isBuffer(stored) && stored.length === SECRET_BYTES;
  return timingSafeEqual(hashOf(secret), isStored ? stored : NO_HASH) && isStored;
}
