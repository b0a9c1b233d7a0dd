/** Detects the language, and finds a title in languages without rule tables. Pure. */
import { FOREIGN_FUNCTION_WORDS, FUNCTION_WORDS } from './_english.ts';
import type { Sentence } from './sentences.ts';
import { titleOf, wordsOf } from './title.ts';

/** False for another script, or with more function words of another language than of English. */
export function isEnglish(said: readonly string[]): boolean {
  const text = said.map((sentence) => sentence.replace(/`[^`]*`/g, ' ')).join(' ');
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters > 0 && latin / letters < 0.5) return false;
  const words = wordsOf(text).map((word) => word.toLowerCase());
  const share = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  return share(FUNCTION_WORDS) >= share(FOREIGN_FUNCTION_WORDS);
}

/** The first sentence about the work that is no announcement and no greeting. */
export function foreignTitle(
  said: readonly Sentence[],
): { readonly title: string; readonly source: Sentence } | undefined {
  for (const source of said) {
    if (FOREIGN_NARRATION.test(source.text) || /[?？]\s*$/.test(source.text)) continue;
    const title = titleOf(source.text.replace(FOREIGN_OPENING, ''));
    if (title !== undefined) return { title, source };
  }
  return undefined;
}

const FOREIGN_NARRATION =
  /^(?:让我|讓我|我来|我來|我先|我将|我將|我会|我會|现在|現在|首先|接下来|接下來|まず|次に|では|これから|承知|了解|먼저|이제|다음|ich werde|zuerst|jetzt|lass mich|je vais|d'abord|maintenant|voy a|ahora|primero|déjame|vou |agora|сейчас|сначала|давай)/i;
/** `Erledigt:`, `问题找到了：`: the point follows. */
const FOREIGN_OPENING =
  /^(?:(?:问题|問題)?(?:找到了|已找到|已修复|完成了?|好了|搞定了?)|(?:原因が)?(?:わかりました|完了しました|修正しました)|완료(?:했습니다)?|erledigt|fertig|umgestellt|behoben|gefunden|listo|hecho|terminé|c'est fait|fait|voilà|pronto|feito|fatto|готово)\s*[:：。.!！,，—–-]+\s*/i;
