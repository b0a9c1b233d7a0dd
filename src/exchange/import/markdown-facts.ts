/**
 * Reads decisions, patterns and issues from Markdown sections of those names: `- what: why` under "Decisions",
 * `- what: open` under "Issues". Ignores everything else. Pure.
 */
import { LONGEST_TITLE, shortened, type MemoryDraft, type MemoryKind } from '../../core/index.ts';

interface FactsFound {
  readonly drafts: readonly MemoryDraft[];
  readonly counts: Readonly<Record<'decision' | 'pattern' | 'issue', number>>;
  /** The time in the file's title. */
  readonly at?: string;
}

type FactKind = keyof FactsFound['counts'];

const SECTIONS: readonly (readonly [FactKind, RegExp])[] = [
  ['decision', /\bdecisions?\b|决策|决定|決定/i],
  ['pattern', /\bpatterns?\b|\bconventions?\b|模式|パターン|패턴/i],
  ['issue', /\bissues?\b|\bknown (?:bugs|problems)\b|问题|問題|이슈/i],
];
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const BULLET = /^(?:[-*+]|\d+[.)])\s+(.*)$/;
const FENCE = /^\s*(```|~~~)/;
const RESOLVED = /^(?:resolved|fixed|closed|done|已解决|已修复|解決済み|해결됨)$/i;
const OPEN = /^(?:open|unresolved|todo|未解决|未解決|미해결)$/i;
/** `# Session 2025-12-21_0300`, `# 2025-12-21` */
const DATED = /^#\s.*?(\d{4}-\d{2}-\d{2})(?:[_ T](\d{2}):?(\d{2}))?/m;

export function factsIn(markdown: string): FactsFound {
  const drafts = bulletsIn(markdown).flatMap((bullet) => withShortTitle(draftOf(bullet)));
  const count = (wanted: MemoryKind): number => drafts.filter(({ kind }) => kind === wanted).length;
  const [, day, hour = '00', minute = '00'] = DATED.exec(markdown) ?? [];
  const at = day && new Date(`${day}T${hour}:${minute}:00.000Z`);
  return {
    drafts,
    counts: { decision: count('decision'), pattern: count('pattern'), issue: count('issue') },
    ...(at && !Number.isNaN(at.getTime()) ? { at: at.toISOString() } : {}),
  };
}

interface Bullet {
  readonly kind: FactKind;
  text: string;
  /** From lines below it: `- files: a.ts, b.ts`, `- concepts: tokens`. */
  readonly lists: Record<'files' | 'concepts', string[]>;
}

function bulletsIn(markdown: string): readonly Bullet[] {
  const found: Bullet[] = [];
  let section: { readonly kind: FactKind | undefined; readonly depth: number } = {
    kind: undefined,
    depth: 0,
  };
  let open: Bullet | undefined;
  let fenced = false;
  for (const line of markdown.replaceAll('\r', '').split('\n')) {
    if (FENCE.test(line)) fenced = !fenced;
    if (fenced || FENCE.test(line)) continue;
    const heading = HEADING.exec(line);
    if (heading) {
      const depth = heading[1]?.length ?? 1;
      const kind = SECTIONS.find(([, pattern]) => pattern.test(heading[2] ?? ''))?.[0];
      // A deeper heading continues the section; one of the same or a higher level ends it.
      if (kind || depth <= section.depth) section = { kind, depth };
      open = undefined;
      continue;
    }
    const bullet = BULLET.exec(line);
    if (bullet && section.kind) {
      open = { kind: section.kind, text: bullet[1] ?? '', lists: { files: [], concepts: [] } };
      found.push(open);
    } else if (line.trim() === '') open = undefined;
    else if (open && takesList(open, line)) continue;
    else if (open && /^\s+\S/.test(line)) open.text += ` ${line.trim().replace(BULLET, '$1')}`;
    else open = undefined;
  }
  return found;
}

function takesList({ lists }: Bullet, line: string): boolean {
  const list = /^\s+[-*+]\s*(files|concepts):\s*(.+)$/i.exec(line);
  if (!list) return false;
  const items = (list[2] ?? '').split(',').map((item) => item.trim());
  lists[list[1]?.toLowerCase() === 'files' ? 'files' : 'concepts'].push(
    ...items.filter((item) => item !== ''),
  );
  return true;
}

/** `- [architecture] Use hooks: they fire` */
const TYPED = /^\[([a-z]{3,}(?:-[a-z]+)?)\]\s+/i;

/** A long bullet becomes the body, and its beginning the title. */
function withShortTitle(draft: MemoryDraft | undefined): readonly MemoryDraft[] {
  if (!draft) return [];
  const { title } = draft;
  if (title.length <= LONGEST_TITLE) return [draft];
  return [{ ...draft, title: shortened(title, LONGEST_TITLE), body: title }];
}

function draftOf({ kind, text, lists }: Bullet): MemoryDraft | undefined {
  const box = /^\[([ xX])\]\s+/.exec(text);
  const typed = TYPED.exec(text);
  const plain = text
    .slice((box ?? typed)?.[0].length ?? 0)
    .replace(/\*\*(.+?)\*\*/g, '$1')
    .trim();
  if (plain === '' || /^\(?none\)?\.?$/i.test(plain)) return undefined;
  const type = typed?.[1]?.toLowerCase() ?? 'other';
  const concepts = [...lists.concepts, ...(type === 'other' ? [] : [type])];
  const base = { body: '', facts: [], concepts, files: lists.files };
  const [what, rest] = split(plain);
  switch (kind) {
    case 'decision':
      return { kind, ...base, title: what, ...(rest ? { reason: rest } : {}) };
    case 'pattern':
      return { kind, ...base, title: plain };
    case 'issue': {
      const isState = RESOLVED.test(rest) || OPEN.test(rest);
      const done = box ? box[1] !== ' ' : RESOLVED.test(rest);
      return { kind, ...base, title: isState ? what : plain, state: done ? 'resolved' : 'open' };
    }
  }
}

/** Splits at the first colon that ends a word, not in `src:app` or `10:30`; a state may also be in brackets. */
function split(text: string): readonly [string, string] {
  const open = Math.max(text.lastIndexOf('('), text.lastIndexOf('['));
  const state = open > 0 && /[)\]]$/.test(text) ? text.slice(open + 1, -1) : '';
  if (RESOLVED.test(state) || OPEN.test(state)) return [text.slice(0, open).trimEnd(), state];
  const cut = /(?<=\S)(?::\s+|：)/.exec(text);
  if (!cut) return [text, ''];
  return [text.slice(0, cut.index).trim(), text.slice(cut.index + cut[0].length).trim()];
}
