/**
 * Words of labels and memories, made comparable across languages and wordings: stems, pieces of identifiers, pairs of CJK
 * characters. Also recognises denials and states. Pure.
 */
import { queryWords, tokensOf } from '../src/database/index.ts';

/** Forms of one word differ at the end: longer words are compared by their first letters. */
const KEY_LETTERS = 6;
const LETTERS = /^\p{L}+$/u;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Two overlapping pairs make about one word. */
const CJK_PAIR = 0.5;

/** Short words without meaning in the languages of the labels, beyond the stop words of search. */
const SHORT = new Set(
  `o os a as e é em no na nos nas do dos das um uns se ou já la las los el il lo gli di è y del con es se ha han son si
du d l j c n s t à où ni mal so am im an ab er es
и в во на не с со по для что это как из к ко у от за до же бы но а я мы он она они то так его её их`.split(
    /\s+/,
  ),
);

/** A word matches if any of its forms does: `mail_log` also matches "mail log". */
export type LabelWord = readonly string[];

/** Returns the distinct content words of a text. Each CJK pair is a word. */
export function labelWords(text: string): readonly LabelWord[] {
  const found = new Map<string, LabelWord>();
  for (const word of queryWords(text)) {
    if (SHORT.has(word.surface)) continue;
    const forms =
      word.kind === 'cjk'
        ? tokensOf(word).map((pair): LabelWord => [pair])
        : [
            [
              ...new Set([
                ...(word.kind === 'plain' ? word.whole.map(keyOf) : word.whole),
                ...word.parts.map(keyOf),
              ]),
            ],
          ];
    for (const form of forms) if (form[0] !== undefined) found.set(form.join(' '), form);
  }
  return [...found.values()];
}

/** Returns every form of every word, to look words up in. */
export function wordForms(text: string): ReadonlySet<string> {
  return new Set(labelWords(text).flat());
}

/** The whole word, or each of its pieces. */
export function isAmong(word: LabelWord, forms: ReadonlySet<string>): boolean {
  const [whole = '', ...parts] = word;
  return forms.has(whole) || (parts.length > 1 && parts.every((part) => forms.has(part)));
}

function keyOf(token: string): string {
  return LETTERS.test(token) && !CJK.test(token) ? token.slice(0, KEY_LETTERS) : token;
}

/** Weighs words by how rare they are among the turns of a project: what every turn mentions says little. */
export class WordWeights {
  readonly #turns: readonly ReadonlySet<string>[];
  readonly #known = new Map<string, number>();

  constructor(turns: readonly string[]) {
    this.#turns = turns.map((text) => wordForms(text));
  }

  of(word: LabelWord): number {
    const key = word[0] ?? '';
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const count = this.#turns.filter((forms) => isAmong(word, forms)).length;
    const rarity = Math.log((this.#turns.length + 2) / (count + 1));
    const weight = CJK.test(key) ? rarity * CJK_PAIR : rarity;
    this.#known.set(key, weight);
    return weight;
  }

  /** Returns the share of the words, by weight, that is among the forms; 0 for no words. */
  share(words: readonly LabelWord[], forms: ReadonlySet<string>): number {
    let [all, found] = [0, 0];
    for (const word of words) {
      const weight = this.of(word);
      all += weight;
      if (isAmong(word, forms)) found += weight;
    }
    return all === 0 ? 0 : found / all;
  }
}

const DENIAL = new RegExp(
  [
    String.raw`(?<![\p{L}])(?:no|not|never|none|without|instead of|rather than|avoid|stop|stopped|don['’]?t|do not|doesn['’]?t|won['’]?t|can['’]?t|cannot|isn['’]?t|aren['’]?t|must ?n['’]?t|shouldn['’]?t|ban|banned|forbid|forbidden|drop|dropped|remove|removed|revert|reverted|reject|rejected|gave up|given up|failed|nothing|nobody)(?![\p{L}])`,
    String.raw`(?<![\p{L}])(?:kein\p{L}*|nicht|nie|niemals|ohne|statt|nichts|pas|jamais|sans|aucun\p{L}*|ne|nunca|jamás|sin|ningun\p{L}*|não|nao|sem|nenhum\p{L}*|não|mai|senza|не|нет|без|никогда|нельзя|ни)(?![\p{L}])`,
    '不|没|沒|別|别|勿|非|禁|ない|しない|なし|せず|やめ|ません|안|않|말',
  ].join('|'),
  'iu',
);

export function isDenial(text: string): boolean {
  return DENIAL.test(text.normalize('NFC'));
}

const OPEN =
  /(?<!\p{L})(?:open|unresolved|unfixed|not (?:yet )?(?:been )?(?:fixed|done|solved|resolved|implemented|migrated|found|changed)|not yet|still (?!works)|todo|to[- ]do|pending|remains?|remaining|outstanding|needs? (?:to be|a fix|fixing)|left (?:open|for|to do)|known (?:issue|bug)|postponed|deferred|later|offen|noch nicht|ungelöst|ouvert|pas encore|reste à|en suspens|pendiente|todavía|aún no|pendente|ainda|em aberto|открыт\p{L}*|ещё не|еще не|пока не|осталось)(?!\p{L})|未解|未修|待办|待处理|尚未|还没|還沒|まだ|未対応|未完|残って|課題|保留/iu;

/** Whether a text says that something is still to be done. */
export function saysOpen(text: string): boolean {
  return OPEN.test(text.normalize('NFC'));
}

const DONE =
  /(?<!\p{L})(?:fixed|solved|resolved|done|corrected|repaired|works now|no longer|behoben|gelöst|erledigt|corrigé\p{L}*|résolu\p{L}*|réglé\p{L}*|arreglad\p{L}*|resuelt\p{L}*|solucionad\p{L}*|corregid\p{L}*|corrigid\p{L}*|resolvid\p{L}*|исправлен\p{L}*|решен\p{L}*|починен\p{L}*)(?!\p{L})|已修复|修好|已解决|修正済|直した|解決済|直りました/iu;

/** Whether a text says that something was fixed. */
export function saysDone(text: string): boolean {
  return (
    DONE.test(text.normalize('NFC')) &&
    !/\bnot (?:yet )?(?:been )?(?:fixed|solved|resolved|done)\b/i.test(text)
  );
}
