/**
 * Other forms of the brief, to compare with the shipped one: titles alone, a guide that names the moments to search at, and rules in
 * full with such a guide instead of lists of titles.
 */
import { isLive, type Memory, type MemoryKind, type Session } from '../src/core/index.ts';
import { queryWords, type MemoryIndex } from '../src/database/index.ts';

export const FORMS = ['list', 'guide', 'both', 'shipped'] as const;
export type Form = (typeof FORMS)[number];

const MOST_TOPICS = 8;
const MOST_WORDS = 4;
const SEARCH =
  'Before you change something named under "Search first", run `tidemark search "<what you are about to do>"` once: what is remembered about it is not in this text.';

/** Takes the shipped text: the list of titles and, for what it has no room for, the moments to search at. */
export function formOf(form: Form, shipped: string, index: MemoryIndex, project: string): string {
  if (form === 'shipped') return shipped;
  const list = shipped
    .replace(/ Before you change a part named[^\n]*/, '')
    .replace(/\n\n## Search first\n[\s\S]*?(?=\n<\/tidemark-memory>)/, '');
  if (form === 'list') return list;
  const [intro = '', ...sections] = list.split(
    /\n\n(?=<tidemark-memory)|\n\n(?=## )|\n(?=<\/tidemark-memory>)/,
  );
  const kept = sections.filter((section) => KEPT[form].some((title) => section.includes(`## ${title}`)));
  const opening = sections[0]?.split('\n')[0] ?? '';
  const rest = kept.map((section) => section.replace(`${opening}\n`, ''));
  const known = new Set(rest.join('\n').match(/\b1[a-z0-9]{13}\b/g) ?? []);
  const guide = ['## Search first', ...momentLines(index, project, known)].join('\n');
  return [
    `${intro} ${SEARCH}`,
    '',
    [opening, rest.join('\n\n')].join('\n'),
    '',
    guide,
    '</tidemark-memory>',
  ].join('\n');
}

const KEPT: Readonly<Record<'guide' | 'both', readonly string[]>> = {
  guide: ['Previous session'],
  both: ['Previous session', 'Open issues', 'Decisions and preferences', 'Dead ends', 'On other branches'],
};

/** `- billing (datev, peppol, discount): 2 preferences, 1 decision` */
function momentLines(index: MemoryIndex, project: string, known: ReadonlySet<string>): readonly string[] {
  const memories = index.memoriesBy({ project, limit: 10_000 }).filter(isLive);
  const folders = new Map(memories.map((memory) => [memory.id, folderOf(index, memory)]));
  const groups = Map.groupBy(
    memories.filter(({ id }) => !known.has(id)),
    ({ id }) => folders.get(id) ?? '',
  );
  const everywhere = memories.map(({ title }) => new Set(queryWords(title).map(({ surface }) => surface)));
  return [...groups]
    .filter(([folder]) => folder !== '')
    .toSorted((a, b) => b[1].length - a[1].length)
    .slice(0, MOST_TOPICS)
    .map(([folder, group]) => {
      const counts = new Map<string, number>();
      for (const { title } of group)
        for (const { surface, weak, kind } of queryWords(title))
          if (!weak && kind === 'plain' && surface.length > 3)
            counts.set(surface, (counts.get(surface) ?? 0) + 1);
      const telling = (word: string): number =>
        (counts.get(word) ?? 0) / everywhere.filter((words) => words.has(word)).length;
      const words = [...counts.keys()].toSorted(
        (a, b) => (counts.get(b) ?? 0) * telling(b) - (counts.get(a) ?? 0) * telling(a),
      );
      const kinds = [...Map.groupBy(group, ({ kind }) => kind)].map(([kind, some]) =>
        counted(kind, some.length),
      );
      return `- Before you change ${folder} (${words.slice(0, MOST_WORDS).join(', ')}): ${kinds.join(', ')}`;
    });
}

function counted(kind: MemoryKind, count: number): string {
  const name = kind.replace('_', ' ');
  if (count === 1) return `1 ${name}`;
  return `${count} ${name === 'discovery' ? 'discoveries' : name.endsWith('x') ? `${name}es` : `${name}s`}`;
}

/** The first folder of its files, or of the files that its session edited. */
function folderOf(index: MemoryIndex, memory: Memory): string {
  const edited =
    (index.session(memory.provenance.session) as Session | undefined)?.summary?.files_edited ?? '';
  const files = [...memory.files, ...edited.split(/[\s,]+/)].filter((file) => file.includes('/'));
  return files[0]?.split('/')[0] ?? '';
}
