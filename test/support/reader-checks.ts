/**
 * Checks that every reader of a growing file has to pass: the same turns whether the file is read whole, twice, from the
 * start of any turn, or in pieces while the client writes it.
 */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ToolCall, Turn } from '../../src/core/index.ts';
import type { TranscriptReader, TurnRead } from '../../src/agents/index.ts';

type Reader = Pick<TranscriptReader, 'readTurns'>;

export async function turnsOf(reader: Reader, path: string, offset = 0): Promise<readonly TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of reader.readTurns(path, { offset })) reads.push(read);
  return reads;
}

/** `name`: the path of the file below a folder of its own, if the reader takes something from its names. */
export async function checkReading(
  t: TestContext,
  reader: Reader,
  fixture: string,
  name = 'session.jsonl',
): Promise<readonly TurnRead[]> {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const bytes = readFileSync(fixture);

  const inPieces = await followed(reader, path, bytes);
  const whole = await turnsOf(reader, path);
  assert.deepEqual(await turnsOf(reader, path), whole, 'reading twice');
  for (const [index, { start }] of whole.entries()) {
    const rest = (await turnsOf(reader, path, start)).map(withoutContinued);
    assert.deepEqual(rest, whole.slice(index).map(withoutContinued), `reading from turn ${index + 1}`);
  }
  assert.deepEqual(await turnsOf(reader, path, whole.at(-1)?.end ?? 0), [], 'reading from the end');
  assert.deepEqual(
    [...inPieces.values()].map(withoutContinued),
    whole.map(withoutContinued),
    'reading in pieces',
  );
  return whole;
}

/** Follows the file from the start of the last turn, as the daemon does: after every line, and in the middle of lines. */
async function followed(reader: Reader, path: string, bytes: Buffer): Promise<ReadonlyMap<string, TurnRead>> {
  const found = new Map<string, TurnRead>();
  let offset = 0;
  let written = 0;
  writeFileSync(path, '');
  for (const [index, byte] of bytes.entries()) {
    const isCut = byte === 10 || index % 4999 === 0;
    if (!isCut) continue;
    appendFileSync(path, bytes.subarray(written, index + 1));
    written = index + 1;
    for (const read of await turnsOf(reader, path, offset)) {
      found.set(read.turn.id, read);
      offset = read.start;
    }
  }
  return found;
}

/** The turn that a `task` continues may be outside of the part read; the daemon passes it then. */
function withoutContinued({ turn, ...read }: TurnRead): object {
  return { ...read, turn: { ...turn, continues: undefined } };
}

/** A turn in a few words, for expectations that are written by hand. */
export function summary({ id, origin, outcome, prompt, answer, tools }: Turn): object {
  return { id: id.slice(0, 8), origin, outcome, prompt, answer, tools: tools.map(called) };
}

/** `Bash: npm test → error 1` */
function called({ name, command, target, status, exit }: ToolCall): string {
  const what = command ?? target;
  const result = exit === undefined ? status : `${status} ${exit}`;
  return `${name}${what === undefined ? '' : `: ${what}`} → ${result}`;
}
