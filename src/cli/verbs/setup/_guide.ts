/** How the long verbs talk with a person: a heading, steps that were done, questions with a safe default. Talk goes to stderr. */
import { yesOrNo } from '../../ask.ts';
import { row } from '../../row.ts';
import { wrap } from '../../text-width.ts';
import type { Context } from '../../verb.ts';

/** Labels of steps stand in one column. */
const LABEL_WIDTH = 18;
const INDENT = '    ';

export interface Guide {
  heading(title: string, about: string): void;
  section(title: string): void;
  done(label: string, detail: string): void;
  /** Worth knowing, nothing wrong. */
  note(label: string, detail: string): void;
  failed(label: string, detail: string): void;
  /** Breaks where the terminal ends; not for text with colours in it. */
  line(text: string): void;
  /** What and what about it, in two columns. */
  pair(what: string, about: string): void;
  /** Redrawn in place while a step takes its time. */
  working(text: string): void;
  ask(question: string, details: readonly string[], otherwise: boolean): Promise<boolean>;
}

/** `quiet`: for `--json`, where nothing but the result is said. */
export function openGuide({ screen }: Pick<Context, 'screen'>, quiet: boolean): Guide {
  const { paintTalk: paint, talkWidth: width } = screen;
  const paper = { isTerminal: Number.isFinite(width), width };
  const say = (text: string): void => {
    if (!quiet) screen.say(text);
  };
  const step = (mark: string, label: string, detail: string): void =>
    say(row(paper, { front: `  ${mark} ${label.padEnd(LABEL_WIDTH - 2)}`, text: detail, paint: paint.dim }));
  const indented = (text: string, colour = (plain: string): string => plain): void => {
    for (const line of wrap(text, width - INDENT.length)) say(`${INDENT}${colour(line)}`);
  };
  return {
    heading: (title, about) => say(`\n  ${paint.bold(title)}  ${paint.dim(about)}\n`),
    section: (title) => say(`\n  ${paint.bold(title)}`),
    done: (label, detail) => step(paint.green('✓'), label, detail),
    note: (label, detail) => step(paint.yellow('·'), label, detail),
    failed: (label, detail) => step(paint.red('✗'), label, detail),
    line: (text) => (text === '' ? say('') : indented(text)),
    pair: (what, about) =>
      say(row(paper, { front: `${INDENT}${paint.cyan(what)}`, text: about, paint: paint.dim })),
    working: (text) => {
      if (!quiet) screen.progress(`  ${paint.cyan('…')} ${text}`);
    },
    ask: async (question, details, otherwise) => {
      screen.done();
      say(`\n  ${paint.cyan('?')} ${paint.bold(question)}`);
      for (const detail of details) indented(detail, paint.dim);
      return yesOrNo(INDENT, otherwise);
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
