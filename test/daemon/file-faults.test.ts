/**
 * A fault in any file of the data folder while no daemon runs: hooks still exit 0, the daemon still captures once the file
 * can be used or replaced, and what the other files contain is still found. The long run tries every fault in every file.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { reportLong } from '../support/long-report.ts';
import { Machine } from '../support/machine.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { readJournal, readTurnStore } from '../support/stores.ts';
import { inventedDecision, uuid } from '../support/synthetic-transcript.ts';

const ON_POSIX = { skip: process.platform === 'win32' ? 'pipes and links of POSIX systems' : false };

/** Each replaces the file. `blocks`: nothing can be read or written until the user removes it. */
const FAULTS: readonly {
  readonly name: string;
  readonly blocks?: true;
  readonly make: (path: string) => void;
}[] = [
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

/** Files of the data folder, and whether the memories that are only in them may be gone after the fault. */
const FILES: Readonly<Record<string, (machine: Machine) => string>> = {
  'a day of the journal': ({ places }) =>
    first(join(places.journal, onlyFolder(places.journal)), /^\d{4}.*\.md$/),
  'the ledger': ({ places }) => first(places.ledger, /\.jsonl$/),
  'a turn file': ({ places }) => firstBelow(places.turns, '.jsonl.gz'),
  'a segment of the spool': ({ places }) => first(places.spool, /\d/),
  'the cursor of the spool': ({ places }) => first(places.spool, /^cursor/),
  'the index': ({ places }) => places.index,
  'the settings': ({ places }) => places.config,
  'the pointer to the socket': ({ places }) => places.socketPointer,
  'the record of the daemon': ({ places }) => places.daemon,
};

const CASES = Object.keys(FILES).flatMap((file) => FAULTS.map((fault) => ({ file, fault })));
/** One fault of each file in the short run: every fault occurs. */
const CHOSEN = IS_LONG_RUN ? CASES : CASES.filter((_, i) => i % (FAULTS.length + 1) === 0);

let machine: Machine;
let kept: string;
const past = inventedDecision('the past');

before(async () => {
  machine = new Machine();
  await turn('past', past.text);
  await machine.drained();
  await machine.killDaemons(); // a clean stop would leave neither a segment nor a record of the daemon
  writeFileSync(machine.places.config, '{ "recall.briefTokens": 1400 }\n');
  kept = `${machine.places.home}-kept`;
  cpSync(machine.places.home, kept, { recursive: true });
});
after(() => machine.close());

for (const { file, fault } of CHOSEN) {
  test(`${file} is ${fault.name}: nothing blocks, and the next turn is captured`, ON_POSIX, async (t) => {
    rmSync(machine.places.home, { recursive: true, force: true });
    cpSync(kept, machine.places.home, { recursive: true });
    const path = FILES[file]?.(machine) ?? '';
    assert.ok(existsSync(path), path);
    const before = readFileSync(path);
    rmSync(path);
    if (fault.name === 'cut in half' || fault.name === 'with 60 zeroed bytes') writeFileSync(path, before);
    fault.make(path);
    t.after(() => machine.killDaemons());

    const next = inventedDecision(`${file} ${fault.name}`);
    await turn(`${file} ${fault.name}`, next.text);
    if (fault.blocks) {
      // The user removes what is in the way; everything that was accepted is processed then.
      await machine.killDaemons();
      rmSync(path, { recursive: true, force: true });
    }
    const { setAside } = await machine.drained();
    // An event that failed three times is set aside, not lost: the user has it tried again.
    if (fault.blocks && setAside.length > 0) {
      await machine.call('quarantine.retry', { ids: setAside.map(({ id }) => id) });
      await machine.drained();
    } else assert.deepEqual(setAside, [], machine.logs());
    const has = (word: string) => readTurnStore(machine.places).some(({ prompt }) => prompt.includes(word));
    assert.ok(has(next.word), `the next turn is lost\n${machine.logs()}`);
    const titles = readJournal(machine.places).memories.map(({ title }) => title);
    assert.ok(
      titles.some((title) => title.includes(next.word)),
      `no memory\n${machine.logs()}`,
    );
    // The earlier turn and its memory are in different files: one fault never loses both.
    assert.ok(
      safely(() => has(past.word)) || titles.some((title) => title.includes(past.word)),
      `the past is lost\n${machine.logs()}`,
    );
    reportLong({ subject: 'file-system faults', part: file, count: 1, good: 1 });
  });
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

function onlyFolder(folder: string): string {
  return readdirSync(folder, { withFileTypes: true }).find((entry) => entry.isDirectory())?.name ?? '';
}

function first(folder: string, name: RegExp): string {
  return join(folder, readdirSync(folder).find((one) => name.test(one)) ?? 'none');
}

function firstBelow(folder: string, ending: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return join(folder, names.find((name) => name.endsWith(ending)) ?? 'none');
}

function safely(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false; // a damaged file of turns cannot be read as a whole
  }
}
