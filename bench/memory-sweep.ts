/**
 * Tries other thresholds of the small model's distiller on labelled sessions: one row of figures for each value.
 *
 *   node bench/memory-sweep.ts --sessions DIR --set end.add=0.2,0.3 [--set keep=0.3,0.4] [--projects d-01,e-02 | --held-out] [--together N]
 *     [--model DIR]
 *
 * Projects are imported once, and the model's answers are remembered, so that a value takes seconds. Each `--set` is tried
 * alone. Without `--set` the present thresholds are scored.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SMALL_THRESHOLDS } from '../src/distill/index.ts';
import { labelledProjects, scoreInput, type LabelledProject } from './labelled-sessions.ts';
import { importedProject } from './memory-run.ts';
import { cachedSmallModel } from './cached-small.ts';
import { scoreProject, total, type Measure, type Total } from './memory-score.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: 'train/data/sessions' },
    projects: { type: 'string' },
    'held-out': { type: 'boolean', default: false },
    together: { type: 'string', default: '1' },
    set: { type: 'string', multiple: true, default: [] },
    model: { type: 'string' },
  },
});

const projects = labelledProjects(options.sessions, {
  heldOut: options['held-out'],
  together: Number(options.together),
  ...(options.projects === undefined ? {} : { projects: options.projects.split(',') }),
});
// Before HOME changes: it remembers its answers there.
const model = await cachedSmallModel(options.model);
const root = realpathSync(mkdtempSync(join(tmpdir(), 'bs-')));
process.env['HOME'] = root;
try {
  const imported = await Promise.all(
    projects.map(async (project) => ({ project, keep: await imports(project) })),
  );
  const figures = async (): Promise<Total> => {
    const scored = [];
    for (const { project, keep } of imported) {
      const input = scoreInput(project, await keep(model));
      scored.push({ input, score: scoreProject(input) });
    }
    return total(scored);
  };
  print('as it is', await figures());
  for (const setting of options.set) {
    const [name = '', values = ''] = setting.split('=');
    for (const value of values.split(',')) {
      const before = change(name, Number(value));
      print(`${name} ${value}`, await figures());
      change(name, before);
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

function imports(project: LabelledProject): ReturnType<typeof importedProject> {
  const folder = join(root, project.name);
  mkdirSync(folder);
  return importedProject(project, folder);
}

/** Sets a threshold, for example `end.add`, and returns its value before. */
function change(name: string, value: number): number {
  const path = name.split('.');
  const last = path.pop() ?? '';
  // The benchmark is the only place that changes them.
  let parent = SMALL_THRESHOLDS as unknown as Record<string, unknown>;
  for (const part of path) parent = parent[part] as Record<string, unknown>;
  const before = parent?.[last];
  if (typeof before !== 'number' || Number.isNaN(value)) throw new Error(`no threshold ${name}=${value}`);
  parent[last] = value;
  return before;
}

function print(name: string, all: Total): void {
  const share = ({ count, of }: Measure): string => `${count}/${of} ${(count / of).toFixed(3)}`;
  console.log(
    [
      name.padEnd(18),
      `in force ${share(all.inForce)}`,
      `open ${share(all.openRight)}`,
      `ended ${share(all.endedAsCurrent)}`,
      `noise ${share(all.noise)}`,
      `kind ${share(all.kindRight)}`,
      `title ${share(all.titleCarries)}`,
      `false ${share(all.falseStatements)}`,
    ].join(' · '),
  );
}
