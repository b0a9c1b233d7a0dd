/** Finds what the agent reported explicitly: a fix with its cause, open items, dead ends. Pure. */
import {
  commitsIn,
  editedFiles,
  type MemoryDraft,
  type MemoryKind,
  type StoredTurn,
} from '../../core/index.ts';
import { draftOf, quoteOf } from './draft.ts';
import { HEDGE, NARRATION, POINTING, TROUBLE } from './talk.ts';
import { isShown } from './commands.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import { splitFailure, splitReason, titleOf, wordsOf } from './title.ts';

export function reportedBy(turn: StoredTurn, root?: string, previous?: StoredTurn): readonly MemoryDraft[] {
  const said = sentencesOf(turn.answer, false);
  const work = workOf(turn, said, root, previous);
  return [...(work === undefined ? [] : [work]), ...openItems(turn, said), ...stated(turn, said)];
}

/** Words of the sentence that reports the work. */
const LENGTH = { min: 6, max: 40 } as const;
/** Sentences at the beginning of an answer that may report the work; later ones are details. */
const FIRST = 2;

/** The agent's own sentence about the work of a turn with edits, as a title. Not yet proof that it works. */
export function reportOf(turn: StoredTurn, root?: string): string | undefined {
  if (editedFiles(turn, root).length === 0) return undefined;
  return reportIn(sentencesOf(turn.answer, false))?.title;
}

function reportIn(
  said: readonly Sentence[],
): { readonly source: Sentence; readonly title: string } | undefined {
  const source = said.slice(0, FIRST).find(({ text }) => isReport(text.replace(VERDICT, '')));
  const title = titleOf((source?.text ?? '').replace(VERDICT, '').replace(BY_ME, ''), LENGTH.min - 1);
  return source === undefined || title === undefined ? undefined : { source, title };
}

