/** What was said in a turn and is worth keeping: decisions, preferences, dead ends, open ends, discoveries. Pure. */
import type { MemoryDraft, MemoryKind } from '../model/index.ts';
import { HEDGE, LABELS, NARRATION, POINTING, RULES, type Rule } from './_english.ts';
import type { Sentence } from './_sentences.ts';
import { conceptsOf, isAlike, isArgued, splitReason, titleOf } from './_title.ts';
import { contextOf } from './_work.ts';

/** More of one kind from one turn is a list, not a memory. */
const MOST_OF_KIND: Readonly<Partial<Record<MemoryKind, number>>> = {
  preference: 2,
  decision: 2,
  dead_end: 1,
  issue: 1,
  discovery: 1,
};
/** How near to the end of the answer something must stand to be still true when the agent stopped. */
const LAST_PARAGRAPHS = 8;
const MAX_FACTS = 5;

/** "Use pnpm" says it all. */
const TERSE_KINDS: readonly MemoryKind[] = ['decision', 'preference'];

export interface Statement {
  readonly draft: MemoryDraft;
  readonly source: Sentence;
}

/** `prompt` and `answer` as sentences; an empty prompt where no person wrote it. */
export function statementsOf(prompt: readonly Sentence[], answer: readonly Sentence[]): readonly Statement[] {
  const all = [...prompt, ...answer];
  const end = (answer.at(-1)?.paragraph ?? 0) - LAST_PARAGRAPHS;
  const found: Statement[] = [...labelled(answer, 'agent'), ...labelled(prompt, 'person')];
  for (const source of all) {
    if (found.some((other) => other.source === source)) continue;
    for (const rule of RULES) {
      const draft = apply(rule, source, source.from === 'person' ? prompt : answer, end);
      if (draft === undefined) continue;
      found.push({ draft, source });
      break;
    }
  }
  return chosen(found);
}

function apply(
  rule: Rule,
  source: Sentence,
  around: readonly Sentence[],
  end: number,
): MemoryDraft | undefined {
  if (rule.who !== 'anyone' && rule.who !== source.from) return undefined;
  if (rule.atEnd && source.from === 'agent' && source.paragraph < end) return undefined;
  const own = rule.who === 'person' ? unquoted(source.text) : source.text;
  const what = rule.pattern.exec(own)?.groups?.['what'];
  if (what === undefined) return undefined;
  if (rule.needsReason && !isArgued(what)) return undefined;
  // "I'll use X instead of Y" announces a decision; anything else announced may not come about.
  if (source.from === 'agent' && NARRATION.test(own) && !(rule.kind === 'decision' && rule.needsReason))
    return undefined;
  const { what: clause, reason } = splitReason(what.trim());
  if (HEDGE.test(splitReason(own).what) || own.endsWith('?') || ONLY_NOW.test(clause)) return undefined;
  if (rule.lead === undefined ? POINTING.test(clause) || OF_POINTING.test(clause) : CHOICE.test(clause))
    return undefined;
  const said = `${rule.lead ?? ''}${clause.replace(/^(?:let's|please|just)\s+/i, '')}`;
  const title = titleOf(said, TERSE_KINDS.includes(rule.kind) ? 2 : undefined);
  return title === undefined ? undefined : draftOf(rule.kind, title, contextOf(source, around), reason);
}

/** Names something only the conversation knows: `option 2`, `that one`. */
const CHOICE =
  /^(?:it|this|that|them|those|these|your|the (?:same|first|second|third|former|latter|last|recommended)|options?|number|#?\d|[b-e]\b)/i;

/** `Keep it warm`, `use this as…`: what it is about was said elsewhere. */
const OF_POINTING =
  /^\w+ (?:it|them|these|those|(?:this|that) (?:as|for|in|where|to|and|one|way|instead))\b/i;

/** An order for this moment. */
const ONLY_NOW = /\bjust (?:tell|show|give|do|run|answer|explain|say)\b/i;

/** Words in quotation marks are someone else's. */
function unquoted(text: string): string {
  return text.replace(/"[^"]*"|“[^”]*”/g, '…');
}

function labelled(said: readonly Sentence[], from: Sentence['from']): readonly Statement[] {
  return LABELS.flatMap(({ kind, pattern }) => {
    const items = said.filter(
      (sentence) =>
        sentence.from === from &&
        pattern.test(sentence.label) &&
        !HEDGE.test(sentence.text) &&
        !NARRATION.test(sentence.text),
    );
    const firsts = items.filter((item, i) => i === 0 || item.paragraph !== items[i - 1]?.paragraph);
    const heads = kind === 'decision' || kind === 'dead_end' ? firsts : firsts.slice(0, 1);
    return heads.flatMap((source) => {
      const { what, reason } = splitReason(source.text);
      const title = titleOf(what);
      if (title === undefined) return [];
      const rest = heads.length > 1 ? [] : firsts.slice(1, 1 + MAX_FACTS).map((item) => item.text);
      return [{ draft: draftOf(kind, title, contextOf(source, said), reason, rest), source }];
    });
  });
}

function draftOf(
  kind: MemoryKind,
  title: string,
  body: string,
  reason?: string,
  facts: readonly string[] = [],
): MemoryDraft {
  return {
    kind,
    title,
    body,
    ...(kind === 'decision' && reason !== undefined && { reason }),
    facts,
    concepts: conceptsOf(title, body),
    files: [],
    ...(kind === 'issue' && { state: 'open' as const }),
  };
}

/** The first preferences and decisions, the last issue and discovery: later the agent knew better. */
function chosen(found: readonly Statement[]): readonly Statement[] {
  const kept: Statement[] = [];
  for (const [kind, most] of Object.entries(MOST_OF_KIND)) {
    const ofKind = found.filter(({ draft }) => draft.kind === kind);
    const ordered = kind === 'discovery' || kind === 'issue' ? ofKind.toReversed() : ofKind;
    let count = 0;
    for (const statement of ordered) {
      if (count === most || kept.some(({ draft }) => isAlike(draft.title, statement.draft.title))) continue;
      kept.push(statement);
      count++;
    }
  }
  return kept;
}
