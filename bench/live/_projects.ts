/** The projects of live play and their turns in order. Reads files only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabelledFile, LabelledTurn } from '../labelled-sessions.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
const DATA = join(import.meta.dirname, 'data');
const SESSIONS = join(ROOT, 'train', 'data', 'sessions');

/**
 * `recorded`: the agent notes when reminded, as players did once. `uncued`: it writes whole answers in one long session and
 * nobody speaks of notes. `silent`: it never notes.
 */
export type Mode = 'recorded' | 'uncued' | 'silent';

const OWN = ['p-1', 'p-2', 'p-3', 'p-4'];
const GROUP_T = Array.from({ length: 16 }, (_, i) => `t-${String(i + 1).padStart(2, '0')}`);
/** The four own projects and the first eight of group t by number; all sixteen where no player is needed. */
export const PROJECTS: Readonly<Record<Mode, readonly string[]>> = {
  recorded: [...OWN, ...GROUP_T.slice(0, 8)],
  uncued: [...OWN, ...GROUP_T.slice(0, 8)],
  silent: [...OWN, ...GROUP_T],
};

/** In uncued play the projects with an even number are compacted after this many turns. */
export const COMPACTED_AFTER = 10;
export function isCompacted(name: string): boolean {
  return Number(name.split('-')[1]) % 2 === 0;
}

export function projectNamed(name: string): LabelledFile {
  if (name.startsWith('t-')) return readJson(join(SESSIONS, `${name}.json`)) as LabelledFile; // checked by train/check-data.py
  return partOf(join(DATA, 'projects.json'), name); // written for this benchmark
}

/** An entry that a player named by id. Ids derive from the time, so a replay looks for the entry like this one. */
export interface Known {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  /** For example `s1.2`: the second turn of the first session. */
  readonly turnKey: string;
}

/** The texts of a player by turn: the notes, or in uncued play the whole answers. */
export interface Recording {
  readonly written: Readonly<Record<string, string>>;
  readonly entries: readonly Known[];
}

export function recordingsFile(mode: 'recorded' | 'uncued'): string {
  return join(DATA, `${mode}.json`);
}

export function recordingOf(name: string, mode: Mode): Recording {
  if (mode === 'silent') return { written: {}, entries: [] };
  return partOf(recordingsFile(mode), name); // written by play.ts collect
}

export interface Step {
  /** The label's name of the turn. */
  readonly key: string;
  readonly session: string;
  readonly branch: string;
  readonly turn: LabelledTurn;
  /** The turn is the first of a session, or the first after a compaction. */
  readonly opens?: 'startup' | 'compact';
  /** The turn is the last of its session. */
  readonly closes: boolean;
}

export function stepsOf(name: string, mode: Mode): readonly Step[] {
  const isLong = mode === 'uncued';
  const turns = projectNamed(name).sessions.flatMap(({ id, branch, turns }) =>
    turns.map((turn, n) => ({ key: `${id}.${n + 1}`, session: isLong ? 'long' : id, branch, turn })),
  );
  return turns.map((one, i) => {
    const closes = turns[i + 1]?.session !== one.session;
    if (turns[i - 1]?.session !== one.session) return { ...one, closes, opens: 'startup' };
    if (isLong && isCompacted(name) && i === COMPACTED_AFTER) return { ...one, closes, opens: 'compact' };
    return { ...one, closes };
  });
}

function partOf<T>(file: string, name: string): T {
  const part = (readJson(file) as Record<string, T>)[name]; // as its caller says
  if (part === undefined) throw new Error(`${file} has no "${name}".`);
  return part;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
