/**
 * `npm run bench:sde -- --data DIR [--json]`: runs sde-bench (github.com/vectorize-io/sde-bench, read by path) through the
 * product: does a decision of an earlier chat, among decoys, reach the agent? Real daemon, real hooks, default settings, no
 * language model. Prints totals only, because nothing may be tuned on its cases. bench/README.md describes the measures.
 */
import { parseArgs } from 'node:util';
import { cutToTokens, tokenCost } from '../src/recall/index.ts';
import { commit } from './_facts.ts';
import { CHORES } from './_chores.ts';
import { readSde, type SdeChat, type SdeData, type SdeTask } from './_sde-data.ts';
import { SdeMachine } from './_sde-machine.ts';
import {
  blocksIn,
  bm25,
  decidingTurn,
  judge,
  turnText,
  weightsIn,
  type Block,
  type Weights,
} from './_sde-score.ts';
import { cachedSmallModel } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: { data: { type: 'string' }, json: { type: 'boolean', default: false } },
});

const DEPTHS = [1, 3, 5, 10] as const;
/** Plain BM25 injects its best turn with every prompt, cut to this. */
const BM25_TOKENS = 300;

/** One task: what reached the agent, and the places of the deciding turn. */
interface Outcome {
  readonly source: SdeTask['source'];
  readonly brief: boolean;
  readonly injected: boolean;
  readonly either: boolean;
  readonly replaced: boolean;
  /** Where the replaced decision is presented. */
  readonly replacedIn: Readonly<Record<'brief' | 'memories' | 'session', boolean>>;
  /** It is presented without a note of what was said later. */
  readonly replacedPlainly: boolean;
  readonly briefTokens: number;
  readonly promptTokens: number;
  /** Places from 0; -1: not found. */
  readonly entryPlace: number;
  readonly turnPlace: number;
  readonly listedPlace: number;
  /** Decoys before the deciding turn, or among all ten turns. */
  readonly decoys: number;
  readonly plain: {
    readonly place: number;
    readonly reached: boolean;
    readonly replaced: boolean;
    readonly tokens: number;
  };
}

const count =
  (is: (one: Outcome) => boolean) =>
  (outcomes: readonly Outcome[]): string =>
    String(outcomes.filter(is).length);
const mean =
  (of: (one: Outcome) => number) =>
  (outcomes: readonly Outcome[]): string =>
    (outcomes.reduce((sum, one) => sum + of(one), 0) / Math.max(1, outcomes.length)).toFixed(1);
const within =
  (place: (one: Outcome) => number) =>
  (outcomes: readonly Outcome[]): string =>
    DEPTHS.map((depth) => count((one) => place(one) >= 0 && place(one) < depth)(outcomes)).join(' / ');

const MEASURES: readonly (readonly [string, (outcomes: readonly Outcome[]) => string])[] = [
  ['decision in force in the brief', count(({ brief }) => brief)],
  ['injected with the prompt', count(({ injected }) => injected)],
  ['**reached the agent**', count(({ either }) => either)],
  ['replaced decision presented as current', count(({ replaced }) => replaced)],
  ['… in the brief', count(({ replacedIn }) => replacedIn.brief)],
  ['… in memories with the prompt', count(({ replacedIn }) => replacedIn.memories)],
  ['… in the past session', count(({ replacedIn }) => replacedIn.session)],
  ['… without a note of what was said later', count(({ replacedPlainly }) => replacedPlainly)],
  ['no memory: reached the agent', () => '0'],
  ['BM25, best turn with every prompt: reached', count(({ plain }) => plain.reached)],
  ['BM25: replaced decision presented', count(({ plain }) => plain.replaced)],
  ['deciding turn in the first 1 / 3 / 5 / 10 turns', within(({ turnPlace }) => turnPlace)],
  ['BM25: first 1 / 3 / 5 / 10', within(({ plain }) => plain.place)],
  ['its memory in the first 1 / 3 / 5 / 10 entries', within(({ entryPlace }) => entryPlace)],
  ['entries, then turns, as `search` lists them', within(({ listedPlace }) => listedPlace)],
  ['decoys before it', mean(({ decoys }) => decoys)],
  ['tokens of the brief', mean(({ briefTokens }) => briefTokens)],
  ['tokens with the prompt', mean(({ promptTokens }) => promptTokens)],
  ['BM25: tokens with the prompt', mean(({ plain }) => plain.tokens)],
];

if (options.data === undefined) {
  process.stderr.write('Give the folder of sde-bench: --data DIR\n');
  process.exitCode = 1;
} else {
  await main(readSde(options.data));
}

async function main(data: SdeData): Promise<void> {
  const models = { small: await cachedSmallModel(), vectors: await BenchVectors.open() };
  const machine = new SdeMachine(models);
  try {
    await machine.prepare(data.decoys);
    const outcomes: Outcome[] = [];
    for (const task of data.tasks.filter(({ chats }) => chats.length > 0)) {
      outcomes.push(await machine.with(task.chats, () => run(machine, task, data)));
      process.stderr.write(`${outcomes.length} `);
    }
    const without = data.tasks.filter(({ chats }) => chats.length === 0).map(({ prompt }) => prompt);
    const silence = await machine.with([], async () => ({
      tasks: await disturbed(machine, without),
      chores: await disturbed(machine, CHORES),
    }));
    print(data, outcomes, {
      tasks: [silence.tasks, without.length],
      chores: [silence.chores, CHORES.length],
    });
  } finally {
    await machine.close();
    await models.vectors.close();
  }
}

