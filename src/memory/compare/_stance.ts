/** Finds what a title supports and rejects, by small tables of words for several languages. Pure. */
import { REJECTIONS } from './_rejections.ts';

export interface Rejection {
  /** "use pnpm instead of npm" → npm */
  readonly thing: string;
  /** It says that the thing is over: removed, reverted, replaced, no longer used. */
  readonly ends: boolean;
  /** It names what replaces the thing: "instead of", "switch from … to". */
  readonly replaced: boolean;
}

export interface Stance {
  /** The title without the rejected things. */
  readonly upheld: string;
  readonly rejected: readonly Rejection[];
  /** Whether it is a negation: "we no longer rotate tokens", "never commit .env". */
  readonly negative: boolean;
  /** It says that something changed: "now", "again", "from now on". */
  readonly changed: boolean;
}

const NEGATED =
  /(?:^|[^\p{L}])(?:not|never|don't|without|nicht|nie|ne|no|não|не|нельзя)\s+$|¬\s*$|(?:不要|不得|禁止|别|勿)\s*$/iu;

const DENIAL =
  /(?<![\p{L}\p{N}_])(?:no longer|never|not|don't|do not|doesn't|won't|without|avoid|stop|disabled?|isn't|aren't|cannot|can't|forbidden|banned|nicht|nie|niemals|kein|keine|keinen|jamais|nunca|ya no|não|больше не|не|никогда)(?![\p{L}\p{N}_])|(?<![\p{L}])ne .{1,30} (?:pas|plus|jamais)(?![\p{L}])|不再|不要|不能|不得|禁止|别|停止|避免|しない|せず|ません|않|말 것|말아|금지/iu;

const CHANGED =
  /(?<![\p{L}\p{N}_])(?:now|from now on|instead|again|back (?:to|at)|switch\p{L}*|ab jetzt|ab sofort|künftig|jetzt|wieder|stattdessen|désormais|maintenant|dorénavant|de nouveau|ahora|a partir de ahora|de nuevo|agora|novamente|теперь|отныне|снова)(?![\p{L}\p{N}_])|改用|改为|改成|现在|今后|今後|これから|再び/iu;

/** Words that express a rejection or a change, not the subject: English stems, and beginnings of other words without accents. */
const FILLERS: ReadonlySet<string> = new Set(
  [
    'switch move migrat chang replac prefer instead rather longer anymor anymore drop stop avoid alwai alway always now support rid',
    'remov delet revert back rais lower increas decreas bump set reduc cut new extend shorten doubl halv updat adjust current',
    'neu liegt betragt passe nuevo nueva novo nova immer toujours siempre sempre wieder jetzt ahora agora',
  ]
    .join(' ')
    .split(' '),
);
const FILLER =
  /^(?:erhoh|gesenkt|senken|verlanger|verkurz|geander|kunftig|stattdess|ersetz|entfern|umgestell|gewechsel|desormais|maintenant|augment|redui|remplac|aument|reemplaz|теперь|снова|увелич|уменьш|сниж|измен|замен|больше|использ|всегда|переит|перех)\p{L}*$/u;
const CJK_FILLER = /原来是?|改为|改成|改用|现在|调整为?|变为|设为|从|由|到|今後|変更|現在|[为是はにをの]/gu;

export function isFiller(word: string): boolean {
  return FILLERS.has(word) || FILLER.test(word);
}

/** Removes words that express a change from a text without spaces. */
export function withoutFillers(text: string): string {
  return text.replace(CJK_FILLER, ' ');
}

export function stanceOf(title: string): Stance {
  let upheld = title.replaceAll('’', "'").replaceAll('`', '');
  const rejected: Rejection[] = [];
  for (const { says, regex } of REJECTIONS.flatMap(({ hint, patterns }) =>
    hint.test(title) ? patterns : [],
  )) {
    const match = regex.exec(upheld);
    const thing = match?.groups?.['thing'];
    if (!match || !thing) continue;
    if (NEGATED.test(upheld.slice(0, match.index))) {
      // "Do not remove the cache" upholds the cache.
      upheld = upheld.slice(0, match.index).replace(NEGATED, ' ¬ ') + upheld.slice(match.index);
      continue;
    }
    rejected.push({
      thing: thing.replace(/[.,'’]+$/, ''),
      ends: says === 'over' || says === 'replaced',
      replaced: says === 'preferred' || says === 'replaced',
    });
    upheld = `${upheld.slice(0, match.index)} , ${upheld.slice(match.index + match[0].length)}`;
  }
  return {
    upheld: upheld.trim(),
    rejected,
    negative: DENIAL.test(upheld),
    changed: CHANGED.test(title) || rejected.length > 0,
  };
}
