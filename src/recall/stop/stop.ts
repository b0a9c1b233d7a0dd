/**
 * Finds the memory that forbids exactly what a tool call is about to do: in force here, said by the user or shown, and not
 * against what the user just ordered. Decides nothing about the call itself; reads only.
 */
import {
  evidenceWords,
  PERSONAL_PROJECT,
  plainLine,
  RULE_KINDS,
  shortId,
  type Memory,
} from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence, neutral } from '../../privacy/index.ts';
import { age } from '../ages.ts';
import { isConfirmed } from '../context/trust.ts';
import { bullet } from '../context/render.ts';
import { byNameOnly, type Signals } from '../ranking/signals.ts';
import { STOP } from '../ranking/weights.ts';
import { usesOf } from './_code.ts';
import { commandsOf, type CommandAction } from './_command.ts';
import { isOrdered, type Talk } from './_ordered.ts';
import { forbiddenBy, type Forbidden } from './forbidden.ts';

interface EditAction {
  readonly kind: 'edit';
  /** The file's names in the project. */
  readonly files: readonly string[];
  /** The text that the edit replaces, and the new one. Undefined if unknown: then only the path counts. */
  readonly removed?: string;
  readonly added?: string;
}

export type Action = CommandAction | EditAction;

export interface StopOptions extends Talk {
  readonly project: string;
  readonly action: Action;
  readonly now: Date;
  /** Memories that stopped a call of this session before. */
  readonly stopped: ReadonlySet<string>;
  readonly branch?: string;
  readonly signals?: Signals;
}

export interface Stop {
  readonly memory: Memory;
  /** For the agent, with the memory fenced as data. */
  readonly text: string;
  /** For the user. */
  readonly line: string;
}

/** One of them is in every sentence that forbids something. */
const FORBIDDING = [
  'never',
  ' not ',
  "n't ",
  'n’t ',
  'no ',
  'stop ',
  'forbidden',
  'banned',
  'prohibited',
  'limits',
];

export function stopFor(index: MemoryIndex, options: StopOptions): Stop | undefined {
  const { project, action, branch, signals = byNameOnly(branch), stopped, now } = options;
  // Without the prompt nobody knows what the user ordered.
  if (options.prompts.length === 0) return undefined;
  const inForce = { project: [project, PERSONAL_PROJECT], state: 'current', limit: STOP.candidates } as const;
  const memories = [
    ...index.memoriesBy({ ...inForce, kind: 'dead_end' }),
    ...index.memoriesBy({ ...inForce, kind: RULE_KINDS, says: FORBIDDING }),
  ];
  const isDone = action.kind === 'command' ? commandsOf(action) : (one: Forbidden) => edits(action, one);
  for (const memory of memories) {
    if (stopped.has(memory.id) || !isConfirmed(memory)) continue;
    const forbidden = forbiddenBy(memory).find((one) => isDone(one) && !isOrdered(one, options));
    if (forbidden && signals.branch(memory) === 'here') return stop(memory, forbidden, now);
  }
  return undefined;
}

function edits({ files, removed, added }: EditAction, forbidden: Forbidden): boolean {
  switch (forbidden.kind) {
    case 'command':
      return false;
    case 'path':
      return forbidden.act === 'change' && files.some((file) => isBelow(file, forbidden.text));
    case 'name': {
      if (removed === undefined || !added?.includes(forbidden.text)) return false;
      const [before, after] = [removed, added].map((code) => usesOf(forbidden.text, code, files[0] ?? ''));
      return before !== undefined && after !== undefined && after > before;
    }
  }
}

function isBelow(file: string, path: string): boolean {
  return file === path || (path.endsWith('/') && file.startsWith(path));
}

function stop(memory: Memory, { text }: Forbidden, now: Date): Stop {
  const what = neutral(plainLine(text));
  const origin = `${evidenceWords(memory, 'agent')}, ${age(memory.at, now)}, id ${shortId(memory.id)}`;
  return {
    memory,
    text: [
      `Tidemark stopped this call once, because a memory forbids \`${what}\` (${plainLine(origin)}):`,
      fence(bullet(memory, now, STOP.tokens)),
      'Find another way, or repeat the call to go ahead: this memory stops no other call of this session.',
    ].join('\n'),
    line: `Tidemark: a memory forbids ${what}: "${neutral(plainLine(memory.title))}" (${age(memory.at, now)}, ${shortId(memory.id)})`,
  };
}
