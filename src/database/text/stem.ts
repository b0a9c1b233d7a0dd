/**
 * The Porter stemmer (M. F. Porter, 1980) for lower-case ASCII words. FTS5's own stemmer is not used, because ranking
 * compares the stems of a query with those of a memory outside of SQLite.
 */

/** `stem('rotating')` → `rotat` */
export function stem(word: string): string {
  if (word.length < 3) return word;
  const y = markY(word);
  return step5(step4(step3(step2(step1c(step1b(step1a(y))))))).toLowerCase();
}

type Rule = readonly [suffix: string, replacement: string];

/** Writes a consonant `y` (first, or after a vowel) as `Y`, so that [aeiouy] are the vowels. */
function markY(word: string): string {
  return word.replace(/^y/, 'Y').replace(/([aeiou])y/g, '$1Y');
}

/** Returns the number of vowel–consonant sequences: Porter's m. */
function measure(base: string): number {
  return base.match(/[aeiouy]+[^aeiouy]+/g)?.length ?? 0;
}

const hasVowel = (base: string): boolean => /[aeiouy]/.test(base);
const endsDouble = (base: string): boolean => /([^aeiouy])\1$/.test(base);
const endsShort = (base: string): boolean => /[^aeiouy][aeiouy][^aeiouywxY]$/.test(base);

function step1a(w: string): string {
  if (w.endsWith('sses') || w.endsWith('ies')) return w.slice(0, -2);
  return w.endsWith('s') && !w.endsWith('ss') ? w.slice(0, -1) : w;
}

function step1b(w: string): string {
  if (w.endsWith('eed')) return measure(w.slice(0, -3)) > 0 ? w.slice(0, -1) : w;
  const base = w.endsWith('ed') ? w.slice(0, -2) : w.endsWith('ing') ? w.slice(0, -3) : undefined;
  if (base === undefined || !hasVowel(base)) return w;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (endsDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base;
}

function step1c(w: string): string {
  return /[yY]$/.test(w) && hasVowel(w.slice(0, -1)) ? `${w.slice(0, -1)}i` : w;
}

const STEP2: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const STEP3: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const STEP4 = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

const step2 = (w: string): string => replaceSuffix(w, STEP2);
const step3 = (w: string): string => replaceSuffix(w, STEP3);

function step4(w: string): string {
  const base = w.replace(STEP4, '');
  return base !== w && measure(base) > 1 ? base : w;
}

function step5(w: string): string {
  const base = w.slice(0, -1);
  if (w.endsWith('e')) {
    const m = measure(base);
    return m > 1 || (m === 1 && !endsShort(base)) ? base : w;
  }
  return w.endsWith('ll') && measure(base) > 1 ? base : w;
}

function replaceSuffix(w: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement] of rules) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return measure(base) > 0 ? base + replacement : w;
  }
  return w;
}
