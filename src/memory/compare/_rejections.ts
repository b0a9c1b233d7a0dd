/** The patterns by which titles reject things, one table per language. Pure data. */

/** The claim of a pattern about its thing: another is preferred, another replaces it, it is over, it is forbidden. */
export type Says = 'preferred' | 'replaced' | 'over' | 'forbidden';

export interface RejectionPattern {
  readonly says: Says;
  /** Its group `thing` is the rejected thing. */
  readonly regex: RegExp;
}

const START = String.raw`(?<=^|[^\p{L}\p{N}_])`;
const END = String.raw`(?![\p{L}\p{N}_])`;
const NAME = String.raw`[\p{L}\p{N}_@./+#'’-]+`;
const ARTICLE = String.raw`(?:(?:the|an?|our|any|all|using|der|die|das|den|dem|des|ein|eine|einen|einem|unser|unsere|unseren|le|la|les|une?|du|notre|el|los|las|una|nuestro|nuestra|os?|as|uma?)\s+|l['’]|d['’])?`;
/** A word or sign that ends a name. */
const STOP = String.raw`(?=\s+(?:for|in|on|to|at|because|as|when|with|by|since|so|and|but|any|anymore|everywhere|again|completely|entirely|from|after|für|im|bei|auf|durch|zu|als|weil|und|wieder|mehr|pour|dans|par|à|sur|car|et|mais|vers|para|en|por|a|con|porque|y|pero|e|mas|com|для|в|на|из|и|а|но)${END}|[,.;:()!?](?:\s|$)|\s*$)`;
const THING = `${ARTICLE}(?<thing>${NAME}(?: ${NAME}){0,3}?)`;
const AFTER = String.raw`\s+${THING}${STOP}`;
const BEFORE = String.raw`(?<=^|[,;:.–—]\s*|${START}(?:and|und|et|y|e|и)\s+)${THING}\s+`;
const CJK_THING = String.raw`\s*(?<thing>[A-Za-z][\w@./+#-]*|[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}ー]{2,8}?)\s*`;

/** Compiled on first use: all of them take ten milliseconds, and a session may be waiting for the writer to start. */
const of = (says: Says, ...sources: readonly string[]): readonly RejectionPattern[] =>
  sources.map((source) => {
    let regex: RegExp | undefined;
    return {
      says,
      get regex() {
        return (regex ??= new RegExp(source, 'iu'));
      },
    };
  });

const IS = '(?:is|are|was|were|has been|have been|gets|got)';
const REMOVED = 'removed|dropped|deleted|reverted|rolled back|abandoned|retired|scrapped|ripped out|gone';
const REMOVE =
  'remov(?:e|ed|es|ing)|delet(?:e|ed|es|ing)|drop(?:ped|s|ping)?|(?:get|got) rid of|rip(?:ped)? out|retir(?:e|ed)|abandon(?:ed)?|scrap(?:ped)?|revert(?:ed|s|ing)?|roll(?:ed)? back|undo|undid';

const ENGLISH = [
  ...of(
    'over',
    `${START}revert(?:ed|s|ing)?(?: the)? (?:move|switch|migration|change|upgrade) (?:from \\S+ )?to${AFTER}`,
  ),
  ...of(
    'preferred',
    `,?\\s*${START}(?:instead of|rather than|in place of)${AFTER}`,
    `(?<=${START}prefer${END}.{1,60})\\s+(?:over|to)${AFTER}`,
  ),
  ...of('over', `${START}(?:no longer|stop|stopped|quit) (?:use|uses|using)${AFTER}`),
  ...of('forbidden', `${START}(?:not|never|don't|do not|avoid) (?:use|uses|using)${AFTER}`),
  ...of('over', `${BEFORE}${IS} no longer (?:used|needed|supported|wanted)${END}`),
  ...of(
    'replaced',
    `${START}(?:switch(?:ed|es|ing)?|mov(?:e|ed|es|ing)|migrat(?:e|ed|es|ing)|chang(?:e|ed|es|ing)|convert(?:ed|s|ing)?)(?: over)?(?: away)? (?:from|off)${AFTER}`,
    `${START}(?:replac(?:e|ed|es|ing)|swap(?:ped|s)?(?: out)?)${AFTER}`,
    `${BEFORE}${IS} (?:now )?replaced (?:by|with)${END}`,
  ),
  ...of(
    'over',
    `${BEFORE}${IS} (?:now )?(?:${REMOVED})${END}`,
    `${START}(?:${REMOVE})(?: support for)?${AFTER}`,
  ),
  ...of('preferred', `,\\s*(?:and )?not${AFTER}`),
];

const WIRD = String.raw`(?:(?:wird|wurde|werden|wurden|ist|sind)\s+)?`;
const ENTFERNT =
  'entfernt|entfernen|ausgebaut|abgeschafft|gelöscht|zurückgenommen|zurückgebaut|verworfen|rückgängig gemacht|nicht mehr (?:verwendet|genutzt|benutzt|eingesetzt)';

const GERMAN = [
  ...of('preferred', `,?\\s*${START}(?:statt|anstatt|anstelle von)${AFTER}`, `,\\s*(?:und )?nicht${AFTER}`),
  ...of(
    'over',
    `${START}(?:verwende|nutze|benutze|brauche|setze)\\p{L}*(?: wir)?\\s+${THING}\\s+nicht mehr${END}`,
    `${START}kein(?:e|en|er)?\\s+${THING}\\s+mehr${END}`,
    `${BEFORE}${WIRD}(?:wieder )?(?:${ENTFERNT})${END}`,
  ),
  ...of(
    'replaced',
    `${START}von\\s+${THING}(?=\\s+(?:auf|zu|nach)\\s.{1,40}(?:umge|umst|wechsel|gewechsel|migrier|umz)|\\s+(?:auf|zu)\\s+\\S+$)`,
    `${BEFORE}${WIRD}durch(?=\\s.{1,40}ersetz)`,
  ),
];

