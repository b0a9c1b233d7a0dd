/**
 * The plainest explicit phrases of other languages, for the user's own text. The title is the sentence itself without its
 * opening. No `\b` around letters outside of ASCII, which it does not recognise.
 */
import type { MemoryKind } from '../../core/index.ts';

interface Row {
  readonly kind: MemoryKind;
  readonly marker: RegExp;
  /** For the moment, or no rule. */
  readonly except: RegExp;
  readonly opening: RegExp;
}

const NONE = /^(?!)/;

const GERMAN = {
  except:
    /(?:^|[\s,])(?:heute|erstmal|erst mal|vorerst|jetzt noch nicht|diesmal|vielleicht|wenn|falls|könnte|immer noch|immer wieder|schon immer|warum)(?=[\s,.!]|$)/i,
  opening:
    /^(?:(?:und|also|nein|ok|gut|super|ach|ja|aber|bitte|noch was(?: zum Merken)?|merk dir(?:,? dass)?|zum merken)[,.:!]*\s+(?:und\s+)?)+/i,
};
const FRENCH = {
  except: /(?:^|\s)(?:aujourd'hui|pour l'instant|peut-être|si on|si tu|pas encore)(?=[\s,.!]|$)/i,
  opening: /^(?:(?:et|ok|non|bon|oui|alors|au fait|moi je dis non)[,.:!]*\s+)+/i,
};
const SPANISH = {
  except:
    /(?:^|\s)(?:hoy|por ahora|quizás|tal vez|si |todavía no|agora não|por enquanto|talvez|hoje)(?=[\s,.!]|$)/i,
  opening:
    /^(?:(?:y|e|vale|ok|oye|ah|bueno|bien|perfeito|perfecto|show|por cierto|só uma coisa|una cosa)[,.:!]*\s+)+/i,
};
const RUSSIAN = {
  except: /(?:сегодня|пока что|может быть|если|сейчас не)/i,
  opening: /^(?:(?:и|да|нет|ок|ладно|кстати)[,.:!]*\s+)+/i,
};
const CHINESE = {
  except: /(?:今天|暂时|先别|先不|这次|如果|要不要|吗|也许|可能|以后再)/,
  opening: /^(?:(?:对了|好的?|嗯|行|另外|还有|顺便|可以)[，,。、\s]*)+/,
};
const JAPANESE = {
  except: /(?:今日は|今回|とりあえず|もし|かもしれ|でしょうか|ですか)/,
  opening: /^(?:そういえば|はい|あと|それと|ちなみに|了解です)[、。\s]*/,
};

export const OTHER_LANGUAGES: readonly Row[] = [
  {
    kind: 'preference',
    marker:
      /(?:^|[\s,])(?:ab (?:jetzt|sofort)|künftig|in Zukunft|von nun an|niemals|nie wieder|grundsätzlich)\s.{6,}|^(?:\S+ ){0,3}bitte (?:immer|nie|auf deutsch|keine)\s?.*|\bbei uns (?:heißt|gilt|wird|werden)\s.{6,}|\bdarf(?: \S+){0,3} (?:nie|nichts|kein\w*)\s.{4,}/i,
    ...GERMAN,
  },
  {
    kind: 'decision',
    marker:
      /(?:^|[\s,])(?:wir (?:nehmen|bleiben bei|setzen auf|haben (?:beschlossen|entschieden)|wechseln (?:auf|zu))) .{4,}|^(?:entschieden|beschlossen): .{6,}/i,
    ...GERMAN,
  },
  {
    kind: 'issue',
    marker:
      /(?:fehl(?:t|en)(?: \S+){0,3} noch|steht(?: \S+){0,2} noch aus|noch offen(?: ist)?:?) ?.*|^todo: .{6,}/i,
    ...GERMAN,
  },
  {
    kind: 'preference',
    marker:
      /(?:^|[\s,])(?:désormais|dorénavant|à partir de maintenant|ne jamais|jamais de|chez nous on (?:utilise|fait)|ici on (?:utilise|fait))[, ].{4,}/i,
    ...FRENCH,
  },
  {
    kind: 'decision',
    marker: /(?:^|[\s,])on (?:reste sur|part sur|garde|passe à) .{4,}|(?:nous avons|on a) décidé .{4,}/i,
    ...FRENCH,
  },
  {
    kind: 'issue',
    marker: /(?:il reste à|reste à faire ?:|à faire ?:|pas encore fait ?:) ?.{6,}/i,
    ...FRENCH,
  },
  {
    kind: 'preference',
    marker:
      /(?:^|[\s,])(?:a partir de (?:ahora|agora)|de ahora en adelante|daqui (?:pra|para) frente|aquí (?:siempre )?usamos|aqui a gente (?:sempre )?usa|no quiero (?:más|ver)|não quero mais|nunca (?:uses|use|usar)|siempre (?:usa|de|en|con)|sempre (?:com|use|em))[, ].{3,}/i,
    ...SPANISH,
  },
  {
    kind: 'decision',
    marker:
      /(?:^|[\s,])(?:nos quedamos con|hemos decidido|decidimos|vamos (?:usar|ficar com|a usar)|lo dejamos para) .{4,}/i,
    ...SPANISH,
  },
  {
    kind: 'issue',
    marker: /(?:queda pendiente|falta(?:n)? (?:por|ainda|todavía)|ainda falta|fica pendente) .{6,}/i,
    ...SPANISH,
  },
  {
    kind: 'preference',
    marker:
      /(?:отныне|впредь|с этого момента|всегда используй|никогда не|у нас (?:принято|используется|всегда))[, ].{4,}/i,
    ...RUSSIAN,
  },
  {
    kind: 'decision',
    marker: /(?:решили|решено|остаёмся на|переходим на|будем использовать)[: ].{4,}/i,
    ...RUSSIAN,
  },
  { kind: 'issue', marker: /(?:осталось|ещё не сделано|не забыть)[: ].{4,}/i, ...RUSSIAN },
  {
    kind: 'preference',
    marker: /(?:以后(?!再)|以後|今后|从现在(?:开始|起)|永远不要|不要再|别再|一律|务必).{3,}/,
    ...CHINESE,
  },
  {
    kind: 'decision',
    marker: /(?:我们|咱们)?(?:决定|決定)(?!了吗|于|性).{4,}|我们(?:就用|改用|采用|不换).{2,}/,
    ...CHINESE,
  },
  { kind: 'issue', marker: /(?:还没解决|没解决的|待办|还没做|遗留)[^：:]{0,4}[：:].{4,}/, ...CHINESE },
  {
    kind: 'preference',
    marker:
      /(?:今後|これから(?:は|ずっと)|常に|必ず|絶対に|二度と).{3,}(?:ください|くれ|こと|して|しないで|お願い|お願いします)[。！]?$/,
    ...JAPANESE,
  },
  {
    kind: 'decision',
    marker:
      /.{4,}(?:ことに(?:しました|します|決めました)|に決めました|に決定しました|でいきましょう)[。！]?$/,
    ...JAPANESE,
  },
  {
    kind: 'preference',
    marker: /(?:앞으로(?:는)?|항상|절대(?:로)?).{4,}(?:주세요|줘|마세요|말아|하세요)[.!]?$/,
    except: NONE,
    opening: NONE,
  },
];
