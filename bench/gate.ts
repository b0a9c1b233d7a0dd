/**
 * `npm run bench:gate -- [--coding FILE] [--words] [--json] [--cases] [--dev] [--reveal]`: does a prompt get what bears on
 * it, and nothing where nothing does? By words alone and with the local model, for the part the floors were chosen on
 * and for the part that was held out. Prints figures, judges nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { MemoryIndex } from '../src/index/index.ts';
import { promptContext } from '../src/recall/index.ts';
import { replay, type Asked } from './_gate-history.ts';
import {
  gateScore,
  isHeldOutPrompt,
  isRelevant,
  realGateLabels,
  writtenPrompts,
  type GateCase,
  type GateLabel,
  type GateScore,
} from './_gate.ts';
import { codingTurns } from './_real-turns.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    coding: { type: 'string' },
    words: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cases: { type: 'boolean', default: false },
    dev: { type: 'boolean', default: false },
    reveal: { type: 'boolean', default: false },
  },
});

type Way = 'words' | 'words and meaning';

const vectors = options.words ? undefined : await BenchVectors.open();
const judged = new Map<Way, GateCase[]>([['words', []]]);
if (vectors) judged.set('words and meaning', []);

const labels = new Map(realGateLabels().map((label) => [label.key, label]));
const written = writtenPrompts();
for (const prompt of written.prompts) await judge(written.index, prompt, prompt);
if (options.coding !== undefined) {
  await replay([...codingTurns(options.coding).values()], async (index, asked) => {
    const label = labels.get(asked.key);
    if (label) await judge(index, asked, label);
  });
}
await vectors?.close();
print();

async function judge(index: MemoryIndex, asked: Asked, { wants }: GateLabel): Promise<void> {
  if (options.dev && isHeldOutPrompt(asked.key)) return;
  await vectors?.embedIndex(index);
  for (const [way, cases] of judged) {
    const vector = way === 'words' ? undefined : await vectors?.query(asked.prompt);
    const { memories, explanation } = promptContext(index, {
      ...asked,
      already: [],
      ...(vector ? { vector } : {}),
    });
    const given = memories.flatMap(({ id, score }) => {
      const memory = index.memory(id);
      return memory ? [{ title: memory.title, score, relevant: isRelevant(memory, wants) }] : [];
    });
    cases.push({ key: asked.key, prompt: asked.prompt, wanted: wants.length > 0, given, explanation });
  }
}

function print(): void {
  const rows = [...judged].flatMap(([way, cases]) => rowsOf(way, cases));
  const count = judged.get('words')?.length ?? 0;
  const missing = options.dev || options.coding !== undefined ? 0 : labels.size;
  const facts = { commit: commit(), data: dataHash(), prompts: count, missing };
  if (options.json) return console.log(JSON.stringify({ ...facts, rows }, null, 2));
  if (options.cases || options.reveal)
    for (const [way, cases] of judged)
      for (const one of cases) if (isHeldOutPrompt(one.key) ? options.reveal : options.cases) tell(way, one);
  console.log(`commit ${facts.commit} · data ${facts.data} · ${count} prompts`);
  if (missing > 0) console.log(`${missing} prompts of real sessions are not here: give --coding FILE`);
  console.log(
    '\n| by | part | prompts | none relevant | false injections | % | recall | precision |\n|---|---|---|---|---|---|---|---|',
  );
  for (const { way, part, score } of rows) {
    const { prompts, withoutRelevant, falseInjections, falseShare, recall, precision } = score;
    const figures = [prompts, withoutRelevant, falseInjections, (falseShare * 100).toFixed(1)];
    console.log(`| ${[way, part, ...figures, recall.toFixed(2), precision.toFixed(2)].join(' | ')} |`);
  }
}

function rowsOf(
  way: Way,
  cases: readonly GateCase[],
): readonly { readonly way: Way; readonly part: string; readonly score: GateScore }[] {
  const development = cases.filter(({ key }) => !isHeldOutPrompt(key));
  const isReal = ({ key }: GateCase): boolean => key.startsWith('coding/');
  const rows = [
    { way, part: 'development', score: gateScore(development) },
    { way, part: 'development, real sessions', score: gateScore(development.filter(isReal)) },
    { way, part: 'development, written', score: gateScore(development.filter((one) => !isReal(one))) },
  ];
  if (options.dev) return rows;
  return [
    ...rows,
    { way, part: 'held out', score: gateScore(cases.filter(({ key }) => isHeldOutPrompt(key))) },
  ];
}

function tell(way: Way, { key, prompt, wanted, given, explanation }: GateCase): void {
  const met = given.some(({ relevant }) => relevant);
  const verdict = wanted ? (met ? 'ok' : 'MISSED') : given.length > 0 ? 'FALSE' : 'ok';
  if (verdict === 'ok' && given.every(({ relevant }) => relevant)) return;
  console.log(`\n${verdict} (${way}) ${key}\n  ${prompt.replace(/\s+/g, ' ').slice(0, 160)}`);
  for (const { title, score, relevant } of given)
    console.log(`  ${relevant ? '+' : '-'} [${score.toFixed(2)}] ${title}`);
  if (given.length === 0) console.log(`  ${explanation}`);
}

function dataHash(): string {
  const hash = createHash('sha256').update(JSON.stringify([...labels.values(), ...written.prompts]));
  if (options.coding !== undefined) hash.update(readFileSync(options.coding));
  return hash.digest('hex').slice(0, 12);
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'src', 'bench') === '' ? '' : '+changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}
