/** For tests of readers whose transcripts are one JSON document: the document as it was after each of its messages. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ReadOptions, TranscriptReader, TurnRead } from '../../src/agents/index.ts';

export async function turnsIn(
  reader: TranscriptReader,
  path: string,
  options: ReadOptions = {},
): Promise<readonly TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of reader.readTurns(path, options)) reads.push(read);
  return reads;
}

/** Checks that a turn has the same id whenever it is read, and no longer changes once another one follows. */
export async function checkGrowth(reader: TranscriptReader, path: string, list: string): Promise<void> {
  const whole = (await turnsIn(reader, path)).map(({ turn }) => turn);
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-growing-'));
  cpSync(dirname(path), folder, { recursive: true });
  const copy = join(folder, basename(path));
  const json = JSON.parse(readFileSync(path, 'utf8')) as Record<string, readonly unknown[]>; // a fixture of ours
  const messages = json[list] ?? [];
  for (let length = 0; length <= messages.length; length++) {
    writeFileSync(copy, JSON.stringify({ ...json, [list]: messages.slice(0, length) }));
    const once = await turnsIn(reader, copy);
    assert.deepEqual(await turnsIn(reader, copy, { offset: once.at(-1)?.end ?? 0 }), once, 'read twice');
    const turns = once.map(({ turn }) => turn);
    const ids = whole.slice(0, turns.length).map(({ id }) => id);
    assert.deepEqual(
      turns.map(({ id }) => id),
      ids,
      `the ids after ${length} messages`,
    );
    assert.deepEqual(turns.slice(0, -1), whole.slice(0, Math.max(0, turns.length - 1)));
  }
}
