/**
 * Runs the small model: the lower layers, then the upper layers of vectors or those of questions. One input at a time: a
 * batch saves about 5 % of the time with the WebAssembly build, and its activations are quantised together, so that an
 * answer would depend on the other inputs. Pauses between two runs of a graph.
 */
import type { Pause } from '../lanes.ts';
import { openRuntime, type Graph, type RuntimeKind, type RuntimePlaces } from '../runtime.ts';
import { readTokenizer } from '../word-piece.ts';
import { encodePair, encodePassage, encodeText, type Encoded } from './_encode.ts';
import { wordTable } from './_words.ts';
import { readSmallModel } from './files.ts';
import { WIDTH, type SmallQuestion } from './model.ts';

/** Longer texts are cut, because the base was not trained on them. */
const MAX_TOKENS = 256;

/** A loaded model in the embedder's process. Pauses between two runs of a graph. */
export interface SmallSession {
  readonly version: string;
  readonly runtime: RuntimeKind;
  vectors(texts: readonly string[], pause: Pause): Promise<readonly Float32Array[]>;
  /** Returns the model's outputs for each pair or passage. */
  answers(question: SmallQuestion, pause: Pause): Promise<readonly Float32Array[]>;
}

export interface SmallSessionOptions extends RuntimePlaces {
  /** Folder of the model. */
  readonly folder: string;
  /** Whether it must be the model this version ships with. */
  readonly isPinned: boolean;
}

type Feeds = Readonly<Record<string, object>>;

export async function openSmallSession(options: SmallSessionOptions): Promise<SmallSession> {
  const { folder, isPinned } = options;
  const { version, read } = readSmallModel(folder, isPinned);
  const tokenizer = readTokenizer(read('vocab.txt').toString('utf8'));
  const words = wordTable(read('words.bin'));
  const runtime = await openRuntime(options);
  const lower = await runtime.open(read('lower.onnx'));
  const vector = await runtime.open(read('vector.onnx'));
  const tasks = await runtime.open(read('tasks.onnx'));

  /** Some models change their layers a little for questions, and again for *read*; `output` says what is asked. */
  const lowerStates = async ({ ids, first }: Encoded, output: string): Promise<Feeds> => {
    const dims = [1, ids.length];
    const embedded = new Float32Array(ids.length * WIDTH);
    ids.forEach((id, i) => words.read(id, embedded, i * WIDTH));
    const feeds = {
      words: runtime.floats(embedded, [...dims, WIDTH]),
      types: runtime.integers(
        ids.map((_, i) => (i < first ? 0 : 1)),
        dims,
      ),
      mask: runtime.floats(new Float32Array(ids.length).fill(1), dims),
      task: runtime.floats(Float32Array.of(output === 'vector' ? 0 : 1), [1]),
      reads: runtime.floats(Float32Array.of(output === 'read' ? 1 : 0), [1]),
    };
    const { states } = await lower.run(inputsOf(lower, feeds));
    if (!states) throw new Error('the model gave no states');
    return { ...feeds, states };
  };

  /** Where the sentences are that *keep* answers for; other questions have none. */
  const sentencesOf = ({ ids, spans = [[0, 1]] }: Encoded): Feeds => {
    const shares = new Float32Array(spans.length * ids.length);
    spans.forEach(([start, end], row) =>
      shares.fill(1 / (end - start), row * ids.length + start, row * ids.length + end),
    );
    return {
      starts: runtime.integers(
        spans.map(([start]) => start),
        [spans.length],
      ),
      shares: runtime.floats(shares, [spans.length, ids.length]),
    };
  };

  const run = async (
    inputs: readonly Encoded[],
    upper: Graph,
    output: string,
    pause: Pause,
  ): Promise<readonly Float32Array[]> => {
    const rows: Float32Array[] = [];
    for (const input of inputs) {
      if (rows.length > 0) await pause();
      const feeds = await lowerStates(input, output);
      await pause();
      const { [output]: found } = await upper.run(inputsOf(upper, { ...feeds, ...sentencesOf(input) }));
      if (!found) throw new Error(`the model gave no ${output}`);
      rows.push(found.data);
    }
    return rows;
  };

  return {
    version,
    runtime: runtime.kind,
    vectors: (texts, pause) =>
      run(
        texts.map((text) => encodeText(tokenizer, text, MAX_TOKENS)),
        vector,
        'vector',
        pause,
      ),
    answers: (question, pause) =>
      run(
        question.task === 'keep'
          ? question.passages.map((passage) => encodePassage(tokenizer, passage))
          : question.pairs.map((pair) => encodePair(tokenizer, question.task, pair)),
        tasks,
        question.task,
        pause,
      ),
  };
}

/** Returns the inputs that a graph has; the runtime refuses others. */
function inputsOf({ inputNames }: Graph, feeds: Feeds): Feeds {
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => inputNames.includes(name)));
}
