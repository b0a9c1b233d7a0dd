/**
 * Measures whether memory helps: tasks on labelled projects, answered by a language model without memory, with what Tidemark
 * injects, and with an ideal brief. Answers are recorded once and scored by the checks written with each task.
 *
 *   npm run bench:help -- [--tasks DIR] [--sessions DIR] [--answers DIR] [--projects t-01,t-02] [--model DIR]
 *     [--pack FILE] [--as-recorded] [--json] [--verbose]
 *
 * Recorded answers are in `answers.json` of the tasks' folder. `--answers DIR` is a queue for the others:
 * `<hash>.request.json` waits for `<hash>.reply.txt`, plain text. Exits with 2 while answers are missing.
 * `--as-recorded` scores the recorded answers, with the contexts that they were given, and builds no memory.
 * bench/README.md describes tasks, conditions and results.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tokenCost } from '../src/recall/index.ts';
import { commit } from './_facts.ts';
import { known, leave, RECORDED, record, recordedIn, type Asked, type Recorded } from './_help-answers.ts';
import { idealContext, tidemarkContexts, type Models } from './_help-contexts.ts';
import {
  CONDITIONS,
  judge,
  scoreOf,
  type Answered,
  type ConditionScore,
  type HelpTask,
  type Share,
} from './help-score.ts';
import { labelledProjects, type LabelledProject } from './labelled-sessions.ts';
import { cachedSmallModel } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    tasks: { type: 'string', default: join(import.meta.dirname, 'data', 'help') },
    sessions: { type: 'string', default: join(import.meta.dirname, '..', 'train', 'data', 'sessions') },
    answers: { type: 'string' },
    projects: { type: 'string' },
    model: { type: 'string' },
    pack: { type: 'string' },
    'as-recorded': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const EXIT_MISSING = 2;

/** The same in every condition, so that only the context differs. */
const SYSTEM = `You are a coding agent at the start of a new session. You cannot look at the repository now: answer from what this request says and from general knowledge. Answer as you would begin the work: a short plan, a patch sketch, a command or a decision, in at most 150 words. Be concrete: name the libraries, values, files and commands that you would use. Do not ask back; where something is unknown, choose what you think fits best.`;

interface ProjectTasks {
  /** One line about the project, which every condition gets. */
  readonly about: string;
  readonly tasks: readonly HelpTask[];
}

process.exitCode = await main();

async function main(): Promise<number> {
  const files = taskFiles();
  const projects = labelledProjects(options.sessions, { projects: [...files.keys()] });
  const data = dataHash(projects, files);
  const recorded = recordedIn(options.tasks);
  if (options['as-recorded']) {
    print(asRecorded(recorded, projects, files), { commit: recorded.commit, data });
    return 0;
  }
  const asked = await requestsFor(projects, files);
  const answered = known(asked, recorded, options.answers);
  const missing = asked.filter(({ hash }) => !answered.some((one) => one.hash === hash));
  if (missing.length > 0) return report(missing);
  if (options.pack !== undefined) record(options.pack, commit(), answered);
  print(answered, { commit: commit(), data });
  return 0;
}

/** Returns the recorded answers to these tasks. */
function asRecorded(
  { answers }: Recorded,
  projects: readonly LabelledProject[],
  files: ReadonlyMap<string, ProjectTasks>,
): readonly Answered[] {
  return answers.flatMap(({ task: id, ...rest }) => {
    const task = files.get(rest.project)?.tasks.find((one) => one.id === id);
    const project = projects.find(({ name }) => name === rest.project);
    return task && project ? [{ ...rest, task, kind: kindOf(task, project) }] : [];
  });
}

function taskFiles(): ReadonlyMap<string, ProjectTasks> {
  const wanted = options.projects?.split(',');
  const names = readdirSync(options.tasks)
    .filter((file) => file.endsWith('.json') && file !== RECORDED)
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => wanted === undefined || wanted.includes(name))
    .toSorted();
  // Written by hand for this benchmark; requestsFor() checks the labels.
  const read = (name: string): ProjectTasks =>
    JSON.parse(readFileSync(join(options.tasks, `${name}.json`), 'utf8')) as ProjectTasks;
  return new Map(names.map((name) => [name, read(name)]));
}

