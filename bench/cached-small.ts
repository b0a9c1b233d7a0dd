/** The small model for benchmarks: in this process, with a cache of its answers outside the clone. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Read, ToRead } from '../src/recall/index.ts';
import { openSmallModel, type SmallModel } from '../src/models/index.ts';

const PLUGIN_MODEL = join(import.meta.dirname, '..', 'plugin', 'model');
const RUNTIME = join(import.meta.dirname, '..', 'node_modules', 'onnxruntime-web', 'dist');
/** Another benchmark may write to the same cache. */
const LOCK_MS = 10_000;

export async function cachedSmallModel(folder = PLUGIN_MODEL): Promise<SmallModel> {
  const model = await openSmallModel(folder, RUNTIME);
  // It has the hash of every file.
  const manifest = readFileSync(join(folder, 'model.json'), 'utf8');
  const home = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tidemark');
  mkdirSync(home, { recursive: true });
  const cache = new DatabaseSync(join(home, 'bench-small.db'), { timeout: LOCK_MS });
  cache.exec('CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, value TEXT NOT NULL)');
  const get = cache.prepare('SELECT value FROM answer WHERE key = ?');
  const put = cache.prepare('INSERT OR REPLACE INTO answer VALUES (?, ?)');
  const cached =
    <I extends object, T>(
      task: string,
      ask: (inputs: readonly I[], signal: AbortSignal) => Promise<readonly T[]>,
    ) =>
    async (inputs: readonly I[], signal: AbortSignal): Promise<readonly T[]> => {
      const answers: T[] = [];
      for (const input of inputs) {
        const text = JSON.stringify([manifest, task, ...Object.values(input)]);
        const key = createHash('sha256').update(text).digest('hex');
        const known = get.get(key)?.['value'] as string | undefined;
        const [answer] = known === undefined ? await ask([input], signal) : [JSON.parse(known) as T];
        if (answer === undefined) throw new Error('the model gave no answer');
        if (known === undefined) put.run(key, JSON.stringify(answer));
        answers.push(answer);
      }
      return answers;
    };
  return {
    version: model.version,
    keep: cached('keep', (inputs, signal) => model.keep(inputs, signal)),
    relate: cached('relate', (inputs, signal) => model.relate(inputs, signal)),
    read: cached('read', (inputs, signal) => model.read(inputs, signal)),
  };
}

/** Reads memories with a prompt as the daemon does, however long it takes. */
export async function readWith(model: SmallModel, memories: readonly ToRead[]): Promise<Read> {
  const pairs = memories.map(({ prompt, text }) => ({ a: prompt, b: text }));
  const odds = await model.read(pairs, new AbortController().signal);
  return new Map(memories.map(({ id }, i) => [id, odds[i] ?? 0]));
}