/** `I've added a retry` → `Added a retry` */
export const BY_ME = /^i(?:'ve| have)?(?: now| therefore)? (?=\w+ed\b|set\b|put\b|made\b|rewrote\b|split\b)/i;

/** The work of a turn that shows edits and a passing test or a commit: what is so now, and the cause if it was a fault. */
function workOf(
  turn: StoredTurn,
  said: readonly Sentence[],
  root: string | undefined,
  previous: StoredTurn | undefined,
): MemoryDraft | undefined {
  const report = editedFiles(turn, root).length > 0 && isShown(turn) ? reportIn(said) : undefined;
  if (report === undefined) return undefined;
  const { source, title } = report;
  const fault = isFault(turn, said, previous);
  if (!fault && !NOW.test(title)) return undefined;
  const cause = fault ? said.find((sentence) => sentence !== source && isCause(sentence)) : undefined;
  const next = said[said.indexOf(source) + 1];
  const [commit] = commitsIn(turn);
  return draftOf({
    kind: fault ? 'bugfix' : 'feature',
    title,
    evidence: 'shown',
    quote: quoteOf(source.raw, turn.answer),
    body: next !== undefined && next !== cause && isPlain(next.text) ? next.text : undefined,
    reason: cause?.text ?? splitReason(source.text).reason,
    facts: commit?.hash === undefined ? [] : [`Commit ${commit.hash}: ${commit.subject}`],
  });
}

/** `Done.`, `Fixed:` */
export const VERDICT =
  /^(?:(?:all |both |it's |now )?(?:done|fixed|implemented|finished|added|changed|converted|works|fixed and tested|in place|erledigt|umgesetzt|behoben|fait|corrigé|feito|pronto|migrado|listo|hecho|ya funciona|готово|исправлено)|已完成|已修复|修正しました)[:：!.,]\s*(?=\S)/iu;
/** States what is so now. */
const NOW =
  /\b(?:now|no longer|any ?more|again|jetzt|nicht mehr|agora|ahora|désormais|maintenant|теперь)\b|已|ました/i;
/** Names what was changed. */
const CHANGED =
  /^(?:i(?:'ve| have)? (?:now )?)?(?:added|changed|replaced|moved|removed|switched|set|put|made|fixed|rewrote|wrapped|pinned|restored|raised|split)\b/i;
export const CAUSE =
  /\b(?:because|came from|comes from|caused by|cause|culprit|due to|that is why|that's why|which is why|turned out|the (?:problem|bug|reason) (?:was|is))\b/i;

function isReport(text: string): boolean {
  const words = wordsOf(text).length;
  const cjk = text.match(/[\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0;
  return (
    (words >= LENGTH.min || cjk >= 12) &&
    words <= LENGTH.max &&
    (NOW.test(text) || CHANGED.test(text)) &&
    isPlain(text) &&
    !POINTING.test(text.replace(/^i(?:'ve| have)? (?:now )?\w+ /i, ''))
  );
}

function isPlain(text: string): boolean {
  return !HEDGE.test(text) && !NARRATION.test(text) && !CHECKED.test(text) && !/[:：]\s*$/.test(text);
}

/** About the checks, or an addition to the work. */
const CHECKED =
  /\balso\b|\btests?\b.{0,30}\b(?:pass|green)|^(?:all|both) \d*|^(?:the|a|an|two|three|new|ein|der|un|une)?(?: [\w-]+){0,3} tests?\b|^(?:i(?:'ve| have)? )?added (?:a|an|two|three|\d+)(?: [\w-]+){0,2} tests?\b/i;

function isCause({ text, label }: Sentence): boolean {
  return (CAUSE.test(text) || label.endsWith('cause')) && !HEDGE.test(text);
}

/** The user reported a fault in this turn, or let the agent fix the one of the previous turn. */
function isFault(turn: StoredTurn, said: readonly Sentence[], previous: StoredTurn | undefined): boolean {
  if (TROUBLE.test(turn.prompt)) return true;
  const goAhead = wordsOf(turn.prompt).length <= GO_AHEAD_WORDS;
  if (goAhead && previous !== undefined && TROUBLE.test(previous.prompt)) return true;
  return said.some(({ text }) =>
    /^(?:fixed|the (?:root )?cause)\b|\bno longer\b|\b(?:crash|bug|leak|error) is gone\b/i.test(text),
  );
}

const GO_AHEAD_WORDS = 8;

const OPEN_LABEL =
  /^(?:still open|open|open (?:items|points|issues)|to ?do|not done(?: yet)?|still to do|left to do|what's left|remaining|known (?:issues|limitations)|noch offen|offen|reste à faire|à faire|pendiente|pendente|осталось|遗留|待办|未解決|残り)$/;

function openItems(turn: StoredTurn, said: readonly Sentence[]): readonly MemoryDraft[] {
  return said
    .filter(
      ({ label, text }) =>
        OPEN_LABEL.test(label) && !HEDGE.test(text) && !NARRATION.test(text) && !NOTHING.test(text),
    )
    .flatMap(({ text, raw }) => {
      const title = POINTING.test(text) ? undefined : titleOf(text, 4);
      return title === undefined
        ? []
        : [draftOf({ kind: 'issue', title, evidence: 'claimed', quote: quoteOf(raw, turn.answer) })];
    })
    .slice(0, 3);
}

const NOTHING = /^(?:nothing|none|no open|all done|everything)\b/i;

/** Sentences that state a dead end, a decision with its reason, or something that is not done. */
const STATED: readonly {
  readonly kind: MemoryKind;
  readonly pattern: RegExp;
  readonly needsReason?: boolean;
}[] = [
  {
    kind: 'dead_end',
    pattern:
      /^(?:first |initially |at first,? )?(?:i|we)(?:'ve| have)?(?: first| also| already)? (?<what>tried (?!it\b|that\b|this\b).{6,140}?[,;] (?:but|and it) .{8,})/i,
  },
  {
    kind: 'decision',
    pattern: /^(?:so )?we(?:'ve| have)? (?:decided|agreed) (?:to|that) (?<what>.{8,})/i,
    needsReason: true,
  },
  {
    kind: 'issue',
    pattern:
      /^(?<what>[^,;:]{8,90} (?:is|are) not yet (?:handled|implemented|supported|covered|migrated|ported)\b.*)/i,
  },
];

function stated(turn: StoredTurn, said: readonly Sentence[]): readonly MemoryDraft[] {
  return said.flatMap(({ text, raw }) => {
    const rule = STATED.find(({ pattern }) => pattern.test(text));
    const what = rule?.pattern.exec(text)?.groups?.['what'];
    if (rule === undefined || what === undefined || POINTING.test(what)) return [];
    const { what: point, reason } = rule.kind === 'dead_end' ? splitFailure(what) : splitReason(what);
    if (HEDGE.test(point)) return [];
    const title = titleOf(point, 4);
    if (title === undefined || (rule.needsReason && reason === undefined)) return [];
    const quote = quoteOf(raw, turn.answer);
    return [draftOf({ kind: rule.kind, title, reason, evidence: 'claimed', quote })];
  });
}
