/**
 * BERT's WordPiece tokenizer: lower case, no accents, words split into the longest pieces of the vocabulary. Reads a
 * `vocab.txt` with one piece per line. Pure.
 */
import { TidemarkError } from '../core/index.ts';

export interface Tokenizer {
  /** Returns at most `limit` ids, including the opening and closing ones. */
  encode(text: string, limit: number): readonly number[];
  /** Returns the ids of the whole text, without opening and closing ones. */
  ids(text: string): readonly number[];
  readonly opening: number;
  readonly closing: number;
}

/** BERT's own limit; a longer word is unknown. */
const LONGEST_WORD = 100;

/** Texts are cut to this many characters per token before tokenizing; few tokens are longer. */
const CHARS_PER_TOKEN = 12;

const CJK =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const MARKS = /\p{Mn}/gu;
// BERT counts the ASCII symbols as punctuation; \p{P} does not include them.
const PIECES = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
// Invisible characters, except for the three that BERT counts as white space.
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu;

export function readTokenizer(vocab: string): Tokenizer {
  const vocabulary = new Map(
    vocab
      .trimEnd()
      .split('\n')
      .map((piece, id) => [piece, id]),
  );
  const special = (token: string): number => {
    const id = vocabulary.get(token);
    if (id === undefined) throw new TidemarkError('model-unusable', `the vocabulary has no ${token}`);
    return id;
  };
  const [opening, closing, unknown] = [special('[CLS]'), special('[SEP]'), special('[UNK]')];
  return {
    opening,
    closing,
    ids: (text) => basicWords(text).flatMap((word) => pieces(word, vocabulary, unknown)),
    encode(text, limit) {
      const ids = [opening];
      for (const word of basicWords(text.slice(0, limit * CHARS_PER_TOKEN))) {
        ids.push(...pieces(word, vocabulary, unknown));
        if (ids.length >= limit - 1) break;
      }
      return [...ids.slice(0, limit - 1), closing];
    },
  };
}

function basicWords(text: string): readonly string[] {
  const clean = text.replace(CONTROL, '').replace(CJK, ' $& ');
  // JavaScript has two small letters for Σ, by position; the vocabulary was made with one.
  const small = clean.replaceAll('Σ', 'σ').toLowerCase();
  return small.normalize('NFD').replace(MARKS, '').match(PIECES) ?? [];
}

function pieces(word: string, vocabulary: ReadonlyMap<string, number>, unknown: number): readonly number[] {
  if (word.length > LONGEST_WORD) return [unknown];
  const found: number[] = [];
  let start = 0;
  while (start < word.length) {
    let end = word.length;
    let id: number | undefined;
    for (; end > start; end--) {
      id = vocabulary.get((start > 0 ? '##' : '') + word.slice(start, end));
      if (id !== undefined) break;
    }
    if (id === undefined) return [unknown];
    found.push(id);
    start = end;
  }
  return found;
}
