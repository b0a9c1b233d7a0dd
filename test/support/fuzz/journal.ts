/** Fuzz targets: the journal. No text of the user is lost, and what was written is read back. */
import assert from 'node:assert/strict';
import { memoryId, type Memory } from '../../../src/core/index.ts';
import { adoptIn, patchIn, removeFrom, restateIn } from '../../../src/storage/journal/format/change.ts';
import { openDoc, renderDoc } from '../../../src/storage/journal/format/document.ts';
import { readEntry } from '../../../src/storage/journal/format/entry.ts';
import { parseEntryHeading } from '../../../src/storage/journal/format/heading.ts';
import { putInto } from '../../../src/storage/journal/format/insert.ts';
import { tidyMemory } from '../../../src/storage/journal/format/normalise.ts';
import { parseDay } from '../../../src/storage/journal/format/parse.ts';
import { scanText } from '../../../src/storage/journal/format/scan.ts';
import { readHead } from '../../../src/storage/journal/format/session.ts';
import { mergeDays } from '../../../src/storage/journal/merge/days.ts';
import { nastyHead, nastyMemory } from '../nasty-memories.ts';
import { randomFrom, type Random } from '../random.ts';
import type { Target } from './engine.ts';
import { mutated, scramble } from './mutate.ts';

const CONTEXT = { project: 'acme', date: '2026-11-15', file: '2026-11-15.md' };
const AT = '2026-11-15T14:32:05.000Z';
const FRESH: Memory = {
  id: memoryId(AT, 'a turn that no seed has', 'decision', 0),
  project: CONTEXT.project,
  at: AT,
  kind: 'decision',
  title: 'A new memory that no text contains',
  body: 'Its body.',
  facts: ['one'],
  concepts: [],
  files: [],
  state: 'current',
  provenance: { agent: 'claude-code', session: 's1', turn: 't-new', messages: [], by: 'local' },
};
const DAYS = Array.from({ length: 40 }, (_, seed) => dayOf(randomFrom(seed)));
/** The journal writes these comments itself and may replace them. */
const OWN = '<!-- tidemark';
const OWN_COMMENT = /(?<=^|\n)<!-- tidemark\b(?:(?!-->|\n\s*\n|\n#{1,3}\s)[\s\S])*-->/g;

/** Any text of a day can be read, is written back byte for byte, and keeps every line of the user through a change. */
export const journalText: Target = {
  name: 'journal text',
  weight: 1,
  make: (random) => mutated(random, DAYS[random.below(DAYS.length)] ?? '', DAYS),
  check: (input) => {
    const before = parseDay(input, CONTEXT);
    assert.equal(renderDoc(openDoc(input, CONTEXT)), input, 'an unchanged text is written back as it was');
    const ids = before.entries.map(({ memory }) => memory.id);
    assert.equal(new Set(ids).size, ids.length, 'ids are unique');
    const put = putInto(input, { memories: [{ memory: FRESH, known: false }], heads: [] }, CONTEXT);
    const text = put.text ?? '';
    assertKept(input, text, 'a new memory');
    const again = putInto(text, { memories: [{ memory: FRESH, known: true }], heads: [] }, CONTEXT);
    assert.equal(again.text, text, 'writing it again changes nothing');
    assertSameEntries(before.entries, parseDay(text, CONTEXT).entries, 'a new memory');
    const adopted = adoptIn(input, CONTEXT);
    assertKept(input, adopted, 'ids');
    assertSameEntries(before.entries, parseDay(adopted, CONTEXT).entries, 'ids');
  },
};

/** Every memory is read back from its text exactly as it was written. */
export const journalMemory: Target = {
  name: 'journal memory',
  weight: 1,
  make: (random) => [0, 1, 2, 3].map(() => mutated(random, scramble(random, 12))).join('\n\u241e\n'),
  check: (input, random) => {
    const [title = '', body = '', reason = '', item = ''] = input.split('\n\u241e\n');
    const memory = tidyMemory({
      ...nastyMemory(random.next, 's1'),
      at: AT,
      title: title || 'x',
      body,
      reason,
      facts: [item, reason],
      concepts: [title],
      files: [item],
    });
    if (memory.title === '') return;
    const put = putInto(null, { memories: [{ memory, known: false }], heads: [] }, CONTEXT);
    const { entries, problems } = parseDay(put.text ?? '', CONTEXT);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      entries.map((entry) => entry.memory),
      [{ ...memory, project: CONTEXT.project }],
    );
  },
};

/** A verb of the user changes one entry; every line of the others stays. */
export const journalVerbs: Target = {
  name: 'journal verbs',
  weight: 0.6,
  make: (random) => mutated(random, DAYS[random.below(DAYS.length)] ?? '', DAYS),
  check: (input, random) => {
    const { entries, problems } = parseDay(input, CONTEXT);
    const chosen = entries[random.below(entries.length)];
    if (!chosen) return;
    const { id } = chosen.memory;
    const others = entries.filter((entry) => entry !== chosen);
    const restated = restateIn(input, id, { state: 'resolved' }, CONTEXT);
    assertSameEntries(others, withoutId(restated, id), 'a state');
    const patched = patchIn(input, id, { title: 'Another title', body: scramble(random, 8) }, CONTEXT);
    assertSameEntries(others, withoutId(patched, id), 'an edit');
    const removed = removeFrom(input, new Set([id]), CONTEXT) ?? '';
    // A changed copy of the entry is removed with it, and an entry without a heading takes the one above it.
    if (problems.length > 0) return;
    const apart = others.filter(({ derived }) => !derived);
    assertSameEntries(apart, parseDay(removed, CONTEXT).entries, 'a removal');
  },
};

/** Merging two versions keeps the lines of both, or says that it cannot. */
export const journalMerge: Target = {
  name: 'journal merge',
  weight: 0.6,
  make: (random) => {
    const base = DAYS[random.below(DAYS.length)] ?? '';
    return [base, mutated(random, base, DAYS), mutated(random, base, DAYS)].join('\n\u241e\n');
  },
  check: (input) => {
    const [base = '', ours = '', theirs = ''] = input.split('\n\u241e\n');
    const merged = mergeDays(base, ours, theirs, CONTEXT);
    if (merged === undefined) return;
    const known = wordsIn(base);
    const out = wordsIn(merged);
    for (const [side, text] of [
      ['our', ours],
      ['their', theirs],
    ] as const) {
      const generated = generatedLines(text);
      const added = linesOf(text).filter(
        (line) => !known.includes(wordsIn(line)) && !generated.has(line) && !line.startsWith(OWN),
      );
      const lost = added.filter((line) => !out.includes(wordsIn(line)));
      assert.deepEqual(lost, [], `${side} line is lost`);
    }
  },
};

/** Heads and entries that no user edited: the other side's replace them. */
function generatedLines(text: string): ReadonlySet<string> {
  const parts = scanText(text).parts.filter((part) => {
    if (part.kind === 'session') return !readHead(part).edited;
    return part.kind === 'entry' && !readEntry(part, CONTEXT).edited();
  });
  return new Set(parts.flatMap((part) => linesOf(part.text)));
}

/** An entry that both sides changed is written again: its words count, not its white space and escapes. */
function wordsIn(text: string): string {
  // The heading of an entry is written again with its time, kind and state.
  const words = text.startsWith('###') && !text.includes('\n') ? parseEntryHeading(text).title : text;
  return words.replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function withoutId(text: string, id: string): readonly Entry[] {
  return parseDay(text, CONTEXT).entries.filter(({ memory }) => memory.id !== id);
}

type Entry = { readonly memory: Memory };

/** Each of the first entries is among the second. */
function assertSameEntries(some: readonly Entry[], all: readonly Entry[], after: string): void {
  const present = new Map(all.map(({ memory }) => [memory.id, memory]));
  for (const { memory } of some) {
    const now = present.get(memory.id);
    assert.ok(now, `after ${after}: an entry is lost`);
    assert.deepEqual(
      [now.title, now.body, now.reason, now.facts, now.kind],
      [memory.title, memory.body, memory.reason, memory.facts, memory.kind],
      `after ${after}: an entry changed`,
    );
  }
}

/** Every line that the user wrote is in the text as often as before. */
function assertKept(before: string, after: string, what: string): void {
  const left = new Map<string, number>();
  for (const line of linesOf(after)) left.set(line, (left.get(line) ?? 0) + 1);
  for (const line of linesOf(before)) {
    const count = left.get(line) ?? 0;
    assert.ok(count > 0, `after ${what}: a line is lost: ${JSON.stringify(line.slice(0, 60))}`);
    left.set(line, count - 1);
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll(OWN_COMMENT, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

function dayOf(random: Random): string {
  const memories = Array.from({ length: 1 + random.below(3) }, (_, n) => ({
    memory: tidyMemory({
      ...nastyMemory(random.next, `s${n % 2}`, CONTEXT.project),
      at: `2026-11-15T1${n}:00:0${random.below(10)}.000Z`,
    }),
    known: false,
  }));
  const heads = [nastyHead(random.next, 's0', '2026-11-15T09:00:00.000Z')];
  const text = putInto(null, { memories, heads }, CONTEXT).text ?? '';
  return random.below(3) === 0 ? `${text}\n### 15:00 decision · By hand\nNo comment here.\n- a fact\n` : text;
}
