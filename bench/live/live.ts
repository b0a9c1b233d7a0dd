/**
 * Is memory true when the agent writes the notes? Lives labelled projects through the real hooks of a real daemon and compares
 * what is remembered with the labels.
 *
 *   npm run bench:live [-- --mode recorded,silent,uncued,reference] [--projects p-1,t-03] [--json] [--verbose]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LivedProject } from './_lived.ts';
import {
  COMPACTED_AFTER,
  isCompacted,
  projectNamed,
  PROJECTS,
  recordingOf,
  stepsOf,
  type Mode,
} from './_projects.ts';
import { referenceStore } from './_reference.ts';
import {
  matches,
  MEASURES,
  score,
  total,
  type Entry,
  type Score,
  type Share,
  type Shares,
} from './_score.ts';

const MODES = ['recorded', 'silent', 'uncued', 'reference'] as const;
type Row = (typeof MODES)[number];

interface Result {
  readonly mode: Row;
  readonly projects: readonly (Score & { readonly name: string })[];
  readonly total: Shares;
  /** Of the labels of some turns, those that the agent noted. Only of whole answers. */
  readonly noted?: Readonly<Record<string, Share>>;
}

const { values: options } = parseArgs({
  options: {
    mode: { type: 'string', default: MODES.join() },
    projects: { type: 'string' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
/** Processes of two projects are what two cores bear. */
const TOGETHER = 2;

const results: Result[] = [];
for (const mode of MODES.filter((one) => options.mode.split(',').includes(one)))
  results.push(await resultOf(mode));
if (options.json) console.log(JSON.stringify(results, null, 2));
else for (const result of results) print(result);

async function resultOf(mode: Row): Promise<Result> {
  const lives: Mode = mode === 'reference' ? 'recorded' : mode;
  const names = PROJECTS[lives].filter((name) => options.projects?.split(',').includes(name) ?? true);
  const projects: (Score & { readonly name: string })[] = [];
  const waiting = [...names];
  const next = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const stored = mode === 'reference' ? referenceStore(recordingOf(name, lives)) : replay(name, lives);
      projects.push({ name, ...score(projectNamed(name), await stored) });
      if (options.verbose) console.error(`${mode} ${name}  ${projects.length} of ${names.length}`);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, next));
  projects.sort((a, b) => a.name.localeCompare(b.name));
  const noted = mode === 'uncued' ? { noted: notedShares(names) } : {};
  return { mode, projects, total: total(projects), ...noted };
}

async function replay(name: string, mode: Mode): Promise<readonly Entry[]> {
  const { written, entries } = recordingOf(name, mode);
  const work = mkdtempSync(join(tmpdir(), 'live-'));
  const lived = await LivedProject.start(name, mode, work);
  try {
    while (!lived.isFinished) {
      const { key } = lived;
      await lived.turn();
      await lived.answer(written[key] ?? '', entries);
    }
    return await lived.entries();
  } finally {
    await lived.stop();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether the agent wrote a note for a label at all, by the label's turn. Independent of the product. */
function notedShares(names: readonly string[]): Readonly<Record<string, Share>> {
  const groups = ['turns 1–5', 'turns 6–10', 'turns 11–15, not compacted', 'turns 11–15, after a compaction'];
  const labels = names.flatMap((name) => {
    const entries = referenceStore(recordingOf(name, 'uncued'));
    const keys = stepsOf(name, 'uncued').map(({ key }) => key);
    return projectNamed(name).keep.map((label) => {
      const at = keys.indexOf(label.turn);
      const late = at >= COMPACTED_AFTER;
      const group = late ? (isCompacted(name) ? 3 : 2) : Math.floor((2 * at) / COMPACTED_AFTER);
      return { group, isNoted: entries.some((entry) => matches(label, entry)) };
    });
  });
  const shareOf = (group: number): Share => {
    const own = labels.filter((label) => label.group === group);
    return { count: own.filter(({ isNoted }) => isNoted).length, of: own.length };
  };
  return Object.fromEntries(groups.map((name, group) => [name, shareOf(group)]));
}

function print({ mode, projects, total, noted }: Result): void {
  const row = (name: string, shares: Shares): string =>
    `| ${name} | ${MEASURES.map((measure) => text(shares[measure])).join(' | ')} |`;
  console.log(
    `\n## ${mode}\n\n| project | ${MEASURES.join(' | ')} |\n|${'---|'.repeat(MEASURES.length + 1)}`,
  );
  for (const { name, shares } of projects) console.log(row(name, shares));
  console.log(row('**all**', total));
  if (noted) {
    console.log('\n| labels noted | share |\n|---|---|');
    for (const [name, share] of Object.entries(noted)) console.log(`| ${name} | ${text(share)} |`);
  }
  if (options.verbose)
    for (const { name, misses } of projects) for (const miss of misses) console.log(`${name} ${miss}`);
}

function text({ count, of }: Share): string {
  return of === 0 ? '–' : `${count} of ${of} (${(count / of).toFixed(2)})`;
}
