/**
 * The memories injected when a file is about to be changed: the few that name the file and constrain the change. Never
 * those the session made itself or has seen already. Writes nothing.
 */
import { isStanding, PERSONAL_PROJECT, type Memory, type MemoryKind, plainLine } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence } from '../../privacy/index.ts';
import { age, ageInDays } from '../ages.ts';
import { conflictNotes } from '../conflicts.ts';
import { byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, EDIT } from '../ranking/weights.ts';
import { isConfirmed, isQuotedRule } from './_trust.ts';
import { packEntries, renderEntry } from './render.ts';

export interface EditOptions {
  readonly project: string;
  /** All paths of the file in the project, relative to the root, with `/`. */
  readonly files: readonly string[];
  readonly session: string;
  readonly now: Date;
  /** Memories injected into this session before. */
  readonly already: ReadonlySet<string>;
  readonly branch?: string;
  readonly signals?: Signals;
}

interface EditContext {
  /** For the agent; empty if there is nothing to inject. */
  readonly text: string;
  readonly memories: readonly { readonly id: string; readonly score: number }[];
  /** For the user; empty if there is nothing to inject. */
  readonly line: string;
  /** Number of memories about the file, injected before or not. */
  readonly considered: number;
}

const INTRO =
  'Remembered about the file being changed (`tidemark show <id>` gives an entry with its neighbours; the code may have moved on since):';

/** Kinds that constrain a change; a preference or pattern only if the user said it, something showed it, or it was repeated. */
const KINDS: readonly MemoryKind[] = ['decision', 'dead_end', 'issue', 'preference', 'pattern'];

export function editContext(index: MemoryIndex, options: EditOptions): EditContext {
  const about = memoriesAbout(index, options);
  const fresh = about.filter(({ memory }) => !options.already.has(memory.id)).slice(0, EDIT.most);
  const { now, branch, signals = byNameOnly(branch) } = options;
  const conflicts = conflictNotes(index);
  const packed = packEntries(fresh, EDIT.budgetTokens, INTRO, ({ memory }) =>
    renderEntry(memory, now, EDIT.entryTokens, {
      branch,
      changes: signals.files(memory).changes,
      conflicts: conflicts(memory),
      here: options.files[0] ?? '',
    }),
  );
  if (packed.length === 0) return { text: '', memories: [], line: '', considered: about.length };
  const name = plainLine(nameOf(options.files[0] ?? ''));
  const lines = packed.map(({ one }) => `  • (${age(one.memory.at, now)}) ${plainLine(one.memory.title)}`);
  return {
    text: `${INTRO}\n\n${fence(packed.map(({ text }) => text).join('\n\n'))}`,
    memories: packed.map(({ one }) => ({ id: one.memory.id, score: one.worth })),
    line: [`Memory Retrieved for ${name} (${packed.length}):`, ...lines].join('\n'),
    considered: about.length,
  };
}

interface Ranked {
  readonly memory: Memory;
  /** Between 0 and 1. */
  readonly worth: number;
}

/** Best first. */
function memoriesAbout(index: MemoryIndex, options: EditOptions): readonly Ranked[] {
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
    .map((memory) => ({ memory, worth: worthOf(memory, options) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((a, b) => b.worth - a.worth || b.memory.at.localeCompare(a.memory.at));
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

function worthOf(memory: Memory, { files, branch, now, signals = byNameOnly(branch) }: EditOptions): number {
  const match = Math.max(0, ...memory.files.map((path) => Math.max(...files.map((file) => fit(path, file)))));
  // A memory that names a dozen files is not about this one.
  const focus = 1 / Math.max(1, memory.files.length) ** EDIT.spread;
  const elsewhere = signals.branch(memory) === 'here' ? 1 : EDIT.otherBranch;
  const fading = EDIT.fadingShare * (1 - 2 ** (-ageInDays(memory.at, now) / BRIEF.halfLifeDays));
  const worth = match * focus * EDIT.kind[memory.kind] * elsewhere * (1 - fading);
  return Math.round(worth * 1000) / 1000;
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
