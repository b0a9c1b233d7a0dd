/**
 * `node bench/memory-sheet.ts (--coding FILE | --transcripts DIR) [--turns N] [--take SHARE] [--known FILE] > sheet.jsonl`: what a judge of
 * memories reads. Real sessions are replayed through the small model; one line per memory that is live at the end, with its
 * turn. `--take` chooses turns by hash, so that the same turns are judged whatever is made of them; `--known` leaves out
 * what has a verdict. `--verdicts FILE` counts the verdicts on the memories of now instead. The form of a verdict:
 * docs/research/small-model.md. The sheet contains text of the sessions, so it does not belong into the repository.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isLive, type Memory, type StoredTurn } from '../src/core/index.ts';
import { smallDistiller } from '../src/distill/index.ts';
import { byDistiller, replay } from './_gate-history.ts';
import { codingTurns, transcriptSessions, type KeyedTurn } from './_real-turns.ts';
import { cachedSmallModel } from './cached-small.ts';

/** More than any project has. */
const EVERY = 100_000;
/** Characters of a prompt and of the end of an answer. */
const SHOWN = { prompt: 1600, answer: 2600 } as const;

interface Verdict {
  readonly key: string;
  readonly title: 'clear' | 'cut' | 'unclear' | 'junk';
  readonly worth: 'yes' | 'some' | 'no';
  readonly right: 'yes' | 'no';
}

const { values: options } = parseArgs({
  options: {
    coding: { type: 'string' },
    transcripts: { type: 'string' },
    turns: { type: 'string', default: String(EVERY) },
    take: { type: 'string', default: '1' },
    known: { type: 'string' },
    verdicts: { type: 'string' },
    small: { type: 'string' },
  },
});

const sessions = chosen(await sessionsIn(), Number(options.turns));
const made = (await memoriesOf(sessions)).filter(({ turn }) => shareOf(turn.id) < Number(options.take));
if (options.verdicts === undefined) print();
else tally(verdictsIn(options.verdicts));

async function sessionsIn(): Promise<readonly (readonly KeyedTurn[])[]> {
  if (options.coding !== undefined) return [...codingTurns(options.coding).values()];
  if (options.transcripts !== undefined) return transcriptSessions(options.transcripts);
  throw new Error('give --coding FILE or --transcripts DIR');
}

/** The first sessions, with at most so many turns. */
function chosen(all: readonly (readonly KeyedTurn[])[], most: number): readonly (readonly KeyedTurn[])[] {
  let turns = 0;
  return all
    .filter((session) => session.length > 0)
    .toSorted((a, b) => (a[0]?.turn.startedAt ?? '').localeCompare(b[0]?.turn.startedAt ?? ''))
    .filter((session) => (turns += session.length) <= most);
}

async function memoriesOf(
  all: readonly (readonly KeyedTurn[])[],
): Promise<readonly { readonly memory: Memory; readonly turn: StoredTurn }[]> {
  const turns = new Map(all.flat().map(({ turn }) => [turn.id, turn]));
  const distil = byDistiller(smallDistiller(await cachedSmallModel(options.small)));
  let memories: readonly Memory[] = [];
  // A resumed session repeats turns.
  let left = all.flat().length;
  await replay(
    all,
    async () => {},
    async (stores, turn, previous) => {
      await distil(stores, turn, previous);
      if (--left === 0) memories = stores.index.memoriesBy({ limit: EVERY });
    },
  );
  return memories.filter(isLive).flatMap((memory) => {
    const turn = turns.get(memory.provenance.turn);
    return turn ? [{ memory, turn }] : [];
  });
}

function print(): void {
  const known = new Set(options.known === undefined ? [] : verdictsIn(options.known).map(({ key }) => key));
  for (const { memory, turn } of made) {
    const key = keyOf(memory);
    if (known.has(key)) continue;
    const { kind, state, evidence, title, body, reason } = memory;
    const said = { prompt: shortened(turn.prompt, SHOWN.prompt), answer: turn.answer.slice(-SHOWN.answer) };
    console.log(JSON.stringify({ key, kind, state, evidence, title, body, reason, turn: said }));
  }
}

function tally(verdicts: readonly Verdict[]): void {
  const byKey = new Map(verdicts.map((one) => [one.key, one]));
  const judged = made.flatMap(({ memory }) => byKey.get(keyOf(memory)) ?? []);
  const row = (name: string, is: (one: Verdict) => boolean): void => {
    const count = judged.filter(is).length;
    console.log(`| ${name} | ${count} of ${judged.length} | ${(count / judged.length).toFixed(2)} |`);
  };
  console.log(
    `${made.length} live memories, ${judged.length} with a verdict\n\n| | count | share |\n|---|---|---|`,
  );
  row(
    'useful: right, worth something, no junk',
    (one) => one.right === 'yes' && one.worth !== 'no' && one.title !== 'junk',
  );
  row('title understood without the session', ({ title }) => title === 'clear');
  row('presents what the turn does not say', ({ right }) => right === 'no');
  row('worth nothing', ({ worth }) => worth === 'no');
}

function verdictsIn(file: string): readonly Verdict[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Verdict);
}

/** The same memory of the same turn has the same key, whatever else changed. */
function keyOf({ provenance, kind, title, body, reason = '' }: Memory): string {
  const text = [provenance.turn, kind, title, body, reason].join('\0');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** From 0 to 1. */
function shareOf(turn: string): number {
  return createHash('sha256').update(`o${turn}`).digest().readUInt32BE(0) / 2 ** 32;
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most * 0.6)}\n […]\n${text.slice(-most * 0.4)}`;
}
