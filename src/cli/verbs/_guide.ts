/** How the long verbs talk with a person: a heading, steps that were done, questions with a safe default. Talk goes to stderr. */
import { createInterface } from 'node:readline/promises';
import { TidemarkError } from '../../model/index.ts';
import type { Context } from '../verb.ts';

/** Labels of steps stand in one column. */
const LABEL_WIDTH = 18;

export interface Guide {
  heading(title: string, about: string): void;
  section(title: string): void;
  done(label: string, detail: string): void;
  /** Worth knowing, nothing wrong. */
  note(label: string, detail: string): void;
  failed(label: string, detail: string): void;
  line(text: string): void;
  /** Redrawn in place while a step takes its time. */
  working(text: string): void;
  ask(question: string, details: readonly string[], otherwise: boolean): Promise<boolean>;
}

/** `quiet`: for `--json`, where nothing but the result is said. */
export function openGuide({ screen }: Pick<Context, 'screen'>, quiet: boolean): Guide {
  const { paint } = screen;
  const say = (text: string): void => {
    if (!quiet) screen.say(text);
  };
  const row = (mark: string, label: string, detail: string): void =>
    say(`  ${mark} ${label.padEnd(LABEL_WIDTH)}${paint.dim(detail)}`);
  return {
    heading: (title, about) => say(`\n  ${paint.bold(title)}  ${paint.dim(about)}\n`),
    section: (title) => say(`\n  ${paint.bold(title)}`),
    done: (label, detail) => row(paint.green('✓'), label, detail),
    note: (label, detail) => row(paint.yellow('·'), label, detail),
    failed: (label, detail) => row(paint.red('✗'), label, detail),
    line: (text) => say(text === '' ? '' : `    ${text}`),
    working: (text) => {
      if (!quiet) screen.progress(`  ${paint.cyan('…')} ${text}`);
    },
    ask: async (question, details, otherwise) => {
      screen.done();
      say(`\n  ${paint.cyan('?')} ${paint.bold(question)}`);
      for (const detail of details) say(`    ${paint.dim(detail)}`);
      return yesOrNo(`    ${otherwise ? '[Y/n]' : '[y/N]'} `, otherwise);
    },
  };
}

export function megabytes(bytes: number): string {
  const mb = bytes / 1024 / 1024;
  return mb >= 1024
    ? `${(mb / 1024).toFixed(1)} GB`
    : mb < 0.1
      ? 'under 0.1 MB'
      : `${mb.toFixed(mb < 10 ? 1 : 0)} MB`;
}

/** What is neither is asked again; Ctrl-C and a closed terminal end the verb. */
async function yesOrNo(prompt: string, otherwise: boolean): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  asking.on('SIGINT', () => gone.abort());
  asking.on('close', () => gone.abort());
  try {
    for (;;) {
      const answer = (await asking.question(prompt, { signal: gone.signal })).trim().toLowerCase();
      if (answer === '') return otherwise;
      if (/^y(?:es)?$/.test(answer)) return true;
      if (/^no?$/.test(answer)) return false;
    }
  } catch {
    process.stderr.write('\n');
    throw new TidemarkError('cancelled', 'stopped; what was done so far stays', {
      hint: 'Run it again to go on.',
    });
  } finally {
    asking.close();
  }
}
