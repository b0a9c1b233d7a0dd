/**
 * Measures what one turn costs the daemon: CPU time with 40 and 400 memories, and how many source files and functions a
 * prompt and a Stop with two notes run. Real hooks, the built daemon, no model. Linux only.
 *
 *   node bench/turns.ts [--n 20] [--sizes 40,400] [--json]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { MemoryDraft } from '../src/core/index.ts';
import { daemonPid } from '../test/support/daemon.ts';
import { DIST, Machine } from '../test/support/machine.ts';
import { SyntheticTranscript, uuid } from '../test/support/synthetic-transcript.ts';
import { Coverage, size, type Calls, type Size } from './_coverage.ts';
import { commit, machine as machineFacts } from './_facts.ts';
import { cpuSeconds } from './_process-memory.ts';

const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '20' },
    sizes: { type: 'string', default: '40,400' },
    json: { type: 'boolean', default: false },
  },
});

/** Invented projects with memories and prompts about them. */
const DATA = join(import.meta.dirname, '..', 'train', 'data', 'relevance');
/** Turns before a measurement: what the first ones load and compile is not counted. */
const WARM_UP = 10;
/** One turn in so many has notes, so that memories hardly grow while the CPU time is measured. */
const NOTES_EVERY = 4;
/** Turns whose files and functions are counted. The median is reported. */
const COUNTED = 5;

interface Project {
  readonly memories: readonly Pick<MemoryDraft, 'kind' | 'title' | 'body'>[];
  readonly prompts: readonly { readonly text: string }[];
}

const cpu = [];
for (const memories of options.sizes.split(',').map(Number))
  cpu.push({ memories, ms: await cpuOf(memories) });
const counted = await countedTurns();
if (options.json) console.log(JSON.stringify({ commit: commit(), n: Number(options.n), cpu, ...counted }));
else {
  console.log(`commit ${commit()}. ${machineFacts()}`);
  for (const { memories, ms } of cpu)
    console.log(`${memories} memories: ${ms.toFixed(1)} ms of CPU in the daemon per turn (n ${options.n})`);
  for (const [name, { files, functions }] of Object.entries(counted))
    console.log(`${name}: ${files} files, ${functions} functions`);
}

/** Milliseconds of CPU time of a prompt and its Stop, until both are processed. */
async function cpuOf(memories: number): Promise<number> {
  const n = Number(options.n);
  const user = await userAtWork(memories);
  try {
    const turn = async (i: number): Promise<void> => {
      await user.prompt();
      await user.stop(i % NOTES_EVERY === 0 ? 2 : 0);
    };
    for (let i = 0; i < WARM_UP; i++) await turn(i);
    const before = cpuSeconds(user.daemon);
    for (let i = 0; i < n; i++) await turn(i);
    return ((cpuSeconds(user.daemon) - before) * 1000) / n;
  } finally {
    await user.machine.close();
  }
}

async function countedTurns(): Promise<Readonly<Record<'prompt' | 'stop', Size>>> {
  const user = await userAtWork(Number(options.sizes.split(',')[0]), true);
  try {
    for (let i = 0; i < WARM_UP; i++) {
      await user.prompt();
      await user.stop(2);
    }
    const calls = async (work: () => Promise<unknown>): Promise<Calls> => {
      await user.coverage.take(user.daemon);
      await work();
      return user.coverage.take(user.daemon);
    };
    // The wait for the end of the processing runs functions too.
    const waiting = await calls(() => user.machine.call('drain', {}));
    const prompts: Size[] = [];
    const stops: Size[] = [];
    for (let i = 0; i < COUNTED; i++) {
      prompts.push(size(await calls(() => user.prompt()), waiting));
      stops.push(size(await calls(() => user.stop(2)), waiting));
    }
    return { prompt: median(prompts), stop: median(stops) };
  } finally {
    await user.machine.close();
  }
}

function median(sizes: readonly Size[]): Size {
  const sorted = sizes.toSorted((a, b) => a.functions - b.functions);
  return sorted[Math.floor(sorted.length / 2)] ?? { files: NaN, functions: NaN };
}

/** Starts a daemon with so many memories in one project, and a session there. */
async function userAtWork(memories: number, isCounted = false) {
  const machine = new Machine();
  const coverage = new Coverage(join(machine.root, 'coverage'), DIST);
  await machine.up(isCounted ? coverage.env : {});
  const projects = readdirSync(DATA).map(
    (name) => JSON.parse(readFileSync(join(DATA, name), 'utf8')) as Project,
  );
  const drafts = projects.flatMap((project) =>
    project.memories.map(({ kind, title, body = title }): MemoryDraft => {
      return { kind, title, body, facts: [], concepts: [], files: [] };
    }),
  );
  const prompts = projects.flatMap((project) => project.prompts.slice(0, 4));
  for (const draft of drafts.splice(0, memories))
    await machine.call('remember', { draft, dir: machine.project });
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('turns'),
    start: new Date().toISOString(),
  });
  const fields = { session_id: transcript.session, transcript_path: transcript.path };
  const processed = async (code: Promise<{ readonly code: number | null }>): Promise<void> => {
    if ((await code).code !== 0) throw new Error('a hook failed');
    await machine.call('drain', {});
  };
  await processed(machine.hook('SessionStart', { ...fields, source: 'startup' }));
  let asked = '';
  return {
    machine,
    coverage,
    daemon: daemonPid(machine.places) ?? 0,
    prompt(): Promise<void> {
      asked = prompts.shift()?.text ?? '';
      return processed(machine.hook('UserPromptSubmit', { ...fields, prompt: asked }));
    },
    stop(notes: number): Promise<void> {
      const noted = drafts
        .splice(0, notes)
        .map(({ kind, title, body }) => `Noted (${kind}): ${title}. ${body}`);
      const answer = ['The change is made and its tests pass.', ...noted].join('\n');
      transcript.append({
        at: new Date().toISOString(),
        prompt: asked,
        answer,
        tools: [{ name: 'Bash', input: { command: 'npm test' }, output: '48 passed, 0 failed' }],
      });
      return processed(machine.hook('Stop', { ...fields, last_assistant_message: answer }));
    },
  };
}
