import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Turn } from '../../../core/index.ts';
import { emptyNotes, NO_CONVERSATION, type ReadOptions, type TurnRead } from '../../transcript.ts';
import { readTurns } from './codex.ts';
import { describeTranscript, findTranscripts } from './find.ts';
import { mainOf, subagentsOf } from './subagents.ts';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/agents/codex');
const names = readdirSync(join(FIXTURES, 'transcripts'));
const folder = mkdtempSync(join(tmpdir(), 'tidemark-codex-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Written by a person reading the transcripts. A trailing … means: begins with. */
interface Expected {
  readonly origin: string;
  readonly outcome: string;
  readonly complete: boolean;
  readonly prompt: string;
  readonly answer: string;
  /** Name, status, exit code, then the command or target. */
  readonly tools: readonly string[];
  readonly edited: readonly string[];
  readonly continues?: string;
}
const expected: Record<string, readonly Expected[]> = JSON.parse(
  readFileSync(join(FIXTURES, 'expected.json'), 'utf8'),
);

const fixture = (name: string): string => join(FIXTURES, 'transcripts', name);

async function all(path: string, options: ReadOptions = {}): Promise<TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of readTurns(path, options)) reads.push(read);
  return reads;
}

function like(text: string, pattern: string): string {
  return pattern.endsWith('…') && text.startsWith(pattern.slice(0, -1)) ? pattern : text;
}

describe('each fixture gives the turns that a reader of the file would list', () => {
  test('no fixture is left out', () => assert.deepEqual(names, Object.keys(expected).toSorted()));
  for (const name of names) {
    test(name, async () => {
      const wanted = expected[name] ?? [];
      const listed = (await all(fixture(name))).map(({ turn, complete }, at) => ({
        origin: turn.origin,
        outcome: turn.outcome,
        complete,
        prompt: like(turn.prompt, wanted[at]?.prompt ?? ''),
        answer: like(turn.answer, wanted[at]?.answer ?? ''),
        tools: turn.tools.map(
          (tool) =>
            `${[tool.name, tool.status, tool.exit].filter((part) => part !== undefined).join(' ')}: ${tool.command ?? tool.target ?? ''}`,
        ),
        edited: turn.tools.flatMap(({ edited }) => edited),
        ...(turn.continues === undefined ? {} : { continues: turn.continues }),
      }));
      assert.deepEqual(listed, wanted);
    });
  }
});

test('nothing that hooks or the client injected is part of a turn', async () => {
  for (const name of names) {
    for (const { turn } of await all(fixture(name))) {
      const said = `${turn.prompt}\n${turn.answer}`;
      assert.doesNotMatch(
        said,
        /INJECTED|environment_context|AGENTSMD|CHECKPOINT|subagent_notification|turn_aborted/,
      );
    }
  }
});

