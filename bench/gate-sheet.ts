/**
 * `node bench/gate-sheet.ts --coding FILE --transcripts DIR [--small DIR] > sheet.jsonl`: what a labeller of real prompts reads. One line
 * per labelled prompt, with the memories of earlier sessions that could be relevant. Prompts and memories are in an order
 * by hash, and nothing says which memories the gate injects. `marks` are the hashes that a label names a memory by. The
 * sheet contains text of the sessions, so it does not belong into the repository.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isLive, type Memory } from '../src/core/index.ts';
import type { MemoryIndex } from '../src/database/index.ts';
import { smallDistiller } from '../src/distill/index.ts';
import type { Hit } from '../src/recall/index.ts';
import { byDistiller, replay, type Asked } from './_gate-history.ts';
import { contextBy, WAYS, type Models } from './_gate-ways.ts';
import { marksIn, realLabels } from './_gate.ts';
import { codingTurns, transcriptSessions } from './_real-turns.ts';
import { cachedSmallModel } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

/** Memories per prompt, besides those that the gate injects. */
const MOST = 12;

const { values: options } = parseArgs({
  options: { coding: { type: 'string' }, transcripts: { type: 'string' }, small: { type: 'string' } },
});

interface Line {
  readonly key: string;
  readonly prompt: string;
  /** The prompt before it in the same session. */
  readonly before?: string;
  readonly memories: readonly (Pick<Memory, 'kind' | 'title' | 'body' | 'reason' | 'facts' | 'files'> & {
    readonly marks: readonly string[];
  })[];
}

const labelled = new Set(realLabels().map(({ key }) => key));
const model = await cachedSmallModel(options.small);
const vectors = await BenchVectors.open();
const lines: Line[] = [];
if (options.coding !== undefined) await readAll([...codingTurns(options.coding).values()]);
if (options.transcripts !== undefined) await readAll(await transcriptSessions(options.transcripts));
await vectors.close();
for (const line of lines.toSorted((a, b) => orderOf(a.key).localeCompare(orderOf(b.key))))
  console.log(JSON.stringify(line));

async function readAll(sessions: Parameters<typeof replay>[0]): Promise<void> {
  let last = '';
  await replay(
    sessions,
    async (index, asked) => {
      const before = asked.first ? undefined : last;
      last = asked.prompt;
      if (!labelled.has(asked.key)) return;
      await vectors.embedIndex(index);
      const marks = marksIn(index);
      const memories = (await candidates(index, asked, { vectors, model }))
        .map(({ kind, title, body, reason, facts, files, id }) => ({
          order: orderOf(`${asked.key} ${id}`),
          memory: { kind, title, body, ...(reason === undefined ? {} : { reason }), facts, files },
          marks: marks(id),
        }))
        .toSorted((a, b) => a.order.localeCompare(b.order))
        .map((one) => ({ marks: one.marks, ...one.memory }));
      const { key, prompt } = asked;
      lines.push({ key, prompt, ...(before === undefined ? {} : { before }), memories });
    },
    byDistiller(smallDistiller(model)),
  );
}

/** The memories that any way injects, those the small model reads, and the best by words, by meaning and by both. */
async function candidates(index: MemoryIndex, asked: Asked, models: Models): Promise<readonly Memory[]> {
  const injected: string[] = [];
  for (const way of WAYS)
    injected.push(...(await contextBy(way, index, asked, models)).memories.map(({ id }) => id));
  const { considered: found, toRead } = await contextBy('words and meaning', index, asked, models);
  // What ended is never injected, so it must not be wanted.
  const considered = found.filter(({ memory }) => isLive(memory));
  const orders = [
    toRead.map(({ id }) => id),
    ranked(considered, ({ evidence }) => evidence),
    ranked(considered, ({ worded }) => worded.score),
    ranked(considered, ({ cosine = 0 }) => cosine),
  ];
  const inTurn = considered.flatMap((_, at) => orders.flatMap((order) => order[at] ?? []));
  const chosen = new Set([...injected, ...[...new Set(inTurn)].slice(0, MOST)]);
  return [...chosen].flatMap((id) => index.memory(id) ?? []);
}

function ranked(hits: readonly Hit[], by: (hit: Hit) => number): readonly string[] {
  return hits.toSorted((a, b) => by(b) - by(a)).map(({ memory }) => memory.id);
}

function orderOf(text: string): string {
  return createHash('sha256').update(`sheet\n${text}`).digest('hex');
}
