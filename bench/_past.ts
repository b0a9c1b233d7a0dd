/** Generates transcripts of any total size from a seed. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom, type Random } from '../test/support/random.ts';
import { SyntheticTranscript, uuid, type SyntheticTurn } from '../test/support/synthetic-transcript.ts';

/** The shape of usual sessions: some dozen turns, most bytes in tool results and in lines that only the client uses. */
const TURNS_PER_SESSION = 25;
const TOOLS_PER_TURN = 6;
const OUTPUT_WORDS = 900;
const KEPT_BY_CLIENT_BYTES = 48 * 1024;
const PROJECTS = 12;
const LEFT_MS = 2 * 60 * 60 * 1000;
const SESSION_EVERY_MS = 6 * 60 * 60 * 1000;
const FIRST_SESSION = Date.parse('2026-01-05T08:00:00.000Z');

export interface Past {
  readonly sessions: number;
  readonly turns: number;
  readonly bytes: number;
}

export interface PastSize {
  readonly bytes: number;
  /** Number of sessions that share the bytes; by default sessions have a usual length. */
  readonly sessions?: number;
}

export function makePast(root: string, config: string, size: PastSize, seed: number): Past {
  const random = randomFrom(seed);
  const words = vocabulary(random);
  const filler = text(random, words, KEPT_BY_CLIENT_BYTES / 7);
  let written = 0;
  let sessions = 0;
  let turns = 0;
  const isDone = (): boolean =>
    size.sessions === undefined ? written >= size.bytes : sessions === size.sessions;
  while (!isDone()) {
    // The remaining bytes are shared among the remaining sessions.
    const end =
      size.sessions === undefined ? Infinity : written + (size.bytes - written) / (size.sessions - sessions);
    const most = size.sessions === undefined ? TURNS_PER_SESSION : Infinity;
    const transcript = new SyntheticTranscript({
      config,
      cwd: join(root, `project-${sessions % PROJECTS}`),
      session: uuid('past', seed, sessions),
      start: new Date(FIRST_SESSION + sessions * SESSION_EVERY_MS).toISOString(),
    });
    for (let turn = 0; turn < most && (turn === 0 || written < end); turn++) {
      const lines = [...transcript.lines(turnOf(random, words)), bulk(transcript.session, filler)];
      transcript.write(lines);
      written += lines.reduce((sum, line) => sum + line.length + 1, 0);
      turns++;
    }
    transcript.finish();
    // An old modification time: the import may end the session.
    const left = new Date(Date.now() - LEFT_MS);
    utimesSync(transcript.path, left, left);
    sessions++;
  }
  return { sessions, turns, bytes: written };
}

export function turnOf(random: Random, words: readonly string[]): SyntheticTurn {
  const [a, b, c] = [pick(random, words), pick(random, words), pick(random, words)];
  const decides = random.next() < 0.3;
  const tools = Array.from({ length: TOOLS_PER_TURN }, (_, i) =>
    i % 2 === 0
      ? { name: 'Bash', input: { command: `npm run ${a}` }, output: text(random, words, OUTPUT_WORDS) }
      : { name: 'Read', input: { file_path: `src/${b}/${c}.ts` }, output: text(random, words, OUTPUT_WORDS) },
  );
  return {
    prompt: decides
      ? `We decided to keep the ${a} of the ${b} in ${c} because ${text(random, words, 8)}.`
      : `Please look at ${a} and ${b}: ${text(random, words, 40)}`,
    answer: `${text(random, words, 120)}.\n\nThe ${a} now goes through ${b}.`,
    tools,
  };
}

export function vocabulary(random: Random): readonly string[] {
  const parts = [
    'ba',
    'cor',
    'del',
    'fen',
    'gra',
    'hol',
    'jun',
    'kel',
    'lim',
    'mor',
    'nas',
    'pol',
    'ris',
    'sto',
    'tur',
    'vex',
  ];
  const part = (): string => pick(random, parts);
  return Array.from({ length: 4000 }, () => part() + part() + part());
}

function text(random: Random, words: readonly string[], count: number): string {
  return Array.from({ length: Math.round(count) }, () => pick(random, words)).join(' ');
}

function pick(random: Random, from: readonly string[]): string {
  return from[random.below(from.length)] ?? '';
}

/** Lines that only the client uses. They make up most of a real file; the reader skips them but must read them. */
function bulk(session: string, filler: string): string {
  return JSON.stringify({ type: 'api-request-shape', sessionId: session, shape: filler });
}
