/**
 * Phrases that state a preference or a decision in other languages. Applied only to the user's own text, and only the
 * plainest phrases: with so small a table, no memory is better than a guess.
 */
import type { MemoryKind } from '../../core/index.ts';

interface ForeignRule {
  readonly kind: Extract<MemoryKind, 'preference' | 'decision'>;
  readonly pattern: RegExp;
}

/** No `\b` around non-ASCII letters, which it does not recognise. */
export const FOREIGN_RULES: readonly ForeignRule[] = [
  // German
  {
    kind: 'preference',
    pattern:
      /^(?:und |also |nein,? |ok,? |bitte )*(?:ab (?:jetzt|sofort)|künftig|in zukunft|von nun an|immer|niemals|nie(?: wieder| mehr)?|grundsätzlich)\s.{8,}/i,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:bitte )?[a-zäöüß]{3,15}(?:e|t|en)?(?: sie| dabei| hier| bitte){0,2} (?:ab (?:jetzt|sofort)|künftig|immer|nie(?:mals)?|nie wieder)\s.{4,}/i,
  },
  { kind: 'preference', pattern: /^(?:hör auf|lass das|ich bevorzuge|mir ist lieber)[, ].{6,}/i },
  {
    kind: 'decision',
    pattern:
      /^(?:ok,? |gut,? |also,? )*wir (?:nehmen|verwenden|benutzen|nutzen|setzen auf|bleiben bei|behalten|haben (?:uns|beschlossen|entschieden)) .{4,}/i,
  },
  // Spanish, Portuguese
  {
    kind: 'preference',
    pattern:
      /^(?:por favor,? |y |no,? )*(?:siempre|nunca|jamás|a partir de ahora|de ahora en adelante|sempre|a partir de agora|prefiero|prefiro)[, ].{6,}/i,
  },
  {
    kind: 'decision',
    pattern:
      /^(?:ok,? |bueno,? )*(?:vamos a usar|usaremos|nos quedamos con|hemos decidido|decidimos|vamos usar|vamos ficar com) .{4,}/i,
  },
  // French, Italian
  {
    kind: 'preference',
    pattern:
      /^(?:s'il te plaît,? |et |non,? )*(?:toujours|désormais|dorénavant|à partir de maintenant|ne jamais|je préfère|d'ora in poi|preferisco|mai più)[, ].{6,}/i,
  },
  {
    kind: 'decision',
    pattern:
      /^(?:ok,? |bon,? )*(?:on (?:garde|prend|utilise|part sur|reste sur)|nous avons décidé|abbiamo deciso|usiamo) .{4,}/i,
  },
  // Chinese
  {
    kind: 'preference',
    pattern:
      /(?:以后|以後|今后|今後|从现在(?:开始|起)|從現在(?:開始|起)|永远不要|永遠不要|不要再|一律|务必|務必).{3,}/,
  },
  { kind: 'preference', pattern: /^(?:请|請)?(?:总是|總是|始终|始終).{3,}/ },
  {
    kind: 'decision',
    pattern:
      /(?:我们|我們|咱们)?(?:决定|決定)(?!了吗|了嗎|于|於|性).{4,}|(?:我们|我們)(?:就用|改用|采用|採用).{2,}/,
  },
  // Japanese
  {
    kind: 'preference',
    pattern:
      /(?:今後|これから(?:は|ずっと)|常に|いつも|必ず|絶対に|二度と).{3,}(?:ください|くれ|こと|して|しないで|お願い|お願いします|使う|書く)[。！]?$/,
  },
  {
    kind: 'decision',
    pattern: /.{4,}(?:ことに(?:しました|します|決めました)|に決めました|に決定しました)[。！]?$/,
  },
  // Korean
  {
    kind: 'preference',
    pattern: /(?:앞으로(?:는)?|항상|언제나|절대(?:로)?).{4,}(?:주세요|줘|마세요|말아|하세요|해)[.!]?$/,
  },
  { kind: 'decision', pattern: /.{4,}기로 (?:했|결정했|하자|합시다).{0,6}$/ },
];
