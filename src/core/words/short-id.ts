/**
 * Short forms of memory ids, for people and agents. An id begins with its time, so all ids of a day look alike; the short
 * form is the part after the time, which differs from its first character on. Files and `--json` keep the full id. Pure.
 */

/** Characters of the time at the start of an id: 35 bits of seconds, good until the year 3058. */
export const TIME_LENGTH = 7;
/** Characters after the time: 35 bits, so two of 10,000 memories share a short id once in 700 users. */
export const HASH_LENGTH = 7;

export const SHORT_ID_PATTERN = /^[0-9a-hjkmnp-tv-z]{7}$/;
const FULL = /^[0-9a-hjkmnp-tv-z]{14}$/;
/** A short id or its beginning. Fewer than four characters would often match several memories. */
const START = /^[0-9a-hjkmnp-tv-z]{4,7}$/;
/** Four letters are often an ordinary word, four digits a year. */
const WORD_OR_YEAR = /^(?:[a-z]{4}|\d{4})$/;

/** `shortId('1ja0p3hk2m9qx7')` → `k2m9qx7` */
export function shortId(id: string): string {
  return FULL.test(id) ? id.slice(TIME_LENGTH) : id;
}

/** Whether a text may be a short id or the beginning of one. */
export function mayBeShort(text: string): boolean {
  return START.test(text);
}

/** Whether a text that may be anything, such as words of a prompt, is more likely a word or a year than the start of an id. */
export function isWordOrYear(text: string): boolean {
  return WORD_OR_YEAR.test(text);
}

/** Whether a user or an agent may mean this id: the full one, the short one, or the beginning of either. */
export function isMeantBy(id: string, text: string): boolean {
  if (text === '') return false;
  return id.startsWith(text) || (mayBeShort(text) && shortId(id).startsWith(text));
}
