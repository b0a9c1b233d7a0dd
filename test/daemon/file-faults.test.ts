/**
 * A fault in any file of the data folder while no daemon runs: hooks still exit 0, the daemon still captures once the file
 * can be used or replaced, and what the other files contain is still found. The long run tries every fault in every file, the
 * short run one fault in one file of each folder.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { reportLong } from '../support/long-report.ts';
import { Machine } from '../support/machine.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { stored } from '../support/stored.ts';
import { inventedDecision, uuid } from '../support/synthetic-transcript.ts';

const ON_POSIX = { skip: process.platform === 'win32' ? 'pipes and links of POSIX systems' : false };

interface Fault {
  readonly name: string;
  /** Nothing can be read or written until the user removes it. */
  readonly blocks?: true;
  /** Replaces the file. */
  readonly make: (path: string) => void;
}

const FAULTS: readonly Fault[] = [
  { name: 'missing', make: () => {} },
  { name: 'empty', make: (path) => writeFileSync(path, '') },
  { name: 'cut in half', make: (path) => changed(path, (bytes) => bytes.subarray(0, bytes.length / 2)) },
  {
    name: 'with 60 zeroed bytes',
    make: (path) =>
      changed(path, (bytes) => {
        const middle = Math.floor(bytes.length / 2);
        return bytes.fill(0, middle, Math.min(bytes.length, middle + 60));
      }),
  },
  { name: 'full of other bytes', make: (path) => writeFileSync(path, Buffer.alloc(3000, 0xa7)) },
  { name: 'a folder', blocks: true, make: (path) => mkdirSync(path) },
  { name: 'a link to nothing', blocks: true, make: (path) => symlinkSync('/nonexistent/file', path) },
  { name: 'a pipe', blocks: true, make: (path) => void execFileSync('mkfifo', [path]) },
];

let machine: Machine;
let kept: string;
/** The files of the data folder after the first session, below it. */
let files: readonly string[];
const past = inventedDecision('the past');

before(async () => {
  machine = new Machine();
  await turn('past', past.text);
  await machine.drained();
  await machine.killDaemons(); // a clean stop would leave neither a segment nor a record of the daemon
  writeFileSync(machine.places.config, '{ "recall.briefTokens": 1400 }\n');
  kept = `${machine.places.home}-kept`;
  files = machine
    .files()
    .filter((path) => !path.startsWith(machine.places.compiled)) // Node makes them again
    .map((path) => path.slice(machine.places.home.length + 1))
    .toSorted();
  cpSync(machine.places.home, kept, { recursive: true });
});
after(() => machine.close());

test('a fault in a file blocks nothing, and the next turn is captured', ON_POSIX, async (t) => {
  for (const { file, fault } of casesOf(files))
    await t.test(`${file} is ${fault.name}`, (part) => withFault(part, file, fault));
});

function casesOf(all: readonly string[]) {
  if (IS_LONG_RUN) return all.flatMap((file) => FAULTS.map((fault) => ({ file, fault })));
  const { home, socketPointer, daemon } = machine.places;
  const isChosen = (file: string, i: number): boolean =>
    [socketPointer, daemon].includes(join(home, file)) ||
    all.findIndex((other) => dirname(other) === dirname(file)) === i;
  const chosen = all.filter(isChosen);
  return chosen.map((file, i) => ({ file, fault: FAULTS[i % FAULTS.length]! }));
}

async function withFault(t: TestContext, file: string, fault: Fault): Promise<void> {
  rmSync(machine.places.home, { recursive: true, force: true });
  cpSync(kept, machine.places.home, { recursive: true });
  const path = join(machine.places.home, file);
  const before = readFileSync(path);
  // Only the user can say that no later version wrote the data, and that no other daemon has the lock.
  const { format, lock } = machine.places;
  const blocks = fault.blocks || ([format, lock].includes(path) && fault.name !== 'missing');
  rmSync(path);
  if (fault.name === 'cut in half' || fault.name === 'with 60 zeroed bytes') writeFileSync(path, before);
  fault.make(path);
  t.after(() => machine.killDaemons());

  const next = inventedDecision(`${file} ${fault.name}`);
  await turn(`${file} ${fault.name}`, next.text);
  if (blocks) {
    // The user removes what is in the way; everything that was accepted is processed then.
    await machine.killDaemons();
    rmSync(path, { recursive: true, force: true });
  }
  const { setAside } = await machine.drained();
  // An event that failed three times is set aside, not lost: the user has it tried again.
  if (blocks && setAside.length > 0) await machine.ask('failed', 'retry', '--all');
  else assert.deepEqual(setAside, [], machine.logs());
  const { turns, memories } = await stored(machine);
  const isTurn = (word: string): boolean => turns.some(({ prompt }) => prompt.includes(word));
  const isMemory = (word: string): boolean => memories.some(({ title }) => title.includes(word));
  assert.ok(isTurn(next.word), `the next turn is lost\n${machine.logs()}`);
  assert.ok(isMemory(next.word), `no memory\n${machine.logs()}`);
  // The earlier turn and its memory are in different files: one fault never loses both.
  assert.ok(isTurn(past.word) || isMemory(past.word), `the past is lost\n${machine.logs()}`);
  reportLong({ subject: 'file-system faults', part: file, count: 1, good: 1 });
}

/** A session of one turn through the real hooks, each of which exits 0. */
async function turn(name: string, prompt: string): Promise<void> {
  const session_id = uuid('fault', name);
  const prompt_id = uuid('fault prompt', name);
  const runs = [
    await machine.hook('SessionStart', { session_id, source: 'startup' }),
    await machine.hook('UserPromptSubmit', { session_id, prompt, prompt_id }),
    await machine.hook('Stop', {
      session_id,
      prompt_id,
      last_assistant_message: 'Done, it is stored there now.',
    }),
    await machine.hook('SessionEnd', { session_id, reason: 'other' }),
  ];
  for (const { code, stderr } of runs) assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
}

function changed(path: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, change(readFileSync(path)));
}
