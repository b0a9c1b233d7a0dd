/** Finds what a title supports and rejects, by patterns for English and CJK. Pure. */

export interface Stance {
  /** The title without the rejected things. */
  readonly upheld: string;
  /** The rejected things: "use pnpm instead of npm" → npm. */
  readonly rejected: readonly string[];
  /** Whether it is a negation: "we no longer rotate tokens", "never commit .env". */
  readonly negative: boolean;
}

const NAME = String.raw`[\w@./+#\`-]+`;
/** One to three words, up to the first word or sign that ends a name. */
const THING = String.raw`(?:the |a |an |our |any )?(?<thing>${NAME}(?: ${NAME}){0,2}?)(?=\s+(?:for|in|on|to|at|because|as|when|with|by|since|so|and|but|any|anymore|everywhere)\b|[,.;:()]|\s*$)`;
const CJK_THING = String.raw`\s*(?<thing>[A-Za-z][\w@./+#-]*|[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}ー]{2,8}?)\s*`;

const REJECTIONS: readonly RegExp[] = [
  new RegExp(String.raw`,?\s*\b(?:instead of|rather than|in place of)(?: using)? ${THING}`, 'i'),
  new RegExp(String.raw`\b(?<=\bprefer\b.{1,60})\s+(?:over|to) ${THING}`, 'i'),
  new RegExp(
    String.raw`\b(?:no longer|not|never|don't|do not|stop|stopped|avoid|quit) (?:use|uses|using) ${THING}`,
    'i',
  ),
  new RegExp(String.raw`\b(?:switch|move|migrate|change)(?:e?d|s|ing)?(?: away)? from ${THING}`, 'i'),
  new RegExp(String.raw`\breplac(?:e|ed|es|ing) ${THING.replace('for|', 'for|with|')}`, 'i'),
  new RegExp(String.raw`\b(?:drop|dropped|drops|get rid of|got rid of) (?:support for )?${THING}`, 'i'),
  new RegExp(String.raw`,\s*(?:and )?not ${THING}`, 'i'),
  new RegExp(
    `(?:而不是|而非|代替|取代|不再使用|不再用|不要使用|不要用|不使用|弃用|棄用|停用)${CJK_THING}`,
    'u',
  ),
  new RegExp(`(?:从|從|把|将|將)${CJK_THING}(?=换成|換成|改成|改为|改為|切换|切換|迁移|遷移|替换|替換)`, 'u'),
  new RegExp(`${CJK_THING}(?:ではなく|の代わりに|をやめ|は使わ|を使わ)`, 'u'),
  new RegExp(`${CJK_THING}(?:から(?=.{1,20}(?:移行|切り替え|変更)))`, 'u'),
  new RegExp(`${CJK_THING}(?: ?대신|에서(?=.{1,20}(?:전환|변경|이전)))`, 'u'),
];

const DENIAL =
  /\b(?:no longer|never|not|don't|do not|doesn't|won't|without|avoid|stop|disabled?|isn't|aren't|cannot|can't|forbidden|banned)\b|不再|不要|不能|不得|禁止|别|停止|避免|しない|せず|ません|않|말 것|말아|금지/i;

/** Words that express a rejection, not the subject. */
export const FILLERS: ReadonlySet<string> = new Set([
  'switch',
  'move',
  'migrat',
  'chang',
  'replac',
  'prefer',
  'instead',
  'rather',
  'longer',
  'anymor',
  'anymore',
  'drop',
  'stop',
  'avoid',
  'alway',
  'always',
  'now',
  'support',
  'rid',
]);

export function stanceOf(title: string): Stance {
  let upheld = title.replaceAll('’', "'");
  const rejected: string[] = [];
  for (const pattern of REJECTIONS) {
    const match = pattern.exec(upheld);
    const thing = match?.groups?.['thing'];
    if (!match || !thing) continue;
    rejected.push(thing.replaceAll('`', ''));
    upheld = `${upheld.slice(0, match.index)} ${upheld.slice(match.index + match[0].length)}`;
  }
  return { upheld: upheld.trim(), rejected, negative: DENIAL.test(upheld) };
}
