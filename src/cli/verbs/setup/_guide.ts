/** Output of the long verbs: headings, completed steps, questions. Writes to stderr. */
import { yesOrNo } from '../../ask.ts';
import { row } from '../../row.ts';
import { wrap } from '../../text-width.ts';
import type { Context } from '../../verb.ts';

/** Width of the column of step labels. */
const LABEL_WIDTH = 20;
const INDENT = '    ';

export interface Guide {
  heading(title: string, about: string): void;
  section(title: string): void;
  done(label: string, detail: string): void;
  /** Good to know; nothing is wrong. */
  note(label: string, detail: string): void;
  failed(label: string, detail: string): void;
  /** Wraps at the terminal's width; not for coloured text. */
  line(text: string): void;
  /** A term and its description in two columns. */
  pair(what: string, about: string): void;
  /** Redrawn in place during a slow step. */
  working(text: string): void;
  ask(question: string, details: readonly string[], otherwise: boolean): Promise<boolean>;
}

/** `quiet`: for `--json`, which prints only the result. */
export function openGuide({ screen }: Pick<Context, 'screen'>, quiet: boolean): Guide {
  const { paintTalk: paint, talkWidth: width } = screen;
  const page = { isTerminal: Number.isFinite(width), width };
  const say = (text: string): void => {
    if (!quiet) screen.say(text);
  };
  const step = (mark: string, label: string, detail: string): void =>
    say(row(page, { front: `  ${mark} ${label.padEnd(LABEL_WIDTH - 2)}`, text: detail, paint: paint.dim }));
  const indented = (text: string, colour = (plain: string): string => plain): void => {
    for (const line of wrap(text, width - INDENT.length)) say(`${INDENT}${colour(line)}`);
  };
  const pose = (question: string, details: readonly string[]): void => {
    screen.done();
    say(`\n  ${paint.cyan('?')} ${paint.bold(question)}`);
    for (const detail of details) indented(detail, paint.dim);
  };
  return {
    heading: (title, about) => say(`\n  ${paint.bold(title)}  ${paint.dim(about)}\n`),
    section: (title) => say(`\n  ${paint.bold(title)}`),
    done: (label, detail) => step(paint.green('✓'), label, detail),
    note: (label, detail) => step(paint.yellow('·'), label, detail),
    failed: (label, detail) => step(paint.red('✗'), label, detail),
    line: (text) => (text === '' ? say('') : indented(text)),
    pair: (what, about) =>
      say(row(page, { front: `${INDENT}${paint.cyan(what)}`, text: about, paint: paint.dim })),
    working: (text) => {
      if (!quiet) screen.progress(`  ${paint.cyan('…')} ${text}`);
    },
    ask: (question, details, otherwise) => {
      pose(question, details);
      return yesOrNo(INDENT, otherwise);
    },
  };
}
