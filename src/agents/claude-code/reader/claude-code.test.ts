import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { collect as all } from '../../../../test/support/collect-turns.ts';
import type { Turn } from '../../../core/index.ts';
import { emptyNotes, type TurnRead } from '../../transcript.ts';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/transcripts');
const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));
const folder = mkdtempSync(join(tmpdir(), 'tidemark-transcript-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Written by a person reading the transcripts. A trailing … means: begins with. */
interface Expected {
  readonly origin: string;
  readonly outcome: string;
  readonly complete: boolean;
  readonly prompt: string;
  readonly answer: string;
  readonly tools: readonly string[];
  readonly continues?: number;
}
const expected: Record<string, readonly Expected[]> = JSON.parse(
  readFileSync(join(FIXTURES, 'expected.json'), 'utf8'),
);

function like(text: string, pattern: string): string {
  return pattern.endsWith('…') && text.startsWith(pattern.slice(0, -1)) ? pattern : text;
}

describe('each fixture gives the turns that a reader of the file would list', () => {
  test('no fixture is left out', () => assert.deepEqual(names, Object.keys(expected).toSorted()));
  for (const name of names) {
    test(name, async () => {
      const reads = await all(join(FIXTURES, name));
      const wanted = expected[name] ?? [];
      const listed = reads.map(({ turn, complete }, at) => ({
        origin: turn.origin,
        outcome: turn.outcome,
        complete,
        prompt: like(turn.prompt, wanted[at]?.prompt ?? ''),
        answer: like(turn.answer, wanted[at]?.answer ?? ''),
        tools: turn.tools.map((tool) =>
          [tool.name, tool.status, tool.exit].filter((part) => part !== undefined).join(' '),
        ),
        ...(turn.continues === undefined
          ? {}
          : { continues: reads.findIndex((read) => read.turn.id === turn.continues) }),
      }));
      assert.deepEqual(listed, wanted);
    });
  }
});

describe('a file that grows', () => {
  type Next = (last: TurnRead) => number;
  const policies: Record<string, Next> = {
    'read again from the last turn': (last) => last.start,
    'read on after a complete turn': (last) => (last.complete ? last.end : last.start),
  };
  for (const [policy, next] of Object.entries(policies)) {
    test(`gives the same turns in the end: ${policy}`, async () => {
      for (const name of names) {
        for (let seed = 1; seed <= 3; seed++) {
          const whole = (await all(join(FIXTURES, name))).map(({ turn }) => turn);
          const pieces = cut(readFileSync(join(FIXTURES, name)), seed);
          assert.deepEqual([...(await followed(pieces, next)).values()], whole, `${name}, seed ${seed}`);
        }
      }
    });
  }

  async function followed(pieces: readonly Buffer[], next: Next): Promise<Map<string, Turn>> {
    const path = join(folder, 'growing.jsonl');
    writeFileSync(path, '');
    const turns = new Map<string, Turn>();
    let offset = 0;
    let continues: string | undefined;
    for (const piece of pieces) {
      appendFileSync(path, piece);
      for (const read of await all(path, { offset, ...(continues === undefined ? {} : { continues }) })) {
        turns.set(read.turn.id, read.turn);
        offset = next(read);
        continues = read.turn.origin === 'person' ? read.turn.id : read.turn.continues;
      }
    }
    return turns;
  }

  function cut(bytes: Buffer, seed: number): Buffer[] {
    const points = Array.from({ length: 12 }, (_, at) => Math.floor(random(seed * 100 + at) * bytes.length));
    const edges = [0, ...points.toSorted((a, b) => a - b), bytes.length];
    return edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge));
  }

  function random(seed: number): number {
    const value = Math.sin(seed) * 10_000;
    return value - Math.floor(value);
  }
});

test('reading again from where a turn starts gives that turn first', async () => {
  for (const name of names) {
    for (const read of await all(join(FIXTURES, name))) {
      const continues = read.turn.continues;
      const again = await all(join(FIXTURES, name), {
        offset: read.start,
        ...(continues === undefined ? {} : { continues }),
      });
      assert.deepEqual(again[0], read, name);
    }
  }
});

test('a fork repeats the turns of its origin under the same ids in another session', async () => {
  const origin = await all(join(FIXTURES, 'print-tools-resume-compact.jsonl'));
  const fork = await all(join(FIXTURES, 'print-fork.jsonl'));
  assert.deepEqual(
    fork.slice(0, 3).map(({ turn }) => [turn.id, turn.messages]),
    origin.map(({ turn }) => [turn.id, turn.messages]),
  );
  assert.notEqual(fork[0]?.turn.session, origin[0]?.turn.session);
});

test('text injected by hooks is never part of a turn', async () => {
  const marks = /MARK-(?:SS|UPS|PRE|POST|STOP|197)|CTX-(?:SS|UPS)|SYS-(?:SS|UPS|STOP)/;
  for (const name of names) {
    for (const { turn } of await all(join(FIXTURES, name)))
      assert.doesNotMatch(JSON.stringify(turn), marks, name);
  }
});

test('a turn has its times, folder, branch, model and client version', async () => {
  const [read] = await all(join(FIXTURES, 'print-edit.jsonl'));
  const file = '/home/dev/project/README.md';
  assert.deepEqual(
    { ...read?.turn, prompt: '', messages: read?.turn.messages.length },
    {
      id: '8a48295f-cb33-4747-ac98-07d18f7c460a',
      agent: 'claude-code',
      session: '2a65d2f1-4c58-47be-9c44-39ba1b356e3d',
      origin: 'person',
      startedAt: '2026-11-15T09:45:34.574Z',
      endedAt: '2026-11-15T09:45:35.819Z',
      outcome: 'answered',
      prompt: '',
      answer: 'ok',
      messages: 6,
      cwd: '/home/dev/project',
      branch: 'master',
      model: 'claude-opus-5-5',
      clientVersion: '2.1.325',
      tools: [
        {
          id: 'toolu_mock63d0a14aae29d28aa3',
          name: 'Read',
          target: file,
          status: 'ok',
          errors: [],
          read: [file],
          edited: [],
        },
        {
          id: 'toolu_mock472a3b68cb9ef1a2ac',
          name: 'Edit',
          target: file,
          status: 'ok',
          errors: [],
          read: [],
          edited: [file],
        },
      ],
    },
  );
});

test('a title set by the user is noted', async () => {
  const notes = emptyNotes();
  await all(join(FIXTURES, 'print-session-title.jsonl'), { notes });
  assert.equal(notes.title, 'MARK-TITLE');
});
