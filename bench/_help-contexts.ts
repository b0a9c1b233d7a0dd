/**
 * Builds the memory of a labelled project with the product's own path, and returns what an agent is given for a task: the
 * text of the hooks SessionStart and UserPromptSubmit of a new session, with default settings. Writes only below its root.
 */
import {
  answerHook,
  Branches,
  FileStates,
  signalsFrom,
  type Answer,
  type Question,
} from '../src/capture/index.ts';
import { DEFAULT_CONFIG } from '../src/config/index.ts';
import type { SmallModel } from '../src/models/index.ts';
import { isWholeInBrief } from '../src/recall/index.ts';
import { uuid } from '../test/support/synthetic-transcript.ts';
import type { HelpTask } from './help-score.ts';
import type { LabelledProject } from './labelled-sessions.ts';
import { runProject, type Remembered } from './memory-run.ts';
import type { Label } from './memory-score.ts';
import { readWith } from './cached-small.ts';
import type { BenchVectors } from './_vectors.ts';

export interface Models {
  readonly small: SmallModel;
  readonly vectors: BenchVectors;
}

/** Returns the context of each task, in their order. `root`: an empty folder of this project only. */
export async function tidemarkContexts(
  project: LabelledProject,
  tasks: readonly HelpTask[],
  root: string,
  models: Models,
): Promise<readonly string[]> {
  const contexts: string[] = [];
  await runProject(project, root, models.small, async (remembered) => {
    await models.vectors.embedIndex(remembered.stores.index);
    for (const { id, prompt } of tasks)
      contexts.push(await contextFor(prompt, uuid('bench:help', project.name, id), remembered, models));
  });
  return contexts;
}

/** The ceiling: a brief made of the labels' own titles. */
export function idealContext(labels: readonly Label[]): string {
  const live = labels.filter(({ status }) => status !== 'ended');
  const sections = SECTIONS.map(([title, kinds]) => {
    const lines = live
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ title: said, why }) => `- ${said}${why ? ` (because ${why})` : ''}`);
    return lines.length > 0 ? [`## ${title}`, ...lines].join('\n') : '';
  });
  return ['Remembered from earlier sessions of this project:', ...sections.filter(Boolean)].join('\n\n');
}

const SECTIONS: readonly (readonly [string, readonly Label['kind'][]])[] = [
  ['Open issues', ['issue']],
  ['Decisions and preferences in force', ['decision', 'preference', 'pattern']],
  ['Dead ends: tried, did not work', ['dead_end']],
  ['Facts', ['discovery']],
  ['Work done', ['bugfix', 'feature', 'refactor']],
];

async function contextFor(
  prompt: string,
  session: string,
  { stores: { index }, place, now }: Remembered,
  { small, vectors }: Models,
): Promise<string> {
  const ask = (question: Pick<Question, 'name'> & Partial<Question>): Answer =>
    answerHook(
      index,
      { session, projectDir: place.root, since: '', already: [], ...question },
      // The repository is empty, so nothing is known about files and branches.
      { ...place, signals: signalsFrom(index, { states: new FileStates(), branches: new Branches() }, {}) },
      DEFAULT_CONFIG,
      now,
    );
  const brief = ask({ name: 'SessionStart', source: 'startup' });
  // What the daemon records after the brief.
  const already = brief.memories
    .map(({ id }) => id)
    .filter((id) => {
      const memory = index.memory(id);
      return memory !== undefined && isWholeInBrief(memory);
    });
  const question = {
    name: 'UserPromptSubmit',
    prompt,
    already,
    vector: await vectors.query(prompt),
  } as const;
  const first = ask(question);
  const injected = first.toRead ? ask({ ...question, read: await readWith(small, first.toRead) }) : first;
  return [brief, injected].map(textOf).filter(Boolean).join('\n\n');
}

function textOf({ output }: Answer): string {
  if (output === '') return '';
  // The hook's own output.
  const { hookSpecificOutput: own } = JSON.parse(output) as {
    readonly hookSpecificOutput?: { readonly additionalContext?: string };
  };
  return own?.additionalContext ?? '';
}