async function requestsFor(
  projects: readonly LabelledProject[],
  files: ReadonlyMap<string, ProjectTasks>,
): Promise<readonly Asked[]> {
  // Before HOME changes: they remember their answers there.
  const models: Models = { small: await cachedSmallModel(options.model), vectors: await BenchVectors.open() };
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-help-')));
  // Nothing of the user's own settings may change the result.
  process.env['HOME'] = root;
  const asked: Asked[] = [];
  try {
    for (const project of projects) {
      say(project.name);
      const { about, tasks } = files.get(project.name) ?? { about: '', tasks: [] };
      const folder = join(root, project.name);
      mkdirSync(folder);
      const contexts = await tidemarkContexts(project, tasks, folder, models);
      const ideal = idealContext(project.labels);
      for (const [i, task] of tasks.entries()) {
        const given = { none: '', tidemark: contexts[i] ?? '', ideal };
        const kind = kindOf(task, project);
        for (const condition of CONDITIONS)
          asked.push({
            project: project.name,
            task,
            condition,
            kind,
            ...requestOf(project.name, about, given[condition], task),
          });
      }
    }
    return asked;
  } finally {
    await models.vectors.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function requestOf(
  project: string,
  about: string,
  context: string,
  { prompt }: HelpTask,
): Pick<Asked, 'hash' | 'request' | 'tokens'> {
  const text = [`Project: ${about}`, context, `The user says:\n${prompt}`].filter(Boolean).join('\n\n');
  const hash = createHash('sha256')
    .update(JSON.stringify([SYSTEM, text]))
    .digest('hex')
    .slice(0, 16);
  return { hash, request: { system: SYSTEM, prompt: text, session: project }, tokens: tokenCost(context) };
}

/** A task about something that ended names the ended label too. */
function kindOf({ id, needs }: HelpTask, { name, labels }: LabelledProject): Answered['kind'] {
  const needed = needs.map((need) => {
    const label = labels.find((one) => one.id === need);
    if (!label) throw new Error(`${name} has no label ${need}, which ${id} needs`);
    return label;
  });
  if (needed.some(({ status }) => status === 'ended')) return 'replaced';
  return needed[0]?.kind ?? 'control';
}

/** Writes the requests without an answer, if there is a folder for them. */
function report(missing: readonly Asked[]): number {
  const folder = options.answers;
  if (folder !== undefined) leave(folder, missing);
  const next =
    folder === undefined
      ? 'Give a folder for the requests: --answers DIR'
      : `The requests are in ${folder}. Answer them (the answer to HASH.request.json is HASH.reply.txt) and run this again.`;
  say(`${new Set(missing.map(({ hash }) => hash)).size} requests have no answer. ${next}`);
  return EXIT_MISSING;
}

function print(
  answered: readonly Answered[],
  facts: { readonly commit: string; readonly data: string },
): void {
  const scores = CONDITIONS.map((condition) => scoreOf(condition, answered));
  if (options.json) {
    const cases = answered.map(({ project, task, condition, kind, answer }) => ({
      project,
      task: task.id,
      condition,
      kind,
      ...judge(answer, task),
    }));
    const conditions = scores.map(({ kinds, ...rest }) => ({ ...rest, kinds: Object.fromEntries(kinds) }));
    console.log(JSON.stringify({ ...facts, conditions, cases }, null, 2));
    return;
  }
  if (options.verbose) for (const one of answered) tell(one);
  const tasks = answered.length / CONDITIONS.length;
  const projects = new Set(answered.map(({ project }) => project)).size;
  console.log(`commit ${facts.commit} · data ${facts.data} · ${tasks} tasks, ${projects} projects\n`);
  console.log(table(scores));
}

function table(scores: readonly ConditionScore[]): string {
  const kinds = [...(scores[0]?.kinds.keys() ?? [])].filter((kind) => kind !== 'control').toSorted();
  const rows: readonly (readonly [string, (score: ConditionScore) => string])[] = [
    ['right, memory needed', ({ needed }) => shown(needed)],
    ...kinds.map((kind) => [`  ${kind}`, (score: ConditionScore) => shown(score.kinds.get(kind))] as const),
    ['right, controls', ({ controls }) => shown(controls)],
    ['tokens of context (mean)', ({ tokens }) => tokens.toFixed(0)],
  ];
  return [
    `| | ${scores.map(({ condition }) => condition).join(' | ')} |`,
    `|---|${'---|'.repeat(scores.length)}`,
    ...rows.map(([name, cell]) => `| ${name} | ${scores.map(cell).join(' | ')} |`),
  ].join('\n');
}

function shown(share: Share | undefined): string {
  return share ? `${share.count} of ${share.of}` : '–';
}

function tell({ project, task, condition, answer }: Answered): void {
  const { right, missing, wrong } = judge(answer, task);
  if (right) return;
  const why = [
    ...missing.map((i) => `without ${task.must[i]?.join(' | ')}`),
    ...wrong.map((one) => `says ${one}`),
  ];
  console.log(`${project} ${task.id} (${condition}): ${why.join(', ')}\n  ${answer.replace(/\s+/g, ' ')}\n`);
}

function dataHash(projects: readonly LabelledProject[], files: ReadonlyMap<string, ProjectTasks>): string {
  return createHash('sha256')
    .update(JSON.stringify([projects, [...files]]))
    .digest('hex')
    .slice(0, 12);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
