/**
 * `npm run bench:amended [-- --verbose] [--json] [--skip-brief] [--keep DIR]`: is a decision that a later session replaced
 * still presented as current, and is the one in force found? All cases are captured as sessions of one project, kept by the small model
 * and embedded; then each prompt is asked through the brief, the prompt's context and search. From the clone alone.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStores } from '../src/capture/index.ts';
import { placesIn, shortId } from '../src/core/index.ts';
import type { MemoryIndex } from '../src/database/index.ts';
import type { Stores } from '../src/memory/index.ts';
import { brief, promptContext, search, searchTurns } from '../src/recall/index.ts';
import { commit } from './_facts.ts';
import { readAmended, type AmendedCase, type Stated } from './_amended-data.ts';
import { CHORES } from './_chores.ts';
import type { LabelledProject } from './labelled-sessions.ts';
import { closeStores, importAll, keepAll, makeRepository, runProject } from './memory-run.ts';
import { isTurn, sessionId, writeTranscripts } from './_session-transcripts.ts';
import { SdeMachine } from './_sde-machine.ts';
import { blocksIn, decidingTurn, firstOwner, states, turnText, weightsIn, type Block } from './_sde-score.ts';
import { cachedSmallModel, readWith } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    'skip-brief': { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});

const DEPTHS = [1, 3, 5, 10] as const;
const DEEP = 10;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A replaced decision counts as presented from half of its words on, as in `bench:sde`. */
const REPLACED = 0.5;
const CONVERSATION = '## Conversation of session ';

type Channel = 'brief' | 'memories' | 'session';

interface Outcome {
  readonly of: AmendedCase;
  readonly inForce: Readonly<Record<Channel, boolean>>;
  readonly replaced: Readonly<Record<Channel, boolean>>;
  /** The replaced decision is presented with a note of what was said later. */
  readonly marked: boolean;
  /** Places in search from 0; -1: not among the first ten. */
  readonly turnPlace: number;
  readonly oldPlace: number;
  /** Whether search lists a replaced decision as a memory in force. */
  readonly listed: boolean;
}

const count =
  (is: (one: Outcome) => boolean) =>
  (outcomes: readonly Outcome[]): string =>
    String(outcomes.filter(is).length);
const prompt = ({ memories, session }: Outcome['inForce']): boolean => memories || session;
const within =
  (place: (one: Outcome) => number) =>
  (outcomes: readonly Outcome[]): string =>
    DEPTHS.map((depth) => count((one) => place(one) >= 0 && place(one) < depth)(outcomes)).join(' / ');

const MEASURES: readonly (readonly [string, (outcomes: readonly Outcome[]) => string])[] = [
  ['decision in force in the brief', count(({ inForce }) => inForce.brief)],
  ['… in memories with the prompt', count(({ inForce }) => inForce.memories)],
  ['… in the past session', count(({ inForce }) => inForce.session)],
  ['**with the prompt**', count(({ inForce }) => prompt(inForce))],
  ['replaced decision in the brief', count(({ replaced }) => replaced.brief)],
  ['… in memories with the prompt', count(({ replaced }) => replaced.memories)],
  ['… in the past session', count(({ replaced }) => replaced.session)],
  ['**with the prompt**', count(({ replaced }) => prompt(replaced))],
  ['… with a note of what was said later', count(({ marked }) => marked)],
  ['deciding turn in the first 1 / 3 / 5 / 10', within(({ turnPlace }) => turnPlace)],
  [
    'replaced turn before it',
    count(({ turnPlace, oldPlace }) => oldPlace >= 0 && (turnPlace < 0 || oldPlace < turnPlace)),
  ],
  ['search lists a replaced memory as current', count(({ listed }) => listed)],
];

