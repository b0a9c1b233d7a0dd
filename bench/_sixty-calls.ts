/** Generates one session of ten turns and sixty tool calls from a seed. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeCode } from '../src/agents/claude-code/index.ts';
import type { StoredTurn } from '../src/core/index.ts';
import { redactTurn } from '../src/privacy/index.ts';
import { randomFrom, type Random } from '../test/support/random.ts';
import {
  SyntheticTranscript,
  uuid,
  type SyntheticTool,
  type SyntheticTurn,
} from '../test/support/synthetic-transcript.ts';

export const SESSION = uuid('bench', 'distill');
export const CWD = '/home/ada/engine';
const SEED = 20_261_115;
/** Typical output of reading a file, a test run and a search, in characters. */
const SIZES = { Read: 5200, Bash: 2400, Grep: 1300, Edit: 700 } as const;

const PARTS = [
  'parser',
  'lexer',
  'linker',
  'cache',
  'router',
  'scheduler',
  'store',
  'watcher',
  'client',
  'index',
];
const REASONS = ['memory runs out on small machines', 'two writers met', 'the old one was never closed'];

export interface SixtyCalls {
  readonly turns: readonly SyntheticTurn[];
  /** Turns as the daemon stores them: read from a transcript and redacted. */
  readonly stored: readonly StoredTurn[];
  readonly hash: string;
}

export async function sixtyCalls(): Promise<SixtyCalls> {
  const random = randomFrom(SEED);
  const turns = PARTS.map((part, n) => turnAbout(part, n, random));
  const hash = createHash('sha256').update(JSON.stringify(turns)).digest('hex').slice(0, 12);
  return { turns, stored: await storedTurns(turns), hash };
}

function turnAbout(part: string, n: number, random: Random): SyntheticTurn {
  const file = `${CWD}/src/${part}.ts`;
  const reason = REASONS[n % REASONS.length];
  const tools: SyntheticTool[] = [
    { name: 'Grep', input: { pattern: `open${part}` }, output: code(random, SIZES.Grep) },
    { name: 'Read', input: { file_path: file }, output: code(random, SIZES.Read) },
    { name: 'Read', input: { file_path: `${CWD}/src/${part}.test.ts` }, output: code(random, SIZES.Read) },
    {
      name: 'Edit',
      input: {
        file_path: file,
        old_string: code(random, SIZES.Edit / 2),
        new_string: code(random, SIZES.Edit / 2),
      },
      output: `The file ${file} has been updated.`,
    },
    {
      name: 'Bash',
      input: { command: `npm test -- ${part}` },
      output: `FAIL ${part}\n${code(random, SIZES.Bash)}`,
      failed: true,
    },
    {
      name: 'Bash',
      input: { command: `npm test -- ${part}` },
      output: `PASS ${part}\n${code(random, SIZES.Bash)}`,
    },
  ];
  return {
    prompt: `The ${part} fails on a second start. Find out why and fix it; we decided to keep its state on disk because ${reason}.`,
    answer: `The ${part} failed because ${reason}. Its state now lies on disk in .cache/${part}, is opened once and closed in a finally block. The test that failed before passes. Left open: old files in .cache are never removed.`,
    tools,
  };
}

function code(random: Random, length: number): string {
  const words = [
    ...PARTS,
    'const',
    'await',
    'return',
    'if (',
    ') {',
    '}',
    'readonly',
    '=>',
    'string',
    'undefined',
  ];
  let text = '';
  while (text.length < length)
    text += `${words[random.below(words.length)]}${random.below(9) === 0 ? '\n  ' : ' '}`;
  return text.slice(0, length);
}

async function storedTurns(turns: readonly SyntheticTurn[]): Promise<readonly StoredTurn[]> {
  const config = mkdtempSync(join(tmpdir(), 'db-'));
  try {
    const transcript = new SyntheticTranscript({ config, cwd: CWD, session: SESSION });
    for (const turn of turns) transcript.append(turn);
    transcript.finish();
    const stored: StoredTurn[] = [];
    for await (const { turn } of claudeCode.reader.readTurns(transcript.path))
      stored.push({ ...redactTurn(turn).turn, project: 'engine-bench00' });
    return stored;
  } finally {
    rmSync(config, { recursive: true, force: true });
  }
}
