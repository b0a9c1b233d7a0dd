/**
 * Measures precision and recall of the `local` distiller against labelled turns, for the part on which the rules were tuned
 * and for the third that was held out.
 *
 *   node bench/local.ts [--transcripts DIR] [--coding FILE] [--json] [--cases] [--dev] [--reveal] [--show N [--skip N]]
 *
 * Without the files only written turns are scored. `--cases` prints the errors in the development part. Of the held-out part
 * only the total is printed, unless `--reveal` is given; `--dev` does not score it at all.
 * `--show N` prints the memories of N recorded sessions without labelled turns, to judge them by eye.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { addedDrafts, type MemoryDraft, type StoredTurn } from '../src/core/index.ts';
import { localDistiller } from '../src/distill/index.ts';
import { codingTurns, draw, transcriptTurns, type KeyedTurn } from './_real-turns.ts';
import { judge, total, type Case, type Score } from './_score.ts';
import { isHeldOut, realLabels, writtenHard, writtenTalk, writtenWork, type Label } from './labels/index.ts';

interface LabelledTurn extends Label {
  readonly turn: StoredTurn;
}

const { values: options } = parseArgs({
  options: {
    transcripts: { type: 'string' },
    coding: { type: 'string' },
    json: { type: 'boolean', default: false },
    cases: { type: 'boolean', default: false },
    dev: { type: 'boolean', default: false },
    reveal: { type: 'boolean', default: false },
    show: { type: 'string' },
    seed: { type: 'string', default: 'unseen' },
    skip: { type: 'string', default: '0' },
  },
});

await (options.show === undefined ? main() : show(Number(options.show)));

async function main(): Promise<void> {
  const turns = [...writtenWork, ...writtenTalk, ...writtenHard, ...(await realTurns())];
  const development = await judged(turns.filter(({ key }) => !isHeldOut(key)));
  const heldOut = options.dev ? [] : await judged(turns.filter(({ key }) => isHeldOut(key)));
  const missing = realLabels.length + writtenCount() - turns.length;
  const facts = { commit: commit(), data: hash(turns), turns: turns.length, missing };
  const scores = {
    development: total(development),
    ...(options.dev ? {} : { heldOut: total(heldOut) }),
  };
  if (options.json) return console.log(JSON.stringify({ ...facts, ...scores }, null, 2));
  if (options.cases) development.forEach(print);
  if (options.reveal) heldOut.forEach(print);
  console.log(`commit ${facts.commit} · data ${facts.data} · ${facts.turns} turns`);
  if (missing > 0)
    console.log(`${missing} labelled turns are missing: give --transcripts and --coding to score them too`);
  console.log(
    '\n| part | turns | nothing to keep | wanted | made | right | optional | wrong | precision | recall | F1 |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|---|');
  for (const [part, score] of Object.entries(scores)) console.log(row(part, score));
}

async function realTurns(): Promise<readonly LabelledTurn[]> {
  const found: KeyedTurn[] = [
    ...(options.transcripts === undefined ? [] : await transcriptTurns(options.transcripts)),
    ...(options.coding === undefined ? [] : [...codingTurns(options.coding).values()].flat()),
  ];
  const byKey = new Map(found.map(({ key, turn }) => [key, turn]));
  return realLabels.flatMap((label) => {
    const turn = byKey.get(label.key);
    return turn === undefined ? [] : [{ ...label, turn }];
  });
}

async function judged(turns: readonly LabelledTurn[]): Promise<readonly Case[]> {
  return Promise.all(turns.map(async (label) => judge(label, await distilled(label.turn))));
}

async function distilled(turn: StoredTurn): Promise<readonly MemoryDraft[]> {
  return addedDrafts(
    (await localDistiller.distill({ turn, related: [] }, new AbortController().signal)).operations,
  );
}

/** Prints the memories of sessions that were neither labelled nor used for tuning. */
async function show(count: number): Promise<void> {
  if (options.coding === undefined) throw new Error('--show needs --coding FILE');
  const labelled = new Set(realLabels.map(({ key }) => key.split('#')[0]));
  const sessions = [...codingTurns(options.coding)].filter(
    ([id, turns]) => turns.length > 0 && !labelled.has(`coding/${id}`),
  );
  const skip = Number(options.skip);
  const drawn = draw(options.seed, sessions, ([id]) => id).slice(skip, skip + count);
  let [turns, made] = [0, 0];
  for (const [, session] of drawn) {
    for (const { key, turn } of session) {
      turns++;
      for (const draft of await distilled(turn)) {
        made++;
        console.log(`\n#${made} ${key}\n${line(draft)}\n    ${draft.body}`);
      }
    }
  }
  console.log(`\n${drawn.length} sessions, ${turns} turns, ${made} memories`);
}

function print(one: Case): void {
  if (one.wrong.length + one.missed.length === 0) return;
  console.log(`\n${one.key}`);
  for (const draft of one.right) console.log(`  ok     ${line(draft)}`);
  for (const draft of one.optional) console.log(`  (ok)   ${line(draft)}`);
  for (const draft of one.wrong) console.log(`  WRONG  ${line(draft)}`);
  for (const wanted of one.missed) {
    const personal = wanted.personal ? ' personal' : '';
    console.log(
      `  MISSED ${wanted.kinds.join('|')}${personal}: ${wanted.must.join(' & ')} ${wanted.files ?? ''}`,
    );
  }
}

function line(draft: MemoryDraft): string {
  const extra = [
    ...(draft.reason === undefined ? [] : [`because ${draft.reason}`]),
    ...draft.facts,
    ...(draft.files.length > 0 ? [`files ${draft.files.join(', ')}`] : []),
  ];
  const kind = draft.personal ? `${draft.kind} (personal)` : draft.kind;
  return `${kind}: ${draft.title}${extra.map((text) => `\n           · ${text}`).join('')}`;
}

function row(part: string, score: Score): string {
  const { turns, empty, wanted, made, right, optional, wrong } = score;
  const shares = [score.precision, score.recall, score.f1].map((share) => share.toFixed(2));
  return `| ${[part, turns, empty, wanted, made, right, optional, wrong, ...shares].join(' | ')} |`;
}

function writtenCount(): number {
  return writtenWork.length + writtenTalk.length + writtenHard.length;
}

function hash(turns: readonly LabelledTurn[]): string {
  const sorted = turns.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'src/distill', 'bench') === '' ? '' : '+changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}
