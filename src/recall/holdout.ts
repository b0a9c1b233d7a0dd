/** Sessions without recall, to measure its effect: a share of all, chosen by the session's id. Pure. */
import { contentHash } from '../core/index.ts';

/** The ledger's reason for a held-out moment. `stats --impact` recognises the session by it, so it must not change. */
export const HELD_OUT =
  'held out: this session gets no recall, so that its effect can be seen (recall.holdout)';

const HEX_DIGITS = 8;

/** Returns the same for a session on every machine and at any time. */
export function isHeldOut(session: string, share: number): boolean {
  if (share <= 0 || session === '') return false;
  return Number.parseInt(contentHash(session).slice(0, HEX_DIGITS), 16) / 16 ** HEX_DIGITS < share;
}
