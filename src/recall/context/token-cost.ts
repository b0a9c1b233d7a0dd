/** What a text costs in tokens, roughly: close enough to keep a budget, far too cheap to ask a tokenizer. Pure. */

/** English and code come to about four characters a token. */
const LATIN_CHARS_PER_TOKEN = 4;

/** A CJK character is about one token. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

export function tokenCost(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / LATIN_CHARS_PER_TOKEN);
}

/** The text cut to a number of tokens at a word's end, with an ellipsis where something was cut. */
export function cutToTokens(text: string, tokens: number): string {
  if (tokenCost(text) <= tokens) return text;
  let cut = text.slice(0, tokens * LATIN_CHARS_PER_TOKEN);
  while (cut && tokenCost(cut) >= tokens) cut = cut.slice(0, Math.floor(cut.length * 0.9));
  const end = /[\s。、，]\S*$/u.exec(cut)?.index ?? 0;
  const kept = end > cut.length / 2 ? cut.slice(0, end) : cut;
  return `${kept.replace(/[\s,;:.\ud800-\udbff]+$/, '')}…`;
}
