/** Loaded into every thread of a daemon (`--require`): on SIGUSR2 each thread writes which functions ran since the last time. */
import { renameSync, writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { join } from 'node:path';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const folder = process.env['BENCH_COVERAGE'] ?? '';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
writeFileSync(join(folder, `thread-${threadId}`), '');

const channel = new BroadcastChannel('tidemark-coverage');
channel.addEventListener('message', take);
channel.unref();
if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage('take');
    take();
  });
}

/** Taking sets all counts to zero. */
function take(): void {
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    const path = join(folder, `taken-${threadId}`);
    writeFileSync(`${path}.new`, JSON.stringify(error ? [] : ran(taken.result)));
    renameSync(`${path}.new`, path);
  });
}

function ran(scripts: readonly Profiler.ScriptCoverage[]): readonly object[] {
  return scripts.flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName, ranges: [range] }) =>
      range && range.count > 0 && url.endsWith('.cjs')
        ? [{ url, name: functionName, start: range.startOffset, count: range.count }]
        : [],
    ),
  );
}
