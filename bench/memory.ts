/**
 * Measures whether memory is true: runs labelled sessions through the product's own import and distilling, and compares what
 * is remembered after the last session with the labels.
 *
 *   node bench/memory.ts --sessions DIR [--by rules|small] [--projects d-01,e-02] [--groups d,e] [--held-out] [--together N] [--split N]
 *     [--model DIR] [--json] [--verbose] [--keep DIR]
 *
 * `--together 12` makes one project of twelve, so that memories hear much about other matters, as in a long history.
 * `--by small` uses the small model that this version ships with, or the one in `--model DIR`. Its answers are remembered
 * for the next run.
 * bench/README.md describes the measures.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SmallModel } from '../src/models/index.ts';
import { labelledProjects, scoreInput, type LabelledProject } from './labelled-sessions.ts';
import { runProject, type ProjectRun } from './memory-run.ts';
import { cases, table, type Result } from './_memory-table.ts';
import { cachedSmallModel } from './cached-small.ts';
import { scoreProject, total } from './memory-score.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string' },
    projects: { type: 'string' },
    groups: { type: 'string' },
    'held-out': { type: 'boolean', default: false },
    together: { type: 'string', default: '1' },
    split: { type: 'string', default: '1' },
    by: { type: 'string', default: 'rules' },
    model: { type: 'string' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  if (options.sessions === undefined) return usage('Give the folder of labelled sessions: --sessions DIR');
  if (options.by !== 'rules' && options.by !== 'small') return usage('--by is rules or small');
  const projects = labelledProjects(options.sessions, {
    every: Number(options.split),
    heldOut: options['held-out'],
    together: Number(options.together),
    ...(options.projects === undefined ? {} : { projects: options.projects.split(',') }),
    ...(options.groups === undefined ? {} : { groups: options.groups.split(',') }),
  });
  // Before HOME changes: it remembers its answers there.
  const model = options.by === 'small' ? await cachedSmallModel(options.model) : undefined;
  const root = folderFor(options.keep);
  // Nothing of the user's own settings may change the result.
  process.env['HOME'] = root;
  try {
    print(await runAll(projects, root, model));
    return 0;
  } finally {
    if (options.keep === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Ran = readonly { readonly project: LabelledProject; readonly run: ProjectRun }[];

/** By the rules alone, or by the small model after them. */
async function runAll(
  projects: readonly LabelledProject[],
  root: string,
  model: SmallModel | undefined,
): Promise<Ran> {
  const ran: { project: LabelledProject; run: ProjectRun }[] = [];
  for (const project of projects) {
    say(`${project.name}  ${ran.length + 1} of ${projects.length}`);
    ran.push({ project, run: await runProject(project, folderOf(root, project), model) });
  }
  return ran;
}

function print(ran: Ran): void {
  const results = ran.map(({ project, run }): Result => {
    const input = scoreInput(project, run.entries);
    return { name: project.name, run, input, score: scoreProject(input) };
  });
  const facts = { commit: commit(), data: hash(ran.map(({ project }) => project)), by: options.by };
  if (options.json) {
    console.log(JSON.stringify({ ...facts, ...jsonOf(results) }, null, 2));
    return;
  }
  if (options.verbose) for (const result of results) console.log(`${cases(result)}\n`);
  console.log(`commit ${facts.commit} · data ${facts.data} · by ${facts.by}`);
  console.log(table(results));
}

function jsonOf(results: readonly Result[]): object {
  return {
    total: total(results),
    briefTokens: results.map(({ run }) => run.briefTokens),
    projects: results.map((result) => {
      const { matches, missed, endedAsCurrent, noise, falseStatements, fixedListedOpen } = result.score;
      return {
        name: result.name,
        ...total([result]),
        briefTokens: result.run.briefTokens,
        matches: matches.map(({ label, entry, score, kindRight, titleShare }) => ({
          label: label.id,
          entry: entry.id,
          title: entry.title,
          score,
          kindRight,
          titleShare,
        })),
        missed: missed.map(({ id }) => id),
        endedAsCurrent: endedAsCurrent.map(({ label, entry }) => ({ label: label.id, entry: entry.id })),
        noise: noise.map(({ id, kind, title }) => ({ id, kind, title })),
        fixedListedOpen: fixedListedOpen.map(({ label, entry }) => ({ label: label.id, entry: entry.id })),
        falseStatements: falseStatements.map(({ statement, entry }) => ({ statement, entry: entry.id })),
        entries: result.run.entries,
      };
    }),
  };
}

function folderFor(keep: string | undefined): string {
  if (keep === undefined) return realpathSync(mkdtempSync(join(tmpdir(), 'bm-')));
  mkdirSync(keep, { recursive: true });
  return realpathSync(keep);
}

function folderOf(root: string, { name }: LabelledProject): string {
  const folder = join(root, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

function usage(problem: string): number {
  say(problem);
  return 1;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function hash(projects: readonly LabelledProject[]): string {
  return createHash('sha256').update(JSON.stringify(projects)).digest('hex').slice(0, 12);
}

function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', '../src', '.') === '' ? '' : '+changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}
