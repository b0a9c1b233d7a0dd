/**
 * Names the moments at which the agent should search memory: parts of the project about which more is remembered than the
 * brief lists. A list of titles alone ends all searching (docs/research/brief.md). Only reads.
 */
import type { Memory, MemoryKind } from '../../core/index.ts';
import { plainLine } from '../../core/index.ts';
import { queryWords, type MemoryIndex } from '../../database/index.ts';
import { MOMENTS } from '../ranking/weights.ts';
import type { Line } from './_pack.ts';

/** `- Before you change billing (datev, peppol): 2 decisions, 1 dead end`, most memories first. */
export function momentLines(index: MemoryIndex, unlisted: readonly Memory[]): readonly Line[] {
  if (unlisted.length < MOMENTS.least) return [];
  const paths = new Map(unlisted.map((memory) => [memory.id, pathOf(index, memory)]));
  const depth = commonDepth([...paths.values()]);
  const parts = Map.groupBy(unlisted, ({ id }) => paths.get(id)?.[depth] ?? '');
  const named = [...parts].filter(([name]) => name !== '').toSorted((a, b) => b[1].length - a[1].length);
  const first = named.slice(0, MOMENTS.most);
  const others = [...named.slice(MOMENTS.most), ...[...parts].filter(([name]) => name === '')];
  const rest = others.flatMap(([, some]) => some);
  return [...first, ...(rest.length > 0 ? [['anything else', rest] as const] : [])].map(([name, some]) => ({
    text: () => `- Before you change ${plainLine(name)}${wordsOf(some, unlisted)}: ${counts(some)}`,
  }));
}

/** The folders of its first file, or of the first that its session edited or read. */
function pathOf(index: MemoryIndex, { files, provenance }: Memory): readonly string[] {
  const { files_edited = '', files_read = '' } = index.session(provenance.session)?.summary ?? {};
  const all = [...files, ...`${files_edited} ${files_read}`.split(/[\s,]+/)];
  return (
    all
      .find((file) => file.includes('/') && !file.startsWith('/'))
      ?.split('/')
      .slice(0, -1) ?? []
  );
}

/** Folders like `src` that contain most of the project name no part of it. */
function commonDepth(paths: readonly (readonly string[])[]): number {
  const known = paths.filter((path) => path.length > 0);
  let depth = 0;
  while (depth < MOMENTS.deepest) {
    const names = Map.groupBy(known, (path) => path[depth] ?? '');
    const largest = Math.max(0, ...[...names].map(([name, some]) => (name === '' ? 0 : some.length)));
    if (largest <= MOMENTS.commonShare * known.length) break;
    depth++;
  }
  return depth;
}

/** The words that most of these titles share and others do not. */
function wordsOf(some: readonly Memory[], all: readonly Memory[]): string {
  const mine = countsOf(some);
  const everywhere = countsOf(all);
  const telling = (word: string): number => (mine.get(word) ?? 0) ** 2 / (everywhere.get(word) ?? 1);
  const words = [...mine.keys()].toSorted((a, b) => telling(b) - telling(a)).slice(0, MOMENTS.words);
  return words.length > 0 ? ` (${words.join(', ')})` : '';
}

function countsOf(memories: readonly Memory[]): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const { title } of memories)
    for (const { surface, weak, kind } of queryWords(title))
      if (!weak && kind !== 'path' && surface.length >= MOMENTS.shortestWord)
        counted.set(surface, (counted.get(surface) ?? 0) + 1);
  return counted;
}

function counts(memories: readonly Memory[]): string {
  return [...Map.groupBy(memories, ({ kind }) => kind)]
    .map(([kind, { length }]) => `${length} ${length === 1 ? NAMES[kind][0] : NAMES[kind][1]}`)
    .join(', ');
}

const NAMES: Readonly<Record<MemoryKind, readonly [string, string]>> = {
  decision: ['decision', 'decisions'],
  preference: ['preference', 'preferences'],
  pattern: ['pattern', 'patterns'],
  dead_end: ['dead end', 'dead ends'],
  issue: ['open issue', 'open issues'],
  discovery: ['fact', 'facts'],
  bugfix: ['bugfix', 'bugfixes'],
  feature: ['feature', 'features'],
  refactor: ['refactoring', 'refactorings'],
};