const data = readAmended();
const small = await cachedSmallModel();
const vectors = await BenchVectors.open();
const weights = weightsIn(
  data.projects.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns.map(said).map(turnText))),
);
const root = options.keep ?? mkdtempSync(join(tmpdir(), 'amended-'));
try {
  const briefs = await briefsOf(options['skip-brief'] ? [] : data.projects);
  await withCaptured(async (stores, now) => {
    const outcomes: Outcome[] = [];
    for (const one of data.cases) outcomes.push(await outcomeOf(one, stores.index, now, briefs));
    let disturbed = 0;
    for (const prompt of CHORES) if ((await injected(stores.index, prompt, now)) !== '') disturbed++;
    print(outcomes, disturbed);
  });
} finally {
  await vectors.close();
  if (options.keep === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

/** The brief of each project by itself: among the sessions of many projects no decision of months ago is in a brief. */
async function briefsOf(
  projects: readonly LabelledProject[],
): Promise<ReadonlyMap<string, readonly Block[]>> {
  const briefs = new Map<string, readonly Block[]>();
  for (const project of projects) {
    const folder = mkdtempSync(join(tmpdir(), 'amended-one-'));
    await runProject(project, folder, small, async ({ stores, place, now }) => {
      const text = brief(stores.index, { project: place.project.id, now })?.text ?? '';
      briefs.set(project.name, blocksIn(text, 'items', namer(stores.index)));
    });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return briefs;
}

async function withCaptured(use: (stores: Stores, now: Date) => Promise<void>): Promise<void> {
  const [cwd, config] = [join(root, 'many'), join(root, 'config')];
  const places = placesIn(join(root, 'data'));
  const isNew = !existsSync(places.home);
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  if (isNew) makeRepository(cwd, root);
  const written = isNew ? data.projects.map((project) => writeTranscripts(project, { config, cwd })) : [];
  const { stores } = await openStores(places);
  try {
    if (isNew) {
      const turns = data.projects.flatMap(({ sessions }) =>
        sessions.flatMap((one) => one.turns.filter(isTurn)),
      );
      await importAll(stores, config, { name: 'amended', turns: turns.length });
      await keepAll(stores, small);
      await vectors.embedIndex(stores.index);
    }
    const ended = written.map(({ endedAt }) => endedAt.getTime());
    const [last] = stores.index.sessions({ limit: 1 });
    const end = Math.max(Date.parse(last?.lastAt ?? ''), ...ended);
    await use(stores, new Date(end + DAY_MS));
  } finally {
    await closeStores(stores);
  }
}

async function outcomeOf(
  one: AmendedCase,
  index: MemoryIndex,
  now: Date,
  briefs: ReadonlyMap<string, readonly Block[]>,
): Promise<Outcome> {
  const { project, prompt, inForce, replaced } = one;
  const prompted = blocksIn(await injected(index, prompt, now), 'headings', namer(index));
  const isConversation = ({ text }: Block): boolean => text.startsWith(CONVERSATION);
  const blocks: Readonly<Record<Channel, readonly Block[]>> = {
    brief: briefs.get(project.name) ?? [],
    memories: prompted.filter((block) => !isConversation(block)),
    session: prompted.filter(isConversation),
  };
  const vector = await vectors.query(prompt);
  const about = { now, vector, limit: DEEP, project: projectOf(index) };
  const ranked = searchTurns(index, prompt, about).map(({ turn }) => turn.id);
  const { hits } = search(index, prompt, about);
  const listed = hits
    .filter(({ memory }) => memory.state === 'current' || memory.state === 'open')
    .map(({ memory: { title, body, reason = '', provenance } }) => ({
      session: provenance.session,
      text: [title, body, reason].join('\n'),
    }));
  const each = (test: (blocks: readonly Block[]) => boolean): Readonly<Record<Channel, boolean>> => ({
    brief: test(blocks.brief),
    memories: test(blocks.memories),
    session: test(blocks.session),
  });
  const isOld = (blocks: readonly Block[]): boolean =>
    replaced !== undefined && isStated(one, replaced, blocks, REPLACED);
  return {
    of: one,
    inForce: each((blocks) => isStated(one, inForce, blocks)),
    replaced: each((all) => isOld(all.filter(({ isMarked }) => !isMarked))),
    marked: isOld(prompted.filter(({ isMarked }) => isMarked)),
    turnPlace: ranked.indexOf(turnId(one, inForce)),
    oldPlace: replaced ? ranked.indexOf(turnId(one, replaced)) : -1,
    listed: isOld(listed),
  };
}

/** As the daemon does it: a second time with what the small model read. */
async function injected(index: MemoryIndex, prompt: string, now: Date): Promise<string> {
  const about = { project: projectOf(index), prompt, session: 'now', now, already: [], first: true };
  const asked = { ...about, vector: await vectors.query(prompt) };
  const first = promptContext(index, asked);
  return promptContext(index, { ...asked, read: await readWith(small, first.toRead) }).text;
}

/** All sessions belong to one project. */
function projectOf(index: MemoryIndex): string {
  return index.sessions({ limit: 1 })[0]?.project ?? '';
}

function namer(index: MemoryIndex): (text: string) => string | undefined {
  const owners = [
    ...index
      .memoriesBy({ limit: 100_000 })
      .map(({ id, provenance }) => [shortId(id), provenance.session] as const),
    ...index.sessions({ limit: 100_000 }).map(({ id }) => [id, id] as const),
  ];
  return firstOwner(new Map(owners));
}

function isStated(
  { project }: AmendedCase,
  stated: Stated,
  blocks: readonly Block[],
  share?: number,
): boolean {
  const turns = turnsOf(project, stated);
  const session = sessionId(project.name, stated.session);
  return states(blocks, { session, turns }, stated.text, weights, share);
}

function turnsOf({ sessions }: LabelledProject, { session }: Stated) {
  return sessions.find(({ id }) => id === session)?.turns.map(said) ?? [];
}

function said({ user, assistant }: LabelledProject['sessions'][number]['turns'][number]) {
  return { prompt: user, answer: assistant };
}

/** The turn that the label names, else the one that states most of the decision. */
function turnId({ project }: AmendedCase, stated: Stated): string {
  const known = stated.turn === undefined ? undefined : Number(stated.turn.split('.')[1]) - 1;
  const at = known ?? decidingTurn(turnsOf(project, stated), stated.text, weights);
  return SdeMachine.turnId(sessionId(project.name, stated.session), at);
}

function print(outcomes: readonly Outcome[], disturbed: number): void {
  const amended = outcomes.filter(({ of }) => of.replaced !== undefined);
  const standing = outcomes.filter(({ of }) => of.replaced === undefined);
  const from = (all: readonly Outcome[], source: AmendedCase['source']) =>
    all.filter(({ of }) => of.source === source);
  const groups = {
    'amended, labelled': from(amended, 'labelled'),
    'amended, written': from(amended, 'written'),
    'amended, all': amended,
    'standing, labelled': from(standing, 'labelled'),
    'standing, written': from(standing, 'written'),
    'standing, all': standing,
  };
  const facts = { commit: commit(), data: data.hash };
  const rows = MEASURES.map(([name, measure]) => [name, ...Object.values(groups).map(measure)]);
  if (options.json) {
    console.log(JSON.stringify({ ...facts, groups: Object.keys(groups), rows, disturbed }, null, 2));
    return;
  }
  if (options.verbose) for (const outcome of outcomes) console.log(lineOf(outcome));
  console.log(`commit ${facts.commit} · data ${facts.data}\n`);
  console.log(
    `| | ${Object.entries(groups)
      .map(([name, of]) => `${name} (${of.length})`)
      .join(' | ')} |`,
  );
  console.log(`|---|${'---|'.repeat(Object.keys(groups).length)}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
  console.log(`\nChores that got something: ${disturbed} of ${CHORES.length}`);
}

function lineOf({ of, inForce, replaced, turnPlace, oldPlace, listed }: Outcome): string {
  const names = (of: Readonly<Record<Channel, boolean>>) =>
    Object.entries(of)
      .flatMap(([name, is]) => (is ? [name] : []))
      .join('+') || '-';
  const kind = of.replaced ? 'amended' : 'standing';
  const places = `turn ${turnPlace}, old ${oldPlace}${listed ? ', listed' : ''}`;
  return `${kind} ${of.project.name}: in force ${names(inForce)}, replaced ${names(replaced)}, ${places}`;
}
