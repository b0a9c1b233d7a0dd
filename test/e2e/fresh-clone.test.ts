/** A newcomer's first minute: a clone of the last commit, an empty HOME, the machine's own Node, `npm start`. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/claude.ts';
import { endAll, processesWith } from '../support/left-behind.ts';
import { waitFor } from '../support/wait-for.ts';

/** npm fetches packages, which depends on network and disk. */
const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** We promise a minute; the rest is for busy machines. */
const START_TIMEOUT_MS = 150_000;

test('npm start on a fresh clone runs the demo, and Ctrl-C leaves no process, no demo folder and no memory', async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'fresh-'));
  const home = join(place, 'home');
  const temp = join(place, 'tmp');
  for (const folder of [home, temp]) mkdirSync(folder);
  t.after(() => {
    endAll(processesWith('HOME', home));
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  });
  const clone = join(place, 'tidemark');
  execFileSync('git', ['clone', '-q', '--no-hardlinks', ROOT, clone]);

  // A group of its own, so that the signal reaches all of it as it does at a terminal.
  const child = spawn('npm', ['start'], {
    cwd: clone,
    env: { ...environment(home), TMPDIR: temp },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = outputOf(child);
  await waitFor('npm to be done', () => said(output(), child, /^tidemark: installed in/m), {
    timeout: INSTALL_TIMEOUT_MS,
    explain: output,
  });
  await waitFor('the three lines', () => said(output(), child, ...GREETING), {
    timeout: START_TIMEOUT_MS,
    explain: output,
  });
  assert.equal(child.exitCode, null, output());

  let isClosed = false;
  child.on('close', () => (isClosed = true));
  process.kill(-child.pid!, 'SIGINT');
  await waitFor('the end', () => isClosed, { explain: output });
  assert.equal(child.exitCode, 0, output());
  await waitFor('every process to be gone', () => processesWith('HOME', home).length === 0, {
    explain: () =>
      processesWith('HOME', home)
        .map(({ command }) => command)
        .join('\n'),
  });
  assert.deepEqual(
    readdirSync(temp).filter((name) => name.startsWith('tidemark-')),
    [],
  );
  assert.ok(!existsSync(join(home, '.tidemark')), 'the real data folder is not created');
});

/** The number of memories, the hub's address, the command that installs the plugin. */
const GREETING = [
  /^Remembered: +[1-9]/m,
  /^Hub: +http:\/\/(?:127\.0\.0\.1|localhost):\d+/m,
  /^Install: +\S/m,
] as const;

function said(text: string, child: ChildProcess, ...lines: readonly RegExp[]): boolean {
  if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${text}`);
  return lines.every((line) => line.test(text));
}

/** Returns the machine's environment without the clone that runs the tests: its npm must not find our Node. */
function environment(home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|TIDEMARK_(?!TEST_RUN)|NODE_(?!EXTRA_CA)|XDG_)/i.test(name),
  );
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(inherited), HOME: home, PATH: folders.join(delimiter) };
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  }
  return () => text;
}
