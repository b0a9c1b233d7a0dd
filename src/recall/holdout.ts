/** Sessions that get no recall, so that its effect can be seen: a share of all, told by the session's id alone. Pure. */
import { contentHash } from '../core/index.ts';

/** What the ledger says of a held-out moment; `stats --impact` knows the session by it. */
export const HELD_OUT =
  'held out: this session gets no recall, so that its effect can be seen (recall.holdout)';

const HEX_DIGITS = 8;

/** The same session is always in or out, whichever machine or moment asks. */
export function isHeldOut(session: string, share: number): boolean {
  if (share <= 0 || session === '') return false;
  return Number.parseInt(contentHash(session).slice(0, HEX_DIGITS), 16) / 16 ** HEX_DIGITS < share;
}
