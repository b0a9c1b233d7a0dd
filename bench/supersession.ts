/**
 * Measures which labelled memories of a project supersede or resolve others by their titles, compared with the labels'
 * `until` and `by`. Every other pair of labels in a project must stay unrelated.
 *
 *   node bench/supersession.ts --sessions DIR [--show d,e,f] [--json]
 *
 * Prints one row per group of files (the letter before the hyphen). `--show` lists the errors of these groups only.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { memoryId, type Memory, type MemoryKind } from '../src/core/index.ts';
import { contradicts, mayConflict, resolves, statementOf } from '../src/memory/index.ts';

interface Label {
  readonly id: string;
  readonly turn: string;
  readonly kind: MemoryKind;
  readonly title: string;
  readonly until?: string;
  readonly by?: string;
}

/** `over`: found in a pair whose earlier label had ended before. `beliefs`: superseded pairs of decisions and rules. */
const COUNTS = ['pairs', 'superseded', 'beliefs', 'found', 'marked', 'false', 'falsely marked'] as const;
const FIXES = ['resolved', 'fixed', 'falsely fixed', 'over'] as const;
type Count = (typeof COUNTS | typeof FIXES)[number];
const BELIEFS: readonly MemoryKind[] = ['decision', 'preference', 'pattern'];

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string' },
    show: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
if (options.sessions === undefined) throw new Error('give --sessions DIR, a folder of labelled sessions');
const folder = options.sessions;
const shown = options.show.split(',');

const data = createHash('sha256');
const groups = new Map<string, Map<Count, number>>();
for (const file of readdirSync(folder).toSorted()) {
  if (!file.endsWith('.json')) continue;
  const text = readFileSync(join(folder, file), 'utf8');
  data.update(text);
  const group = file.split('-')[0] ?? '';
  const counts = groups.get(group) ?? new Map<Count, number>();
  groups.set(group, counts);
  // Labelled sessions have this shape by their guide.
  const { keep } = JSON.parse(text) as { keep: readonly Label[] };
  for (const { count, line } of compared(keep)) {
    counts.set(count, (counts.get(count) ?? 0) + 1);
    if (line !== undefined && shown.includes(group)) console.log(`${file} ${count}: ${line}`);
  }
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const all = [...COUNTS, ...FIXES];
const rows = [...groups].map(([group, counts]) => ({
  group,
  ...Object.fromEntries(all.map((count) => [count, counts.get(count) ?? 0])),
}));
if (options.json)
  console.log(JSON.stringify({ commit, data: data.digest('hex').slice(0, 12), rows }, null, 2));
else {
  console.log(`commit ${commit} · data ${data.digest('hex').slice(0, 12)}\n`);
  console.log(`| group | ${all.join(' | ')} |\n|---|${'---|'.repeat(all.length)}`);
  for (const row of rows) console.log(`| ${Object.values(row).join(' | ')} |`);
}

/** Compares every label with every later one of another turn: titles only, as if all were stored. */
function* compared(keep: readonly Label[]): Iterable<{ readonly count: Count; readonly line?: string }> {
  const labels = keep.toSorted((a, b) => timeOf(a.turn).localeCompare(timeOf(b.turn)));
  const stored = labels.map((label, i) => ({ label, statement: statementOf(memoryOf(label, i)) }));
  for (const [i, { label: earlier, statement: a }] of stored.entries()) {
    for (const { label: later, statement: b } of stored.slice(i + 1)) {
      if (earlier.turn === later.turn) continue;
      const isEnded = earlier.by === later.id;
      const isOver = earlier.until !== undefined && timeOf(earlier.until) <= timeOf(later.turn);
      const line = `${earlier.kind}: ${earlier.title} / ${later.kind}: ${later.title}`;
      const judged = (right: Count, wrong: Count): { readonly count: Count; readonly line?: string } =>
        isEnded ? { count: right } : isOver ? { count: 'over' } : { count: wrong, line };
      yield { count: 'pairs' };
      if (isEnded) yield { count: earlier.kind === 'issue' ? 'resolved' : 'superseded' };
      if (isEnded && BELIEFS.includes(earlier.kind) && BELIEFS.includes(later.kind))
        yield { count: 'beliefs' };
      if (resolves(b, a)) yield judged('fixed', 'falsely fixed');
      if (contradicts(a, b)) yield judged('found', 'false');
      else if (mayConflict(a, b)) yield judged('marked', 'falsely marked');
    }
  }
}

/** `s2.10` → a text that sorts by session and turn. */
function timeOf(turn: string): string {
  return turn.replace(/\d+/g, (digits) => digits.padStart(3, '0'));
}

function memoryOf({ kind, title, turn }: Label, i: number): Memory {
  const at = new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString();
  const provenance = { agent: 'claude-code', session: turn, turn, messages: [], by: 'labels' };
  const rest = { body: '', facts: [], concepts: [], files: [], project: 'labels' } as const;
  const state = kind === 'issue' ? 'open' : 'current';
  return { id: memoryId(at, turn, kind, i), kind, title, at, state, provenance, ...rest };
}