async function run(machine: SdeMachine, task: SdeTask, { decoys }: SdeData): Promise<Outcome> {
  const { brief, injected } = await machine.session(task.prompt);
  const { entries, turns } = await machine.search(task.prompt);
  const ranked = await machine.rankTurns(task.prompt);
  const chats = [...decoys, ...task.chats];
  const corpus = corpusOf(chats);
  const weights = weightsIn(corpus.map(({ text }) => text));
  const sessionIn = machine.namer();
  const briefed = blocksIn(brief, 'items', sessionIn);
  const prompted = blocksIn(injected, 'headings', sessionIn);
  const [inBrief, atPrompt, both] = [briefed, prompted, [...briefed, ...prompted]].map((blocks) =>
    judge(task, blocks, weights),
  );
  const isReplaced = (blocks: readonly Block[]): boolean => judge(task, blocks, weights).replaced;
  const deciding = decidingId(task, weights);
  const sessions = new Map(corpus.map(({ id, session }) => [id, session]));
  const own = new Set(task.chats.map(({ session }) => session));
  const place = ranked.indexOf(deciding);
  return {
    source: task.source,
    brief: inBrief?.reached ?? false,
    injected: atPrompt?.reached ?? false,
    either: both?.reached ?? false,
    replaced: both?.replaced ?? false,
    replacedIn: {
      brief: isReplaced(briefed),
      memories: isReplaced(prompted.filter((block) => !isConversation(block))),
      session: isReplaced(prompted.filter(isConversation)),
    },
    replacedPlainly: isReplaced([...briefed, ...prompted].filter(({ isMarked }) => !isMarked)),
    briefTokens: tokenCost(brief),
    promptTokens: tokenCost(injected),
    entryPlace: entries.indexOf(deciding),
    turnPlace: place,
    listedPlace: [...new Set([...entries, ...turns])].indexOf(deciding),
    decoys: ranked
      .slice(0, place < 0 ? ranked.length : place)
      .filter((id) => !own.has(sessions.get(id) ?? '')).length,
    plain: plainOf(task, corpus, deciding, weights),
  };
}

/** The end of a past session, not a memory. */
function isConversation({ text }: Block): boolean {
  return text.startsWith('## Conversation of session ');
}

interface CorpusTurn {
  readonly id: string;
  readonly session: string;
  readonly text: string;
}

function corpusOf(chats: readonly SdeChat[]): readonly CorpusTurn[] {
  return chats.flatMap(({ session, turns }) =>
    turns.map((turn, n) => ({ id: SdeMachine.turnId(session, n), session, text: turnText(turn) })),
  );
}

/** The deciding turn of the chat in force. */
function decidingId({ chats, policy }: SdeTask, weights: Weights): string {
  const chat = chats.at(-1);
  if (chat === undefined) return '';
  return SdeMachine.turnId(chat.session, decidingTurn(chat.turns, policy, weights));
}

function plainOf(
  task: SdeTask,
  corpus: readonly CorpusTurn[],
  deciding: string,
  weights: Weights,
): Outcome['plain'] {
  const order = bm25(
    task.prompt,
    corpus.map(({ text }) => text),
    weights,
  );
  const best = corpus[order[0] ?? 0];
  const text = cutToTokens(best?.text ?? '', BM25_TOKENS);
  const blocks: readonly Block[] = best ? [{ session: best.session, text }] : [];
  return {
    place: order.findIndex((i) => corpus[i]?.id === deciding),
    ...judge(task, blocks, weights),
    tokens: tokenCost(text),
  };
}

/** Counts the prompts that get something although no chat is relevant. */
async function disturbed(machine: SdeMachine, prompts: readonly string[]): Promise<number> {
  let count = 0;
  for (const prompt of prompts) {
    const { injected } = await machine.session(prompt);
    if (injected !== '') count++;
  }
  return count;
}

type Silence = Readonly<Record<'tasks' | 'chores', readonly [number, number]>>;

function print(data: SdeData, outcomes: readonly Outcome[], silence: Silence): void {
  const facts = { commit: commit(), data: data.hash };
  const groups = [
    { name: 'unamended', of: outcomes.filter(({ source }) => source === 'unamended') },
    { name: 'amended', of: outcomes.filter(({ source }) => source === 'amended') },
    { name: 'all', of: outcomes },
  ];
  const rows = MEASURES.map(([name, measure]) => [name, ...groups.map(({ of }) => measure(of))]);
  if (options.json) {
    console.log(JSON.stringify({ ...facts, rows, silence }, null, 2));
    return;
  }
  console.log(`commit ${facts.commit} · data ${facts.data}\n`);
  console.log(`| | ${groups.map(({ name, of }) => `${name} (${of.length})`).join(' | ')} |`);
  console.log('|---|---|---|---|');
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
  const [tasks, chores] = [silence.tasks, silence.chores].map(([wrong, of]) => `${wrong} of ${of}`);
  console.log(`\nPrompts that got something although no chat is relevant: tasks ${tasks}, chores ${chores}`);
}
