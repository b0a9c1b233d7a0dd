/**
 * Decisions that a later session replaced (`amended`), and decisions that are still in force although a later session is
 * about the same thing (`standing`): some of the labelled projects with a prompt written for each, and some written for
 * this benchmark. Never writes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelledProjects, type LabelledProject, type LabelledSession } from './labelled-sessions.ts';

const CASES = join(import.meta.dirname, 'data', 'amended');
const SESSIONS = join(import.meta.dirname, '..', 'train', 'data', 'sessions');

/** A decision, and where it was made. */
export interface Stated {
  readonly text: string;
  readonly session: string;
  /** Its turn, for example `s1.2`; unknown in a session that was written for this benchmark. */
  readonly turn?: string;
}

export interface AmendedCase {
  readonly source: 'labelled' | 'written';
  readonly project: LabelledProject;
  /** A task that needs the decision and names neither the old nor the new one. */
  readonly prompt: string;
  readonly inForce: Stated;
  /** Absent: the decision was never changed. */
  readonly replaced?: Stated;
}

export interface AmendedData {
  readonly cases: readonly AmendedCase[];
  readonly projects: readonly LabelledProject[];
  readonly hash: string;
}

interface LabelledCases {
  readonly amended: readonly { project: string; was: string; now: string; prompt: string }[];
  readonly standing: readonly { project: string; keep: string; prompt: string }[];
}

type Said = readonly [user: string, assistant: string];

interface WrittenCase {
  readonly name: string;
  readonly prompt: string;
  readonly was?: string;
  readonly now?: string;
  readonly holds?: string;
  readonly before: readonly Said[];
  readonly after: readonly Said[];
}

type WrittenCases = Readonly<Record<'amended' | 'standing', readonly WrittenCase[]>>;

export function readAmended(): AmendedData {
  const hash = createHash('sha256');
  const read = (name: string): unknown => {
    const text = readFileSync(join(CASES, name), 'utf8');
    hash.update(text);
    return JSON.parse(text);
  };
  const labelled = labelledCases(read('labelled.json') as LabelledCases);
  const { amended, standing } = read('written.json') as WrittenCases;
  const written = [...amended, ...standing].map(writtenCase);
  const cases = [...labelled, ...written];
  const projects = [...new Map(cases.map(({ project }) => [project.name, project])).values()];
  hash.update(JSON.stringify(projects));
  return { cases, projects, hash: hash.digest('hex').slice(0, 12) };
}

function labelledCases({ amended, standing }: LabelledCases): readonly AmendedCase[] {
  const names = [...new Set([...amended, ...standing].map(({ project }) => project))];
  const projects = new Map(
    labelledProjects(SESSIONS, { projects: names }).map((project) => [project.name, project]),
  );
  const named = (name: string): LabelledProject => {
    const project = projects.get(name);
    if (project === undefined) throw new Error(`there is no project ${name}`);
    return project;
  };
  return [
    ...amended.map(({ project, was, now, prompt }): AmendedCase => ({
      source: 'labelled',
      project: named(project),
      prompt,
      inForce: labelOf(named(project), now),
      replaced: labelOf(named(project), was),
    })),
    ...standing.map(({ project, keep, prompt }): AmendedCase => ({
      source: 'labelled',
      project: named(project),
      prompt,
      inForce: labelOf(named(project), keep),
    })),
  ];
}

function labelOf({ name, labels }: LabelledProject, id: string): Stated {
  const label = labels.find((one) => one.id === id);
  if (label === undefined) throw new Error(`${name} has no label ${id}`);
  return { text: label.title, session: label.turn.split('.')[0] ?? '', turn: label.turn };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The sessions of a case are this far apart; there are sessions of other projects before, between and after. */
const BEFORE = Date.UTC(2026, 1, 2, 10);
const AFTER = Date.UTC(2026, 3, 6, 10);

function writtenCase({ name, prompt, was, now, holds, before, after }: WrittenCase, i: number): AmendedCase {
  const sessions = [sessionOf('s1', BEFORE + i * DAY_MS, before), sessionOf('s2', AFTER + i * DAY_MS, after)];
  const project = { name, sessions, labels: [], end: { open: [], holds: [], never: [] } };
  const inForce = { text: now ?? holds ?? '', session: now === undefined ? 's1' : 's2' };
  return {
    source: 'written',
    project,
    prompt,
    inForce,
    ...(was === undefined ? {} : { replaced: { text: was, session: 's1' } }),
  };
}

function sessionOf(id: string, at: number, said: readonly Said[]): LabelledSession {
  return {
    id,
    at: new Date(at).toISOString(),
    branch: 'main',
    turns: said.map(([user, assistant]) => ({ user, assistant })),
  };
}
