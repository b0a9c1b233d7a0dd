/**
 * The memories injected when a file is first read, or about to be changed without having been read: the few that name the
 * file and constrain a change of it. Never those the session made itself or has seen already. Writes nothing.
 */
import { isStanding, PERSONAL_PROJECT, type Memory, type MemoryKind, plainLine } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence } from '../../privacy/index.ts';
import { age, ageInDays } from '../ages.ts';
import { byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, EDIT, READ } from '../ranking/weights.ts';
import { isConfirmed, isQuotedRule } from './trust.ts';
import { packEntries, renderEntry, tokenCost } from './render.ts';

export type FileMoment = 'read' | 'edit';

export interface FileOptions {
  readonly moment: FileMoment;
  readonly project: string;
  /** All paths of the file in the project, relative to the root, with `/`. A shell command may print several files. */
  readonly files: readonly string[];
  readonly session: string;
  readonly now: Date;
  /** Memories injected into this session before. */
  readonly already: ReadonlySet<string>;
  /** Most tokens of the text, if less than usual. */
  readonly tokens?: number;
  readonly branch?: string;
  readonly signals?: Signals;
}

interface FileContext {
  /** For the agent; empty if there is nothing to inject. */
  readonly text: string;
  readonly memories: readonly { readonly id: string; readonly score: number; readonly file: string }[];
  /** For the user; empty if there is nothing to inject. */
  readonly line: string;
  /** Number of memories about the file, injected before or not. */
  readonly considered: number;
  /** Whether `tokens` were too few for an entry. */
  readonly isSpent: boolean;
}

const AFTER = '(`tidemark show <id>` shows an entry with its neighbours; the code may have changed since):';
const INTRO: Readonly<Record<FileMoment, string>> = {
  read: `Remembered about the file just read ${AFTER}`,
  edit: `Remembered about the file being changed ${AFTER}`,
};
const LIMITS = { read: READ, edit: EDIT } as const;

/** Kinds that constrain a change; a preference or pattern only if the user said it, something showed it, or it was repeated. */
const KINDS: readonly MemoryKind[] = ['decision', 'dead_end', 'issue', 'preference', 'pattern'];

export function fileContext(index: MemoryIndex, options: FileOptions): FileContext {
  const { moment, now, branch, signals = byNameOnly(branch) } = options;
  const limits = LIMITS[moment];
  const about = memoriesAbout(index, options);
  const fresh = about.filter(({ memory }) => !options.already.has(memory.id)).slice(0, limits.most);
  const intro = INTRO[moment];
  const frame = tokenCost(
    textOf(
      intro,
      Array.from({ length: limits.most }, () => ''),
    ),
  );
  const room = Math.min(limits.budgetTokens, (options.tokens ?? Infinity) - frame);
  const entryTokens = Math.min(limits.entryTokens, room);
  const isSpent = entryTokens < limits.leastTokens;
  const nothing = { text: '', memories: [], line: '', considered: about.length, isSpent };
  if (isSpent) return nothing;
  const packed = packEntries(fresh, room, intro, ({ memory, here }) =>
    renderEntry(memory, now, entryTokens, {
      branch,
      changes: signals.files(memory).changes,
      here,
    }),
  );
  if (packed.length === 0) return nothing;
  const name = plainLine(nameOf(packed[0]?.one.here ?? ''));
  const lines = packed.map(({ one }) => `  • (${age(one.memory.at, now)}) ${plainLine(one.memory.title)}`);
  return {
    text: textOf(
      intro,
      packed.map(({ text }) => text),
    ),
    memories: packed.map(({ one }) => ({ id: one.memory.id, score: one.worth, file: one.here })),
    line: [`Memory Retrieved for ${name} (${packed.length}):`, ...lines].join('\n'),
    considered: about.length,
    isSpent,
  };
}

function textOf(intro: string, entries: readonly string[]): string {
  return `${intro}\n\n${fence(entries.join('\n\n'))}`;
}

interface Ranked {
  readonly memory: Memory;
  /** Between 0 and 1. */
  readonly worth: number;
  /** The file that it is about. */
  readonly here: string;
}

/** Best first. */
function memoriesAbout(index: MemoryIndex, options: FileOptions): readonly Ranked[] {
  const names = [...new Set(options.files.map(nameOf))].filter(Boolean);
  const found = names.flatMap((file) =>
    index.memoriesBy({
      project: [options.project, PERSONAL_PROJECT],
      kind: KINDS,
      state: ['current', 'open'],
      file,
      limit: EDIT.candidates,
    }),
  );
  const distinct = new Map(found.map((memory) => [memory.id, memory]));
  return [...distinct.values()]
    .filter((memory) => constrains(memory) && memory.provenance.session !== options.session)
    .map((memory) => rank(memory, options))
    .filter(({ worth }) => worth > LIMITS[options.moment].floor)
    .toSorted((a, b) => b.worth - a.worth || b.memory.at.localeCompare(a.memory.at));
}

/** Whether a memory about a file is injected when that file is read or about to be changed. */
export function isInjectedAtFile(memory: Memory): boolean {
  return KINDS.includes(memory.kind) && constrains(memory);
}

function constrains(memory: Memory): boolean {
  if (isQuotedRule(memory)) return false;
  switch (memory.kind) {
    case 'issue':
      return memory.state === 'open';
    case 'preference':
    case 'pattern':
      return memory.state === 'current' && (isConfirmed(memory) || isStanding(memory));
    default:
      return memory.state === 'current';
  }
}

function rank(memory: Memory, { files, branch, now, signals = byNameOnly(branch) }: FileOptions): Ranked {
  const [best] = files
    .map((file) => ({ file, match: Math.max(0, ...memory.files.map((path) => fit(path, file))) }))
    .toSorted((a, b) => b.match - a.match);
  // A memory that names a dozen files is not about this one.
  const focus = 1 / Math.max(1, memory.files.length) ** EDIT.spread;
  const elsewhere = signals.branch(memory) === 'here' ? 1 : EDIT.otherBranch;
  const fading = EDIT.fadingShare * (1 - 2 ** (-ageInDays(memory.at, now) / BRIEF.halfLifeDays));
  const worth = (best?.match ?? 0) * focus * EDIT.kind[memory.kind] * elsewhere * (1 - fading);
  return { memory, worth: Math.round(worth * 1000) / 1000, here: best?.file ?? '' };
}

/**
 * How likely a memory's path means this file. The path may be the end of the file's path, but not the other way round:
 * `src/a.ts` is not about an `a.ts` in the root.
 */
function fit(path: string, file: string): number {
  const named = path.replace(/^\.\//, '');
  if (named === file) return 1;
  if (!file.endsWith(`/${named}`)) return 0;
  if (named.includes('/')) return EDIT.pathEnd;
  return COMMON_NAME.test(named) ? 0 : EDIT.nameOnly;
}

/** Names that many folders have, so the name alone does not identify the file. */
const COMMON_NAME =
  /^(?:index|main|mod|lib|app|utils?|helpers?|types?|constants?|config|setup|conftest|__init__|__main__|readme|changelog|license|makefile|dockerfile|package|package-lock|tsconfig|cargo|go|pyproject|requirements|schema|styles?|test|tests)(?:\.[\w.]+)?$/i;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
