/** Fuzz targets that read files: transcripts of the agent and the stores of other memory tools. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTurns } from '../../../src/agents/claude-code/reader/claude-code.ts';
import { emptyNotes, type TurnRead } from '../../../src/agents/index.ts';
import { TidemarkError } from '../../../src/core/index.ts';
import { factsIn, peerReader, type PeerName } from '../../../src/exchange/import/index.ts';
import { redactTurn } from '../../../src/privacy/index.ts';
import type { Random } from '../random.ts';
import { transcripts } from './corpus.ts';
import type { Target } from './engine.ts';
import { bytesOf } from './intake.ts';
import { mutated, mutatedJson } from './mutate.ts';
import { scratch } from './scratch.ts';

const TRANSCRIPTS = transcripts();
const ALL_LINES = TRANSCRIPTS.flat();
const VALUES = new Map<string, unknown>();

/** The reader yields turns or throws its own error. Offsets are within the file, and reading again gives the same turns. */
export const transcript: Target = {
  name: 'transcript, claude-code',
  weight: 1,
  make: (random) => {
    const lines = TRANSCRIPTS[random.below(TRANSCRIPTS.length)] ?? [];
    const start = random.below(lines.length);
    const window = lines.slice(start, start + 1 + random.below(6));
    return (
      window.map((line) => transcriptLine(random, line)).join(random.below(20) === 0 ? '\r\n' : '\n') + '\n'
    );
  },
  check: async (input, random) => {
    const path = join(scratch(), 'session.jsonl');
    const bytes = bytesOf(input, random);
    writeFileSync(path, bytes);
    const notes = emptyNotes();
    const turns = await turnsOf(path, notes);
    assert.ok(notes.end <= bytes.length);
    let last = 0;
    for (const { turn, start, end } of turns) {
      assert.ok(start >= 0 && start <= end && end <= bytes.length, `${start} to ${end} of ${bytes.length}`);
      assert.ok(start >= last, 'turns begin in the order of the file');
      last = start;
      assert.ok(turn.id !== '');
      redactTurn(turn);
    }
    if (random.below(8) > 0) return;
    assert.deepEqual(await turnsOf(path), turns, 'reading again gives the same');
    // Another offset than that of a line may be given for a file that was replaced.
    await turnsOf(path, emptyNotes(), random.below(bytes.length + 10));
  },
};

async function turnsOf(path: string, notes = emptyNotes(), offset = 0): Promise<readonly TurnRead[]> {
  const turns: TurnRead[] = [];
  try {
    for await (const turn of readTurns(path, { notes, offset })) turns.push(turn);
  } catch (error) {
    assert.ok(error instanceof TidemarkError, String(error));
  }
  return turns;
}

function transcriptLine(random: Random, line: string): string {
  switch (random.below(6)) {
    case 0:
      return mutated(random, line, ALL_LINES);
    case 1:
    case 2:
      return mutatedJson(random, valueOf(line));
    default:
      return line;
  }
}

function valueOf(line: string): unknown {
  if (!VALUES.has(line)) VALUES.set(line, JSON.parse(line));
  return VALUES.get(line);
}

const NOTES: readonly [string, ...string[]] = [
  '# Session 2025-12-21_0300\n\n## Decisions\n- [architecture] Use hooks: they fire\n  - files: a.ts, b.ts\n\n## Issues\n- Slow build (open)\n- [x] Old hook\n',
  '## Session 10:15\n\n### 10:16\n<!-- session:abc turn:def transcript:/x.jsonl -->\n- Decided to use SQLite\n  because it is small\n```\ncode\n```\n### 10:20\n- Fixed the leak\n',
  '---\nname: user-role\ndescription: who the user is\ntype: user\n---\n\nThe user is a **data scientist**.\n\n- prefers tabs\n',
  '# 2025-12-21\n\n## Patterns\n* Always use heredoc: it quotes\n~~~\n## Decisions\n- not this\n~~~\n',
];

/** Sections of Markdown notes become drafts; nothing throws. */
export const importedNotes: Target = {
  name: 'imported notes',
  weight: 10,
  make: (random) => mutated(random, random.pick(NOTES), NOTES),
  check: (input) => {
    const { drafts, counts, at } = factsIn(input);
    assert.equal(drafts.length, counts.decision + counts.issue + counts.pattern);
    for (const { title } of drafts) assert.ok(title !== '');
    if (at !== undefined) assert.ok(!Number.isNaN(Date.parse(at)));
  },
};

/** Where each peer has its notes, below a project's folder. */
const PEER_FILES: Readonly<Record<string, readonly string[]>> = {
  memsearch: ['.memsearch/memory/2026-11-15.md'],
  'memory-keeper': ['.claude/memory/memory.md', '.claude/memory/sessions/2026-11-15_1000.md'],
  'claude-code': ['projects/-p/memory/MEMORY.md', 'projects/-p/memory/user.md'],
};

/** The readers of other tools yield items with a time and a title, or problems; nothing throws. */
export const peers: Target = {
  name: 'peer files',
  weight: 0.3,
  make: (random) => mutated(random, random.pick(NOTES), NOTES),
  check: async (input, random) => {
    const name = random.pick(Object.keys(PEER_FILES) as unknown as readonly [PeerName, ...PeerName[]]);
    const root = join(scratch(), name);
    for (const file of PEER_FILES[name] ?? []) {
      mkdirSync(join(root, file, '..'), { recursive: true });
      writeFileSync(join(root, file), bytesOf(input, random));
    }
    const reader = peerReader(name);
    assert.ok(reader);
    const around = { env: {}, home: join(root, 'home'), configDir: root, folders: [root] };
    for (const found of reader.find(around)) {
      const options = { signal: AbortSignal.timeout(60_000), scratch: join(scratch(), 'copy') };
      for await (const item of reader.read(found, options)) {
        if (item.kind !== 'memory') continue;
        assert.ok(!Number.isNaN(Date.parse(item.at)), item.at);
        assert.ok(item.draft.title !== '' && item.draft.title.length <= 200);
        assert.ok(item.draft.body.length <= 8000, `${item.draft.body.length} characters`);
      }
    }
  },
};
