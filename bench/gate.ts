/**
 * `npm run bench:gate -- [--coding FILE] [--transcripts DIR] [--model ID | --words] [--small DIR] [--every N] [--size N] [--json] [--cases | --held-out DIR]`:
 * does a prompt get the relevant memories, and nothing when none is relevant? Runs by words alone and with a local model,
 * on the development parts or on a held-out part, whose cases are never shown. Prints figures; asserts nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { MemoryIndex } from '../src/database/index.ts';
import { localDistiller, smallDistiller } from '../src/distill/index.ts';
import { byDistiller, replay, type Asked } from './_gate-history.ts';
import { contextBy, WAYS, type Way } from './_gate-ways.ts';
import { nearFill } from './_gate-fill.ts';
import {
  developmentParts,
  gateScore,
  heldOutPart,
  isDead,
  isNamed,
  type GateCase,
  type GateLabel,
  type GateScore,
} from './_gate.ts';
import { codingTurns, transcriptSessions } from './_real-turns.ts';
import { cachedSmallModel } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    coding: { type: 'string' },
    transcripts: { type: 'string' },
    small: { type: 'string' },
    words: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cases: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    size: { type: 'string', default: '0' },
    'held-out': { type: 'string' },
  },
});

const ALL = 'all';

const heldOut = options['held-out'];
if (heldOut !== undefined && options.cases)
  throw new Error('--held-out shows no cases, because weights must be chosen without seeing them');
const isFilled = Number(options.size) > 0;
const opened = options.words && !isFilled ? undefined : await BenchVectors.open();
const fill = opened && isFilled ? (await nearFill(opened))(Number(options.size)) : undefined;
const parts =
  heldOut === undefined ? await developmentParts(Number(options.every), fill) : [heldOutPart(heldOut)];
const vectors = options.words ? undefined : opened;
const model = options.words ? undefined : await cachedSmallModel(options.small);
const judged = new Map<Way, GateCase[]>(WAYS.slice(0, vectors ? WAYS.length : 1).map((way) => [way, []]));

const dead: string[] = [];
const labels = new Map(
  parts.flatMap(({ name, real }) => real.map((label) => [label.key, { ...label, part: name }])),
);
for (const { name, written } of parts)
  for (const { index, prompts } of written)
    for (const prompt of prompts) await judge(index, prompt, { ...prompt, part: name }, false);
if (options.coding !== undefined) await judgeAll([...codingTurns(options.coding).values()]);
if (options.transcripts !== undefined) await judgeAll(await transcriptSessions(options.transcripts));
await opened?.close();
print();

async function judgeAll(sessions: Parameters<typeof replay>[0]): Promise<void> {
  const distiller = model ? smallDistiller(model) : localDistiller;
  await replay(
    sessions,
    async (index, asked) => {
      const label = labels.get(asked.key);
      if (label) await judge(index, asked, label, true);
    },
    byDistiller(distiller),
  );
}

async function judge(
  index: MemoryIndex,
  asked: Asked,
  { key, wants, maybe = [], part }: GateLabel & Pick<GateCase, 'part'>,
  real: boolean,
): Promise<void> {
  await vectors?.embedIndex(index);
  if (isDead(index, wants)) dead.push(key);
  for (const [way, cases] of judged) {
    const { memories, explanation } = await contextBy(way, index, asked, { vectors, model });
    const given = memories.flatMap(({ id, score }) => {
      const memory = index.memory(id);
      if (!memory || isNamed(memory, maybe)) return [];
      return [{ title: memory.title, score, relevant: isNamed(memory, wants) }];
    });
    cases.push({ key, part, real, prompt: asked.prompt, wanted: wants.length > 0, given, explanation });
  }
}

function print(): void {
  const rows = [...judged].flatMap(([way, cases]) => rowsOf(way, cases));
  const cases = judged.get('words') ?? [];
  const missing = labels.size - cases.filter(({ real }) => real).length;
  const model = vectors ? 'small' : null;
  const size = Number(options.size);
  const facts = { commit: commit(), data: dataHash(), model, size, prompts: cases.length, missing, dead };
  if (options.json) return console.log(JSON.stringify({ ...facts, rows }, null, 2));
  if (options.cases) for (const [way, told] of judged) for (const one of told) tell(way, one);
  console.log(
    `commit ${facts.commit} · data ${facts.data} · model ${model ?? 'none'} · ${facts.prompts} prompts${size > 0 ? ` · projects of ${size} memories` : ''}`,
  );
  if (missing > 0)
    console.log(`${missing} prompts of real sessions are missing: give --coding FILE and --transcripts DIR`);
  if (dead.length > 0)
    console.log(
      `${dead.length} labels want text that no memory contains any more. Label them again: ${dead.join(', ')}`,
    );
  console.log(
    '\n| part | by | prompts from | prompts | none relevant | false injections | % | recall | precision |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const { part, way, from, score } of rows) {
    const { prompts, withoutRelevant, falseInjections, falseShare, recall, precision } = score;
    const figures = [prompts, withoutRelevant, falseInjections, (falseShare * 100).toFixed(1)];
    console.log(`| ${[part, way, from, ...figures, recall.toFixed(2), precision.toFixed(2)].join(' | ')} |`);
  }
}

interface Row {
  readonly part: string;
  readonly way: Way;
  readonly from: string;
  readonly score: GateScore;
}

function rowsOf(way: Way, cases: readonly GateCase[]): readonly Row[] {
  const names = parts.map(({ name }) => name);
  return [...(names.length > 1 ? [ALL] : []), ...names].flatMap((part) => {
    const some = part === ALL ? cases : cases.filter((one) => one.part === part);
    const [real, written] = [some.filter((one) => one.real), some.filter((one) => !one.real)];
    return [
      ...(real.length > 0 && written.length > 0 ? [{ part, way, from: 'all', score: gateScore(some) }] : []),
      ...(real.length > 0 ? [{ part, way, from: 'real sessions', score: gateScore(real) }] : []),
      ...(written.length > 0 ? [{ part, way, from: 'written', score: gateScore(written) }] : []),
    ];
  });
}

function tell(way: Way, { key, part, prompt, wanted, given, explanation }: GateCase): void {
  const met = given.some(({ relevant }) => relevant);
  const verdict = wanted ? (met ? 'ok' : 'MISSED') : given.length > 0 ? 'FALSE' : 'ok';
  if (verdict === 'ok' && given.every(({ relevant }) => relevant)) return;
  console.log(`\n${verdict} (${way}) ${part} ${key}\n  ${prompt.replace(/\s+/g, ' ').slice(0, 160)}`);
  for (const { title, score, relevant } of given)
    console.log(`  ${relevant ? '+' : '-'} [${score.toFixed(2)}] ${title}`);
  if (given.length === 0) console.log(`  ${explanation}`);
}

function dataHash(): string {
  const written = parts.flatMap(({ written: all }) => all.flatMap(({ prompts }) => prompts));
  const hash = createHash('sha256').update(JSON.stringify([...labels.values(), ...written]));
  if (options.coding !== undefined) hash.update(readFileSync(options.coding));
  return hash.digest('hex').slice(0, 12);
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'src', 'bench') === '' ? '' : '+changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}
