/** Secrets that are kept as hashes only: an id to look them up by, and the rest to prove. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
export const ID_LENGTH = 12;
/** Letters and digits, as many as five bits tell apart. */
const ID_SIGNS = 'abcdefghijklmnopqrstuvwxyz012345';
/** Of no secret: compared where there is none, so that an unknown id takes as long as a wrong secret. */
const NO_HASH = Buffer.alloc(SECRET_BYTES);

export function newSecret(): { readonly id: string; readonly secret: string; readonly hash: Buffer } {
  const id = [...randomBytes(ID_LENGTH)].map((byte) => ID_SIGNS[byte & 31]).join('');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, secret, hash: hashOf(secret) };
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(Buffer.from(secret, 'base64url')).digest();
}

/** `kept`: what the database has, if it has it. Takes as long whatever differs. */
export function isSecretOf(secret: string, kept: unknown): boolean {
  const isKept = Buffer.isBuffer(kept) && kept.length === SECRET_BYTES;
  return timingSafeEqual(hashOf(secret), isKept ? kept : NO_HASH) && isKept;
}
