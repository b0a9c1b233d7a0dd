/** Splits a title into phrases at verbs, prepositions and signs, to tell a thing from words that only contain its name. Pure. */
import { titleWords } from '../../database/index.ts';

export interface Phrase {
  readonly words: ReadonlySet<string>;
  /** It follows "for" or "as": `purpose`; "in", "on" or "when": `place`. */
  readonly role: 'purpose' | 'place' | 'other';
}

const list = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '));

const PURPOSE = list('for as für als pour comme para como для как 用于');
const PLACE = list('in on at when during inside within under im bei am dans sur en em в 在 で');
/** Prepositions, conjunctions, auxiliary verbs. */
const SMALL = list(
  'to with by via through from of over than because since so and or but while until after before if unless into without per',
  'instead rather not no never always only is are was were be been has have had will must should may can cannot do does we',
  'again now auf mit durch von zu zum zur an aus nach über weil und oder aber wenn statt wird werden wurde wurden ist sind',
  'wir nicht immer nur ohne wieder avec par de du des à au aux et ou mais car est sont nous pas plus toujours vers con por a',
  'y o e pero es son se siempre com mas são é sempre não на с из и или но через по не мы это вместо',
);
/** Verbs that take the thing as their object, or name its place: "stored in Redis". */
const VERBS = list(
  'use uses using used run runs running adopt adopts adopted choose chose chosen pick picked add added adds introduce',
  'introduced introduces build built implement implemented store stores stored keep keeps kept live lives prefer prefers',
  'deploy deploys deployed host hosted go goes stay stays need needs require requires handle handles handled write writes',
  'written save saves saved verwende verwenden verwendet nutze nutzen nutzt benutzen läuft laufen speichern gespeichert liegt',
  'liegen eingeführt hinzugefügt setzen umgestellt utiliser utilise utilisons utilisé ajouté ajouter stocker stocké stockées',
  'usar usamos usa utilizar utilizamos añadir añadido guardar guardamos adicionado adicionar использовать используем',
  'использует используется добавили добавлен добавить храним хранить хранятся пишем',
);
/** The same without spaces between words. */
const CJK_BREAK =
  '使用|采用|改用|用于|用(?!户|戶|途|例)|在(?!线)|把|将|和|引入|添加|增加|新增|存放|保存|处理|换成|換成|改成|改为|改為|切换|迁移到?|替换|' +
  '移行|切り替え|置き換え|変更|する|使う|書く|は|を|に|で|が|と|から|へ|として|[、。，：]';
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;

const WORDS = [...PURPOSE, ...PLACE, ...SMALL, ...VERBS].join('|');
const BREAK = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}_-])(?:${WORDS})(?![\p{L}\p{N}_-])`,
    String.raw`[,;:()!?"“”«»]|\.(?=\s|$)`,
    CJK_BREAK,
    String.raw`(?<=[A-Za-z\d])\s*(?=[${CJK}])|(?<=[${CJK}])\s*(?=[A-Za-z])`,
  ].join('|'),
  'giu',
);

export function phrasesOf(text: string): readonly Phrase[] {
  const phrases: Phrase[] = [];
  let from = 0;
  let role: Phrase['role'] = 'other';
  let afterVerb = false;
  const put = (to: number): void => {
    const words = new Set(titleWords(text.slice(from, to)));
    if (words.size === 0) return;
    phrases.push({ words, role });
    afterVerb = false;
  };
  for (const match of text.matchAll(BREAK)) {
    put(match.index);
    from = match.index + match[0].length;
    const word = match[0].toLowerCase();
    role = PURPOSE.has(word) ? 'purpose' : PLACE.has(word) && !afterVerb ? 'place' : 'other';
    afterVerb ||= VERBS.has(word);
  }
  put(text.length);
  return phrases;
}

/** Tells whether a word has no meaning of its own. */
export function isSmallWord(word: string): boolean {
  return SMALL.has(word) || PLACE.has(word) || PURPOSE.has(word);
}
