/** Turns texts of another tool into a memory draft: plain text, bounded length, a known kind. Pure. */
import { plainLine, plainText, shortened, type MemoryDraft, type MemoryKind } from '../../core/index.ts';

const MAX_TITLE = 200;
/** Longer than anything a peer distills; the rest is a log, not a memory. */
const MAX_BODY = 8000;
const MAX_ITEM = 1000;
const MAX_ITEMS = 40;

export type RawDraft = Partial<Omit<MemoryDraft, 'kind'>> & Pick<MemoryDraft, 'kind' | 'title'>;

/** Undefined for a draft without content. */
export function draftOf(raw: RawDraft): MemoryDraft | undefined {
  const body = cut(plainText(raw.body ?? '').trim(), MAX_BODY);
  const facts = items(raw.facts ?? []);
  const line = plainLine(raw.title) || plainLine(facts[0] ?? '') || firstSentence(body);
  if (line === '') return undefined;
  const title = shortened(line, MAX_TITLE);
  const reason = cut(plainLine(raw.reason ?? ''), MAX_BODY);
  return {
    kind: raw.kind,
    title,
    body: bodyOf(line, title, body),
    facts: facts.filter((fact) => fact !== title),
    concepts: items(raw.concepts ?? []),
    files: items(raw.files ?? []),
    ...(reason === '' ? {} : { reason }),
    ...(raw.kind === 'issue' ? { state: raw.state === 'resolved' ? 'resolved' : 'open' } : {}),
    ...(raw.personal ? { personal: true } : {}),
  };
}

/** A title that was cut is repeated in the body, where there is more room for it. */
function bodyOf(line: string, title: string, body: string): string {
  if (body === line) return title === line ? '' : body;
  return title === line ? body : cut([line, body].filter((part) => part !== '').join('\n\n'), MAX_BODY);
}

/** Peers write third-person notes about the work; the first pattern that matches decides the kind. */
const NOTE_KINDS: readonly (readonly [MemoryKind, RegExp])[] = [
  ['dead_end', /\b(?:dead end|did not work|didn't work|reverted|abandoned|gave up on|rolled back)\b/i],
  ['decision', /\b(?:decided|decision|chose|agreed (?:to|on|that)|opted (?:for|to)|settled on)\b|决定|決定/i],
  [
    'preference',
    /\b(?:user (?:prefers|wants|likes|insists|asked to always)|prefers? to|always use|never use)\b/i,
  ],
  ['bugfix', /\b(?:fixed|fixes|resolved|patched|root cause|debugged)\b|修复|修正/i],
  [
    'issue',
    /\b(?:still (?:open|broken|failing)|todo|remains? (?:open|to be)|not yet (?:fixed|done)|unresolved)\b/i,
  ],
  ['refactor', /\b(?:refactored|renamed|moved|extracted|cleaned up|restructured)\b|重构/i],
  ['feature', /\b(?:implemented|added|built|created|introduced|wrote|shipped|enabled)\b|实现|添加|追加/i],
];

/** Makes one draft of several notes on one exchange: the best gives kind and title, the others become facts. */
export function draftOfNotes(notes: readonly string[], body = ''): MemoryDraft | undefined {
  const results = notes.filter((note) => !ASKING.test(note));
  const [first] = results.length > 0 ? results : notes;
  if (first === undefined) return undefined;
  const best = NOTE_KINDS.slice(0, 3).flatMap(([kind, pattern]) => {
    const note = results.find((one) => pattern.test(one));
    return note === undefined ? [] : [{ kind, note }];
  })[0] ?? { kind: kindOfNote(first), note: first };
  return draftOf({
    kind: best.kind,
    title: best.note,
    body,
    facts: notes.filter((note) => note !== best.note),
  });
}

export function kindOfNote(note: string): MemoryKind {
  return NOTE_KINDS.find(([, pattern]) => pattern.test(note))?.[0] ?? 'discovery';
}

/** "User asked how …" is the question, not a result. */
const ASKING = /^(?:the )?user (?:asked|requested|wanted|inquired|wondered|said|reported)\b/i;

function firstSentence(text: string): string {
  const line = plainLine(text);
  return /^.{10,}?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
}

function items(list: readonly string[]): readonly string[] {
  const tidy = list.map((item) => cut(plainLine(item), MAX_ITEM)).filter((item) => item !== '');
  return [...new Set(tidy)].slice(0, MAX_ITEMS);
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