/** French, Spanish, Portuguese. */
const ROMANCE = [
  ...of(
    'preferred',
    `,?\\s*${START}(?:plutôt que|au lieu de|à la place de|en lugar de|en vez de|em vez de|ao invés de)${AFTER}`,
    `,?\\s*${START}(?:plutôt qu['’]|au lieu d['’])(?<thing>${NAME})`,
    `,\\s*(?:pas|no|não)${AFTER}`,
  ),
  ...of(
    'over',
    `${START}n['’](?:utilis|emploi)\\p{L}+ plus${AFTER}`,
    `${START}(?:ya no (?:se )?(?:us|utiliz)\\p{L}+|dej\\p{L}+ de (?:usar|utilizar)|não (?:se )?(?:us|utiliz)\\p{L}+ mais)${AFTER}`,
    `${START}(?:supprim|enlev|abandonn|annul)\\p{L}+${AFTER}`,
    `${START}(?:elimin|quit|retir|revert|descart|remov)(?:ar|amos|ado|ada|ados|er|ir|imos|ons|a|o|e|é|ée)${AFTER}`,
    `${BEFORE}(?:n['’]est plus|ne sont plus) utilisée?s?${END}`,
    `${BEFORE}(?:(?:est|sont|a été|ont été) )?(?:supprim|retir|abandonn|annul)ée?s?${END}`,
    `${BEFORE}(?:(?:se ha|ha sido|fue|queda|foi) )?(?:eliminad|retirad|revertid|quitad|descartad|removid)[oa]s?${END}`,
  ),
  ...of(
    'replaced',
    `${START}(?:pass|migr|bascul|cambi|pas|mud|troc)\\p{L}+ de${AFTER}`,
    `${START}(?:rempla|reemplaz|sustitu|substitu)\\p{L}+${AFTER}`,
  ),
];

const RUSSIAN = [
  ...of('preferred', `,?\\s*${START}вместо${AFTER}`, `,\\s*(?:а )?не${AFTER}`),
  ...of(
    'over',
    `${START}больше не (?:использу|примен)\\p{L}+${AFTER}`,
    `${BEFORE}больше не использу\\p{L}+${END}`,
    `${START}(?:отказ\\p{L}+ от|перестал\\p{L}* использовать)${AFTER}`,
    `${START}(?:удал|убра|убир|отмен|откат)\\p{L}+${AFTER}`,
  ),
  ...of(
    'replaced',
    `${START}(?:пере(?:й|ш|ход|вод|вел)\\p{L}*|мигр\\p{L}+) с${AFTER}`,
    `${START}замен\\p{L}+${AFTER}`,
  ),
];

/** Chinese, Japanese, Korean. */
const CJK = [
  ...of('over', `(?:不再使用|不再用|弃用|棄用|停用|移除|删除|刪除|去掉|拿掉|回滚|回滾|撤销)了?${CJK_THING}`),
  ...of('preferred', `(?:而不是|而非|代替|取代)${CJK_THING}`),
  ...of('forbidden', `(?:不要使用|不要用|不使用)${CJK_THING}`),
  ...of(
    'replaced',
    `(?:从|從|把|将|將|由)${CJK_THING}(?=换成|換成|改成|改为|改為|切换|切換|迁移|遷移|替换|替換)`,
  ),
  ...of('over', `(?:把|将|將)${CJK_THING}(?=移除|删除|去掉|下线)`),
  ...of('over', `${CJK_THING}(?:を(?:削除|撤去|廃止|やめ|取り消|元に戻|リバート|外)|はもう使わ)`),
  ...of('preferred', `${CJK_THING}(?:ではなく|の代わりに|は使わ|を使わ)`),
  ...of(
    'replaced',
    `${CJK_THING}から(?=.{1,20}(?:移行|切り替え|変更))`,
    `${CJK_THING}を(?=.{1,20}に(?:置き換え|切り替え))`,
    `${CJK_THING}에서(?=.{1,20}(?:전환|변경|이전))`,
  ),
  ...of('preferred', `${CJK_THING} ?대신`),
];

interface Table {
  /** Without it none of the patterns matches; testing it first saves most of the time. */
  readonly hint: RegExp;
  readonly patterns: readonly RejectionPattern[];
}

/** The order matters: a match is cut out of the title before the next pattern is tried. */
export const REJECTIONS: readonly Table[] = [
  {
    hint: /instead|rather|place of|longer|stop|quit|n[o']t|never|avoid|prefer|switch|mov|migrat|chang|convert|replac|swap|delet|drop|rid of|rip|retir|abandon|scrap|revert|roll|und[oi]|gone/i,
    patterns: ENGLISH,
  },
  {
    hint: /statt|anstelle|nicht|kein|von |durch|entfern|ausgebaut|abgeschafft|gelöscht|zurück|verworfen|rückgängig/i,
    patterns: GERMAN,
  },
  {
    hint: / de |que? |qu['’]|lieu|invés|n['’]|ne sont|pas |não|ya no|rempl|reempl|su[bs]st|elimin|quit|retir|revert|descart|remov|supprim|enlev|abandon|annul|, no /i,
    patterns: ROMANCE,
  },
  { hint: /[а-яё]/i, patterns: RUSSIAN },
  { hint: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u, patterns: CJK },
];
