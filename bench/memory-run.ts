/**
 * Runs one labelled project through the product: imports its transcripts as `tidemark import history` does and, if wanted,
 * lets the small model keep every turn. Each project has its own home, data and project folder.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  EVERYWHERE,
  lookUpProject,
  openStores,
  Pauses,
  Pipeline,
  type ResolvedProject,
} from '../src/capture/index.ts';
import { DEFAULT_CONFIG } from '../src/config/index.ts';
import { placesIn, type Memory } from '../src/core/index.ts';
import { keepTurn, localDistiller } from '../src/distill/index.ts';
import { importHistory } from '../src/exchange/import/index.ts';
import type { Stores } from '../src/memory/index.ts';
import type { SmallModel } from '../src/models/index.ts';
import { brief, tokenCost } from '../src/recall/index.ts';
import type { LabelledProject } from './labelled-sessions.ts';
import { isTurn, writeTranscripts, type WrittenTranscripts } from './_session-transcripts.ts';
import type { Entry } from './memory-score.ts';

const MOST_MEMORIES = 10_000;
const MOST_TURNS = 100_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface ProjectRun {
  readonly entries: readonly Entry[];
  readonly briefTokens: number;
}

/** The memory of a project after its last session, a day later. */
export interface Remembered {
  readonly stores: Stores;
  readonly place: ResolvedProject;
  readonly now: Date;
}

/** `root`: an empty folder of this project only. `look` gets the open stores before they are closed. */
export async function runProject(
  project: LabelledProject,
  root: string,
  model?: SmallModel,
  look?: (remembered: Remembered) => Promise<void>,
): Promise<ProjectRun> {
  const written = writeProject(project, root);
  return withStores(placesOf(root), async (stores) => {
    await importAll(stores, written.config, written.expected);
    if (model) await keepAll(stores, model);
    const place = await lookUpProject(stores, written.cwd, EVERYWHERE);
    const now = new Date(written.endedAt.getTime() + DAY_MS);
    await look?.({ stores, place, now });
    const text = brief(stores.index, {
      project: place.project.id,
      now,
      budgetTokens: DEFAULT_CONFIG['recall.briefTokens'],
    })?.text;
    return { entries: entriesIn(stores, written), briefTokens: tokenCost(text ?? '') };
  });
}

/** Imports a project once; each call of the result lets the small model keep its turns again, from there. */
export async function importedProject(
  project: LabelledProject,
  root: string,
): Promise<(model: SmallModel) => Promise<readonly Entry[]>> {
  const written = writeProject(project, root);
  await withStores(placesOf(root), (stores) => importAll(stores, written.config, written.expected));
  const again = join(root, 'again');
  return async (model) => {
    rmSync(again, { recursive: true, force: true, maxRetries: 5 });
    cpSync(join(root, 'data'), join(again, 'data'), { recursive: true });
    return withStores(placesOf(again), async (stores) => {
      await keepAll(stores, model);
      return entriesIn(stores, written);
    });
  };
}

/** Lets the small model keep every turn of a project. `before` gets the memory as it is before each turn. */
export async function replayProject(
  project: LabelledProject,
  root: string,
  model: SmallModel,
  before: (stores: Stores, turn: string, turns: WrittenTranscripts['turns']) => void,
): Promise<void> {
  const written = writeProject(project, root);
  await withStores(placesOf(root), async (stores) => {
    await importAll(stores, written.config, written.expected);
    await keepAll(stores, model, (id) => before(stores, written.turns.get(id) ?? '', written.turns));
  });
}

interface Written extends WrittenTranscripts {
  readonly cwd: string;
  readonly config: string;
  readonly expected: { readonly name: string; readonly turns: number };
}

function writeProject(project: LabelledProject, root: string): Written {
  const cwd = join(root, project.name);
  const config = join(root, 'config');
  makeRepository(cwd, root);
  const turns = project.sessions.flatMap((session) => session.turns.filter(isTurn)).length;
  const expected = { name: project.name, turns };
  return { cwd, config, expected, ...writeTranscripts(project, { config, cwd }) };
}

function placesOf(root: string): ReturnType<typeof placesIn> {
  const places = placesIn(join(root, 'data'));
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  return places;
}

/** Opens the stores of a data folder, and closes them when `use` has ended. */
export async function withStores<T>(
  places: ReturnType<typeof placesIn>,
  use: (stores: Stores) => Promise<T>,
): Promise<T> {
  const { stores } = await openStores(places);
  try {
    return await use(stores);
  } finally {
    await closeStores(stores);
  }
}

export async function closeStores(stores: Stores): Promise<void> {
  await stores.journal.close();
  await Promise.all([stores.turns.close(), stores.ledger.close()]);
  stores.index.close();
}

function entriesIn({ index }: Stores, written: WrittenTranscripts): readonly Entry[] {
  return index
    .memoriesBy({ limit: MOST_MEMORIES })
    .toReversed()
    .map((memory) => entryOf(memory, written));
}

/** Imports the transcripts below a configuration folder; fails if there are fewer turns than expected. */
export async function importAll(
  stores: Stores,
  configDir: string,
  expected: { readonly name: string; readonly turns: number },
): Promise<void> {
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope: EVERYWHERE,
    onCaptured: () => {},
  });
  const options: Parameters<typeof importHistory>[2] = {
    sources: [{ agent: 'claude-code', folder: configDir }],
    dryRun: false,
    finished: true,
    scope: EVERYWHERE,
    signal: new AbortController().signal,
  };
  const { turns, skipped } = await importHistory(stores, pipeline, options, () => {});
  if (turns < expected.turns)
    throw new Error(
      `${expected.name}: ${turns} of ${expected.turns} turns imported ${JSON.stringify(skipped)}`,
    );
}

/** The turns that the small model has not read, in order of time. */
function turnsToKeep({ index }: Stores): readonly string[] {
  const at = (id: string): string => index.turn(id)?.at ?? '';
  return index
    .keepable(MOST_TURNS)
    .map((id) => ({ id, at: at(id) }))
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id))
    .map(({ id }) => id);
}

/** As the daemon does in the background: every turn after the rules, in order of time. */
export async function keepAll(
  stores: Stores,
  model: SmallModel,
  before?: (turn: string) => void,
): Promise<void> {
  const { signal } = new AbortController();
  for (const turn of turnsToKeep(stores)) {
    before?.(turn);
    await keepTurn(stores, model, turn, new Date(), signal);
  }
}

function entryOf(memory: Memory, { turns }: WrittenTranscripts): Entry {
  const { id, kind, state, title, body, reason, facts, provenance, personal } = memory;
  return {
    id,
    kind,
    state,
    title,
    text: [body, reason ?? '', ...facts].filter(Boolean).join('\n'),
    turns: [provenance.turn, ...(provenance.also ?? [])].flatMap((turn) => turns.get(turn) ?? []),
    by: provenance.by,
    ...quoteOf(memory),
    ...(personal ? { personal } : {}),
  };
}

/** Memories have a quote since they are distilled with evidence. */
function quoteOf(memory: Memory): { readonly quote?: string } {
  return 'quote' in memory && typeof memory.quote === 'string' ? { quote: memory.quote } : {};
}

/** The sessions ran in a repository. Its files do not matter here; they are named in the transcripts only. */
export function makeRepository(folder: string, home: string): void {
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-c', 'init.defaultBranch=main', 'init', '-q'], { cwd: folder, env });
}
