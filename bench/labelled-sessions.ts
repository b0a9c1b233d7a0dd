/**
 * Reads labelled coding sessions: one JSON file per project with its sessions, the things worth keeping of them (`keep`)
 * and what is open and in force at the end. Never writes.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { MemoryKind } from '../src/core/index.ts';
import type { Entry, Label, LabelledEnd, ScoreInput } from './memory-score.ts';

export interface LabelledTool {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
}

export interface LabelledTurn {
  readonly user: string;
  readonly tools?: readonly LabelledTool[];
  readonly assistant: string;
}

export interface LabelledSession {
  readonly id: string;
  readonly at: string;
  readonly branch: string;
  readonly turns: readonly LabelledTurn[];
}

export interface LabelledProject {
  /** The file's name without its ending. */
  readonly name: string;
  readonly sessions: readonly LabelledSession[];
  readonly labels: readonly Label[];
  readonly end: LabelledEnd;
}

/** One thing worth keeping, as the file has it. */
export interface Keep {
  readonly id: string;
  readonly turn: string;
  readonly who: 'user' | 'assistant' | 'both';
  readonly quote: string;
  readonly kind: MemoryKind;
  readonly title: string;
  readonly why?: string;
  readonly until?: string;
  readonly by?: string;
}

export interface LabelledFile {
  readonly sessions: readonly LabelledSession[];
  readonly keep: readonly Keep[];
  readonly end: {
    readonly open: readonly string[];
    readonly holds: readonly string[];
    readonly never: readonly string[];
  };
}

export interface Selection {
  /** Names of files without their ending. */
  readonly projects?: readonly string[];
  /** The part of the name before the hyphen. */
  readonly groups?: readonly string[];
  /** Every nth of the selected projects. */
  readonly every?: number;
  /** Only projects that the small model was not trained on and that are not blind: thresholds are chosen on them. */
  readonly heldOut?: boolean;
  /** So many projects become one, with all their sessions in order of time: its memory hears much about other matters. */
  readonly together?: number;
}

/** Returns the selected projects of a folder, by name. */
export function labelledProjects(folder: string, selection: Selection = {}): readonly LabelledProject[] {
  const { projects, groups, every = 1, heldOut = false, together = 1 } = selection;
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .toSorted();
  const unknown = projects?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`${folder} has no project ${unknown}`);
  const found = names
    .filter((name) => projects === undefined || projects.includes(name))
    .filter((name) => groups === undefined || groups.includes(name.split('-')[0] ?? ''))
    .filter((name) => !heldOut || (crc32(name) % FOLDS === 0 && !name.startsWith(BLIND)))
    .filter((_, i) => i % every === 0)
    .map((name) => projectOf(name, readFileSync(join(folder, `${name}.json`), 'utf8')));
  if (together === 1) return found;
  // Every so many, so that projects of one group, which are much alike, come into different ones.
  const count = Math.ceil(found.length / together);
  return Array.from({ length: count }, (_, n) => joined(found.filter((_one, i) => i % count === n)));
}

/** One project in five is held out of training, by the hash of its name; group `t` is blind (train/README.md). */
const FOLDS = 5;
const BLIND = 't-';

/** Returns what the scores of a project are computed from. */
export function scoreInput(
  { labels, end, sessions }: LabelledProject,
  entries: readonly Entry[],
): ScoreInput {
  const turns = sessions.flatMap((session) =>
    session.turns.map((turn, n) => ({
      name: `${session.id}.${n + 1}`,
      text: `${turn.user}\n${turn.assistant}`,
    })),
  );
  return { labels, end, entries, turns };
}

function joined(projects: readonly LabelledProject[]): LabelledProject {
  const parts = projects.map(({ name, sessions, labels, end }) => {
    const own = (id: string): string => `${name}-${id}`;
    return {
      sessions: sessions.map((session) => ({ ...session, id: own(session.id) })),
      labels: labels.map((label) => ({
        ...label,
        id: own(label.id),
        turn: own(label.turn),
        ...(label.until === undefined ? {} : { until: own(label.until) }),
        ...(label.by === undefined ? {} : { by: own(label.by) }),
      })),
      end,
    };
  });
  return {
    name: projects.map(({ name }) => name).join('+'),
    sessions: parts.flatMap(({ sessions }) => sessions).toSorted((a, b) => a.at.localeCompare(b.at)),
    labels: parts.flatMap(({ labels }) => labels),
    end: { never: parts.flatMap(({ end }) => end.never) },
  };
}

function projectOf(name: string, text: string): LabelledProject {
  // Written by hand for this benchmark; a file of another shape fails in the check below.
  const { sessions, keep, end } = JSON.parse(text) as LabelledFile;
  const labels = keep.map((one): Label => {
    const status = end.open.includes(one.id) ? 'open' : end.holds.includes(one.id) ? 'in-force' : 'ended';
    if (status === 'ended' && one.until === undefined)
      throw new Error(`${name}: ${one.id} is neither open nor in force, and has no end`);
    return { ...one, status };
  });
  return { name, sessions, labels, end };
}