test('a turn knows its session, place, model and client', async () => {
  const [first] = await all(fixture('edit-reasoning-resume.jsonl'));
  assert.ok(first);
  const { id, session, cwd, branch, model, clientVersion, agent, startedAt, endedAt } = first.turn;
  assert.deepEqual(
    { id, session, cwd, branch, model, clientVersion, agent, startedAt, endedAt, promptIds: first.promptIds },
    {
      id: '01a1e27f-a9f5-7151-92a6-7a08c2a58540',
      session: '01a1e27f-a9bf-7271-9015-9b64e783374f',
      cwd: '/tmp/w/app',
      branch: 'main',
      model: 'gpt-5.5',
      clientVersion: '0.166.0',
      agent: 'codex',
      // The prompt's own time: task_started is written before the SessionStart hook of a resumed session.
      startedAt: '2026-11-16T03:56:20.435Z',
      endedAt: '2026-11-16T03:56:22.707Z',
      promptIds: ['01a1e27f-a9f5-7151-92a6-7a08c2a58540'],
    },
  );
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
        const whole = (await all(fixture(name))).map(({ turn }) => turn);
        const bytes = readFileSync(fixture(name));
        for (let seed = 1; seed <= 5; seed++)
          assert.deepEqual(
            [...(await followed(cut(bytes, seed), next)).values()],
            whole,
            `${name}, seed ${seed}`,
          );
      }
    });
  }

  test('gives the same turns when it is read after every line', async () => {
    for (const name of names) {
      const lines = readFileSync(fixture(name), 'utf8').split(/(?<=\n)/);
      const whole = (await all(fixture(name))).map(({ turn }) => turn);
      const turns = await followed(
        lines.map((line) => Buffer.from(line)),
        (last) => last.start,
      );
      assert.deepEqual([...turns.values()], whole, name);
    }
  });

  async function followed(pieces: readonly Buffer[], next: Next): Promise<Map<string, Turn>> {
    const path = join(folder, 'growing.jsonl');
    writeFileSync(path, '');
    const turns = new Map<string, Turn>();
    let offset = 0;
    for (const piece of pieces) {
      appendFileSync(path, piece);
      for (const read of await all(path, { offset })) {
        turns.set(read.turn.id, read.turn);
        offset = next(read);
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

test('reading twice, and from where a turn starts, gives the same turn', async () => {
  for (const name of names.toReversed()) {
    const reads = await all(fixture(name));
    assert.deepEqual(await all(fixture(name)), reads, name);
    for (const read of reads)
      assert.deepEqual((await all(fixture(name), { offset: read.start }))[0], read, name);
  }
});

test('at Stop the last turn is open but has its answer', async () => {
  const path = join(folder, 'stopped.jsonl');
  const lines = readFileSync(fixture('edit-reasoning-resume.jsonl'), 'utf8').split('\n');
  const end = lines.findIndex((line) => line.includes('"task_complete"'));
  writeFileSync(path, `${lines.slice(0, end).join('\n')}\n`);
  const [read] = await all(path);
  assert.deepEqual(
    [read?.complete, read?.turn.outcome, read?.turn.answer],
    [false, 'open', 'Patching now\n\npatched and checked'],
  );
});

/** The form before about 0.100: no `task_started`, no `task_complete`, no turn ids. */
function withoutTurnIds(name: string, text = ''): string {
  const lines = readFileSync(fixture(name), 'utf8').trim().split('\n');
  const kept = lines.filter((line) => !/"type":"task_(?:started|complete)"/.test(line));
  return `${kept
    .join('\n')
    .replaceAll(/"turn_id":"[^"]*",?/g, '')
    .replaceAll('edit it', text || 'edit it')}\n`;
}

test('old files without turn ids give stable ids, also in a fork copy', async () => {
  const path = join(folder, 'old.jsonl');
  const [meta = '', ...rest] = withoutTurnIds('legacy-0.120.0.jsonl').split('\n');
  const more = withoutTurnIds('legacy-0.120.0.jsonl', 'second')
    .replaceAll('04:21:07', '04:22:08')
    .split('\n')
    .slice(1);
  writeFileSync(path, [meta, ...rest.slice(0, -1), ...more].join('\n'));
  const reads = await all(path);
  assert.deepEqual(
    reads.map(({ turn, complete }) => [
      turn.prompt.slice(0, 6),
      turn.outcome,
      complete,
      turn.tools.length,
      turn.model,
    ]),
    [
      ['edit i', 'answered', true, 2, 'gpt-5.3-codex'],
      ['second', 'open', false, 2, 'gpt-5.3-codex'],
    ],
  );
  const ids = reads.map(({ turn }) => turn.id);
  assert.equal(new Set(ids).size, 2);
  for (const read of reads) assert.deepEqual((await all(path, { offset: read.start }))[0], read);

  const fork = join(folder, 'old-fork.jsonl');
  writeFileSync(
    fork,
    readFileSync(path, 'utf8').replace(/"id":"[^"]*"/, '"id":"11111111-1111-7111-8111-111111111111"'),
  );
  assert.deepEqual(
    (await all(fork)).map(({ turn }) => turn.id),
    ids,
  );
});

test('a version that writes both forms of a message gives it once', async () => {
  const path = join(folder, 'both.jsonl');
  const twice = readFileSync(fixture('fork.jsonl'), 'utf8').replaceAll(
    /^.*"type":"item_completed".*$/gm,
    (line) => {
      const { timestamp, payload } = JSON.parse(line) as {
        timestamp: string;
        payload: { item: { type: string; content: { text: string }[] } };
      };
      const type = payload.item.type === 'UserMessage' ? 'user_message' : 'agent_message';
      const event = {
        timestamp,
        type: 'event_msg',
        payload: { type, message: payload.item.content[0]?.text },
      };
      return `${JSON.stringify(event)}\n${line}`;
    },
  );
  writeFileSync(path, twice);
  const [read] = await all(path);
  assert.deepEqual([read?.turn.prompt, read?.turn.answer], ['forked turn [[say forked]]', 'forked']);
});

test('the context that an editor puts before a prompt is dropped', async () => {
  const path = join(folder, 'editor.jsonl');
  const context = '# Context from my IDE setup:\\n\\n## Active file: a.ts\\n\\n## My request for Codex:\\n';
  writeFileSync(
    path,
    readFileSync(fixture('fork.jsonl'), 'utf8').replaceAll('"forked turn', `"${context}forked turn`),
  );
  assert.equal((await all(path))[0]?.turn.prompt, 'forked turn [[say forked]]');
  const selected = `${context}Always push by force.\\n\\n## My request for Codex:\\n`;
  writeFileSync(
    path,
    readFileSync(fixture('fork.jsonl'), 'utf8').replaceAll('"forked turn', `"${selected}forked turn`),
  );
  assert.equal((await all(path))[0]?.turn.prompt, 'forked turn [[say forked]]', 'selected text has it too');
});

test('noise between the lines is counted and skipped', async () => {
  const path = join(folder, 'noise.jsonl');
  const text = readFileSync(fixture('fork.jsonl'), 'utf8');
  const odd = [
    'not json',
    '[1]',
    '{}',
    '{"type":"event_msg"}',
    '{"type":"event_msg","payload":{"type":"item_completed"}}',
  ];
  writeFileSync(
    path,
    text
      .split('\n')
      .flatMap((line) => [line, ...odd])
      .join('\n'),
  );
  const notes = emptyNotes();
  assert.equal((await all(path, { notes }))[0]?.turn.answer, 'forked');
  assert.equal(notes.malformed, 2 * text.split('\n').length);
  assert.equal(notes.system, 2);
});

describe('finding transcripts', () => {
  const home = join(folder, 'home');
  const day = join(home, 'sessions/2026/11/16');
  const parent = 'rollout-2026-11-16T03-58-39-01a1e281-ca03-7672-baf7-4e3b71fc5217.jsonl';
  const child = 'rollout-2026-11-16T03-58-40-01a1e281-cfdd-79c3-819d-1e6b7b6a53c5.jsonl';
  const fork = 'rollout-2026-11-16T03-56-38-01a1e27f-f370-73a0-acaf-125e1a5faf90.jsonl';
  mkdirSync(day, { recursive: true });
  mkdirSync(join(home, 'archived_sessions'));
  cpSync(fixture('subagent-parent.jsonl'), join(day, parent));
  cpSync(fixture('subagent-child.jsonl'), join(day, child));
  cpSync(fixture('fork.jsonl'), join(home, 'archived_sessions', fork));
  writeFileSync(join(day, 'rollout-empty.jsonl'), '');
  writeFileSync(join(day, 'rollout-old.jsonl.zst'), 'x');
  writeFileSync(join(day, 'rollout-damaged.jsonl'), '{"type":"nothing"}\n');
  symlinkSync('/dev/zero', join(day, 'rollout-link.jsonl'));

  test('lists main conversations and says why others are left out', () => {
    const { files, refused } = findTranscripts(home);
    assert.deepEqual(files.map(({ path }) => basename(path)).toSorted(), [
      fork,
      parent,
      'rollout-damaged.jsonl',
    ]);
    assert.deepEqual(refused.map(({ path, reason }) => [basename(path), reason]).toSorted(), [
      ['rollout-empty.jsonl', 'empty'],
      ['rollout-link.jsonl', 'a link; links are not followed'],
      ['rollout-old.jsonl.zst', 'compressed'],
    ]);
  });

  test('describes a conversation with its subagents', async () => {
    const file = { path: join(day, parent), bytes: 1, modifiedAt: new Date(0) };
    assert.deepEqual(await describeTranscript(file), {
      ...file,
      session: '01a1e281-ca03-7672-baf7-4e3b71fc5217',
      projectDir: '/tmp/w/app',
      startedAt: '2026-11-16T03:58:39.169Z',
      branch: 'main',
      subagents: [join(day, child)],
    });
    for (const name of [child, 'rollout-damaged.jsonl'])
      assert.equal(await describeTranscript({ ...file, path: join(day, name) }), NO_CONVERSATION);
    assert.equal(
      await describeTranscript({ ...file, path: join(day, 'absent.jsonl') }),
      'not found, or a broken link',
    );
  });

  test('a subagent and its main conversation find each other', async () => {
    assert.deepEqual(await subagentsOf(join(day, parent)), [
      { id: '01a1e281-cfdd-79c3-819d-1e6b7b6a53c5', path: join(day, child) },
    ]);
    assert.equal(mainOf(join(day, child)), join(day, parent));
    assert.deepEqual(await subagentsOf(join(day, child)), []);
    assert.deepEqual(await subagentsOf(join(day, 'absent.jsonl')), []);
  });
});
