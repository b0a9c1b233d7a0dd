/**
 * What a file brings back when it is about to be changed: the few standing memories that speak of it by its path.
 * Never what the session made itself or has been given already. Writes nothing.
 */
import { isStanding, PERSONAL_PROJECT, type Memory, type MemoryKind } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence, plainLine } from '../../privacy/index.ts';
import { age, ageInDays } from '../ages.ts';
import { byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, EDIT } from '../ranking/weights.ts';
import { whole } from './render.ts';
import { tokenCost } from './token-cost.ts';

export interface EditOptions {
  readonly project: string;
  /** The file by every name it has in the project: relative to the root, with `/`. */
  readonly files: readonly string[];
  readonly session: string;
  readonly now: Date;
  /** Memories this session has been given already. */
  readonly already: ReadonlySet<string>;
  readonly branch?: string;
  readonly signals?: Signals;
}

export interface EditContext {
  /** For the model; empty when there is nothing to say. */
  readonly text: string;
  readonly memories: readonly { readonly id: string; readonly score: number }[];
  /** For the user; empty when there is nothing to say. */
  readonly line: string;
  /** How many memories stand about the file, given before or not. */
  readonly considered: number;
}

const INTRO =
  'Remembered about the file being changed (`tidemark show <id>` gives an entry with its neighbours; the code may have moved on since):';

/** These bind whoever changes the file; a preference or pattern only once it stands. */
const KINDS: readonly MemoryKind[] = ['decision', 'dead_end', 'issue', 'preference', 'pattern'];

export function editContext(index: MemoryIndex, options: EditOptions): EditContext {
  const about = memoriesAbout(index, options);
  const fresh = about.filter(({ memory }) => !options.already.has(memory.id)).slice(0, EDIT.most);
  const packed = pack(fresh, options);
  if (packed.length === 0) return { text: '', memories: [], line: '', considered: about.length };
  const name = plainLine(nameOf(options.files[0] ?? ''));
  const lines = packed.map(({ memory }) => `  • (${age(memory.at, options.now)}) ${plainLine(memory.title)}`);
  return {
    text: `${INTRO}\n\n${fence(packed.map(({ text }) => text).join('\n\n'))}`,
    memories: packed.map(({ memory, worth }) => ({ id: memory.id, score: worth })),
    line: [`Memory Retrieved for ${name} (${packed.length}):`, ...lines].join('\n'),
    considered: about.length,
  };
}

interface Worthy {
  readonly memory: Memory;
  /** Between 0 and 1. */
  readonly worth: number;
}

/** Best first. */
function memoriesAbout(index: MemoryIndex, options: EditOptions): readonly Worthy[] {
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
    .filter((memory) => binds(memory) && memory.provenance.session !== options.session)
    .map((memory) => ({ memory, worth: worthOf(memory, options) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((a, b) => b.worth - a.worth || b.memory.at.localeCompare(a.memory.at));
}

function binds(memory: Memory): boolean {
  switch (memory.kind) {
    case 'issue':
      return memory.state === 'open';
    case 'preference':
    case 'pattern':
      return isStanding(memory);
    default:
      return memory.state === 'current';
  }
}

function worthOf(memory: Memory, { files, branch, now, signals = byNameOnly(branch) }: EditOptions): number {
  const match = Math.max(0, ...memory.files.map((path) => Math.max(...files.map((file) => fit(path, file)))));
  // What speaks of a dozen files was not said about this one.
  const focus = 1 / Math.max(1, memory.files.length) ** EDIT.spread;
  const elsewhere = signals.branch(memory) === 'here' ? 1 : EDIT.otherBranch;
  const fading = EDIT.fadingShare * (1 - 2 ** (-ageInDays(memory.at, now) / BRIEF.halfLifeDays));
  const worth = match * focus * EDIT.kind[memory.kind] * elsewhere * (1 - fading);
  return Math.round(worth * 1000) / 1000;
}

/**
 * How surely a memory's path means this file. The file is named from the root, so a path may be its end but never the
 * other way round: `src/a.ts` is not about an `a.ts` in the root.
 */
function fit(path: string, file: string): number {
  const named = path.replace(/^\.\//, '');
  if (named === file) return 1;
  if (!file.endsWith(`/${named}`)) return 0;
  if (named.includes('/')) return EDIT.pathEnd;
  return COMMON_NAME.test(named) ? 0 : EDIT.nameOnly;
}

/** Every folder may have one of these: the name alone tells nothing. */
const COMMON_NAME =
  /^(?:index|main|mod|lib|app|utils?|helpers?|types?|constants?|config|setup|conftest|__init__|__main__|readme|changelog|license|makefile|dockerfile|package|package-lock|tsconfig|cargo|go|pyproject|requirements|schema|styles?|test|tests)(?:\.[\w.]+)?$/i;

function pack(
  fresh: readonly Worthy[],
  { now, branch, signals = byNameOnly(branch) }: EditOptions,
): readonly (Worthy & { readonly text: string })[] {
  const packed: (Worthy & { text: string })[] = [];
  let tokens = 0;
  for (const one of fresh) {
    const text = whole(one.memory, now, EDIT.entryTokens, branch, signals.files(one.memory).changes);
    tokens += tokenCost(text);
    if (packed.length > 0 && tokens > EDIT.budgetTokens) break;
    packed.push({ ...one, text });
  }
  return packed;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
