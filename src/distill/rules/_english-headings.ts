/** Patterns of English headings, labels and verdicts. */
import type { MemoryKind } from '../../core/index.ts';

/** Headings over what a review found; each item under them is a fault. */
export const REVIEW =
  /^(?:top \d+\b.{0,40}|most important improvements?|(?:most )?(?:important|critical|major|key|main|remaining|potential|high priority|blocking) (?:issues?|problems?|bugs|concerns)(?: found)?|(?:suggested|potential|possible) improvements?|(?:issues?|problems?|concerns|bugs)(?: found| to (?:fix|address)| i found)?|improvements to (?:make|consider))$/;

/** A verdict at the end of a paragraph: something was tried and dropped. */
export const VERDICT =
  /^(?:so )?(?:not (?:acceptable|worth it|viable|usable)|dropped(?: it| that)?|rejected|no good|reverted(?: it| that)?|abandoned|discarded|(?:a )?dead end|(?:this|that|it) (?:doesn't|didn't|does not|did not) (?:work|help))[.!]*$/i;

/** Work that was reverted. */
export const TAKEN_BACK =
  /^(?:so )?(?:i|we)(?:'ve| have)?(?: therefore| now)? (?:reverted|rolled (?:it )?back|backed out|undid|abandoned|gave up on)\b/i;

/** Heading of suggestions; the other headings announce open issues. */
export const SUGGESTIONS = /^next steps?$/;

/** Headings and labels that name the kind of the text below. */
export const LABELS: readonly { readonly kind: MemoryKind; readonly pattern: RegExp }[] = [
  {
    kind: 'decision',
    pattern:
      /^(?:(?:key|design|architecture|architectural|main|final|technical) )*decisions?(?: made| taken)?$|^d\d{1,3}(?: recorded)?$|^decided$|^architecture decisions\b/,
  },
  {
    kind: 'issue',
    pattern:
      /^(?:next steps?|to ?dos?|remaining(?: work| items| issues| tasks| failures| problems)?|follow ?ups?|known (?:issues?|limitations?|problems?|bugs)|open (?:issues?|items?|problems?)|still open|not done(?: yet)?|outstanding|left to do|what'?s left)$/,
  },
  {
    kind: 'discovery',
    pattern:
      /^(?:(?:key|main|important|research|key research) )+findings?$|^(?:root |real |underlying )cause$|^gotchas?$|^lessons? learned$/,
  },
  {
    kind: 'dead_end',
    pattern: /^(?:dead ends?|what (?:did not|didn't) work|rejected(?: approaches| alternatives)?)$/,
  },
];
