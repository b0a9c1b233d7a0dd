/**
 * Compares forms of the brief: a list of titles, a guide that names the moments to search at, and both. Memories are made by
 * the product from labelled sessions that the small model was not trained on; each form is asked with the same tasks.
 *
 *   node bench/brief.ts --sessions DIR --requests OUT [--claude PROGRAM]   writes what reaches the model, by the real client
 *   node bench/brief.ts                                                    scores the recorded answers
 *
 * The answers of a language model are in bench/data/brief/answers.json. They were not given blind: docs/research/brief.md.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EVERYWHERE, lookUpProject, openStores, Pauses, Pipeline } from '../src/capture/index.ts';
import { keepTurn, localDistiller } from '../src/distill/index.ts';
import { importHistory } from '../src/exchange/import/index.ts';
import type { Stores } from '../src/memory/index.ts';
import { tokenCost } from '../src/recall/index.ts';
import { startStage, type Stage } from '../test/support/claude.ts';
import { stopDaemon } from '../test/support/daemon.ts';
import { contextOf } from '../test/support/hook-context.ts';
import { CLAUDE_CODE_VERSIONS, claudeCode } from '../test/support/parts.ts';
import { FORMS, formOf, type Form } from './_brief-forms.ts';
import { labelledProjects } from './labelled-sessions.ts';
import { monorepo } from './_monorepo.ts';
import { writeTranscripts } from './_session-transcripts.ts';
import { cachedSmallModel } from './cached-small.ts';

const DATA = join(import.meta.dirname, 'data', 'brief');
const MOST_TURNS = 100_000;

interface Task {
  readonly id: string;
  readonly in: string;
  readonly prompt: string;
  /** Words of the memory that the task needs; absent for a control. */
  readonly needs?: string;
}

interface Tasks {
  readonly repositories: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly tasks: readonly Task[];
}

/** `known`: the text contains what is needed. `search`: what the model would search for before it acts. */
interface Answer {
  readonly task: string;
  readonly form: Form;
  readonly known: boolean;
  readonly search?: string;
  readonly found?: boolean;
}

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string' },
    requests: { type: 'string' },
    claude: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
// Written by hand for this benchmark.
const { repositories, tasks } = JSON.parse(readFileSync(join(DATA, 'tasks.json'), 'utf8')) as Tasks;

if (options.sessions !== undefined && options.requests !== undefined)
  await writeRequests(options.sessions, options.requests);
else score();

async function writeRequests(folder: string, out: string): Promise<void> {
  const claude = options.claude ?? claudeCode(CLAUDE_CODE_VERSIONS[0]).path;
  if (claude === '') throw new Error('give --claude PROGRAM');
  for (const [name, parts] of Object.entries(repositories)) {
    const stage = await startStage({ claude, env: { TIDEMARK_EMBED_DRIVER: 'auto' } });
    try {
      const stores = await build(stage, name, parts, folder);
      const { project } = await lookUpProject(stores, stage.project, EVERYWHERE);
      mkdirSync(join(out, name), { recursive: true });
      await stores.pages.flush();
      await stores.journal.close();
      await Promise.all([stores.turns.close(), stores.ledger.close()]);
      const copy = `${stage.places.home}-copy`;
      cpSync(stage.places.home, copy, { recursive: true });
      let list = '';
      for (const task of tasks.filter((one) => one.in === name)) {
        // A session before would be in the brief of the next.
        await stopDaemon(stage.places);
        rmSync(stage.places.home, { recursive: true });
        cpSync(copy, stage.places.home, { recursive: true });
        const { requests } = await stage.run(task.prompt);
        list = contextOf(requests[0], 'SessionStart');
        writeFileSync(join(out, name, `${task.id}.txt`), contextOf(requests[0], 'UserPromptSubmit'));
      }
      for (const form of FORMS) {
        const text = formOf(form, list, stores.index, project.id);
        writeFileSync(join(out, name, `brief-${form}.txt`), text);
        console.log(name, form, tokenCost(text), 'tokens');
      }
      stores.index.close();
    } finally {
      await stage.close();
    }
  }
  process.exit(0);
}

async function build(
  stage: Stage,
  name: string,
  parts: Readonly<Record<string, string>>,
  sessions: string,
): Promise<Stores> {
  execFileSync('git', ['-c', 'init.defaultBranch=main', 'init', '-q'], {
    cwd: stage.project,
    env: stage.env(),
  });
  const projects = labelledProjects(sessions, { projects: Object.values(parts) });
  const merged = monorepo(
    name,
    Object.entries(parts).flatMap(([folder, one]) => {
      const project = projects.find((each) => each.name === one);
      return project ? [{ folder, project }] : [];
    }),
  );
  writeTranscripts(merged, { config: stage.config, cwd: stage.project });
  const { stores } = await openStores(stage.places);
  const { signal } = new AbortController();
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope: EVERYWHERE,
    onCaptured: () => {},
  });
  const sources = [{ agent: 'claude-code' as const, folder: stage.config }];
  const wanted = { sources, dryRun: false, finished: true, scope: EVERYWHERE, signal };
  await importHistory(stores, pipeline, wanted, () => {});
  const model = await cachedSmallModel();
  for (const turn of stores.index.improvable({ since: '', limit: MOST_TURNS }))
    await keepTurn(stores, model, turn, new Date(), signal);
  return stores;
}

function score(): void {
  const answers = JSON.parse(readFileSync(join(DATA, 'answers.json'), 'utf8')) as readonly Answer[];
  const rows = FORMS.map((form) => {
    const of = (isTask: boolean): readonly Answer[] =>
      answers.filter(
        (one) =>
          one.form === form && (tasks.find(({ id }) => id === one.task)?.needs !== undefined) === isTask,
      );
    const count = (some: readonly Answer[], test: (one: Answer) => boolean): string =>
      `${some.filter(test).length} of ${some.length}`;
    return {
      form,
      known: count(of(true), ({ known }) => known),
      searched: count(of(true), ({ search }) => search !== undefined),
      'known or found': count(of(true), ({ known, found = false }) => known || found),
      'searched in vain (controls)': count(of(false), ({ search }) => search !== undefined),
    };
  });
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  if (options.json) console.log(JSON.stringify({ commit, rows }, null, 2));
  else {
    console.log(`commit ${commit}`);
    console.table(rows);
  }
}
