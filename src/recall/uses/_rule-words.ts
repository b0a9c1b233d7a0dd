/**
 * The two sides of a rule: what it wants and what it rejects. "Use pnpm, not npm" wants `pnpm` and rejects `npm`; "Never
 * call eval" rejects `eval`. Only simple forms are recognised. Pure.
 */
import { queryWords, type Word } from '../../database/index.ts';

export interface RuleWords {
  /** Words on the wanted side of a contrast, each telling enough alone. */
  readonly chosen: ReadonlySet<string>;
  readonly rejected: ReadonlySet<string>;
}

const CLAUSE = /[.;:!?。；！？\n]+|\s[–—-]\s/u;
/** From here to the end of the clause, or to a "but", it says what is not wanted. */
const AGAINST =
  /(?:^|[\s,(])(?:not|never|no|don'?t|do not|avoid|instead of|rather than|over|without|stop using|no longer|nicht|nie|niemals|kein\w*|statt|anstatt|ohne)\s+(.*?)(?=$|[,)]|\s(?:but|sondern|because|since|weil|for|in|when|if|it|that|which|on)\s)/giu;
/** `use pnpm`, `switch to pnpm`. An article shows a plain noun, not a name. */
const USES =
  /(?:^|\s)(?:use|uses|using|prefer|run|runs|choose|switch(?:ed)? to|stay with|nutze|nimm|verwende)\s+(?!(?:a|an|the|only|ein\w*|d(?:er|ie|as))\s)([^\s,.;:]+)/giu;

export function ruleWords(text: string): RuleWords {
  const chosen = new Set<string>();
  const rejected = new Set<string>();
  for (const clause of text.split(CLAUSE)) {
    for (const match of clause.matchAll(AGAINST)) {
      const against = tokens(match[1] ?? '');
      if (against.length === 0) continue;
      for (const token of against) rejected.add(token);
      const before = clause.slice(0, match.index);
      const last = queryWords(before).at(-1);
      if (last && !last.weak) for (const token of last.whole.slice(0, 1)) chosen.add(token);
      for (const [, name = ''] of before.matchAll(USES)) for (const token of tokens(name)) chosen.add(token);
    }
  }
  return { chosen: new Set([...chosen].filter((token) => !rejected.has(token))), rejected };
}

function tokens(text: string): readonly string[] {
  return queryWords(text).flatMap((word) => (word.weak ? [] : word.whole.slice(0, 1)));
}

/** Whether the word is a number of two digits or more. */
export function isNumber({ surface }: Word): boolean {
  return /^\d[\d.:]*\d$/.test(surface);
}

/** Whether the word is a name of code: `verifySignature`, `max_retries`, `scripts/check.sh`. */
export function isName({ kind }: Word): boolean {
  return kind === 'identifier' || kind === 'path';
}
