/** Prints the last lines of the daemon's or the hooks' log, formatted or raw; with --follow, also new ones. */
import { closeSync, readSync, statSync } from 'node:fs';
import { escapedJson, plainLine } from '../../../core/index.ts';
import { openRegularSync, readTextSync } from '../../../files/index.ts';
import type { Screen } from '../../screen.ts';
import { count, flag, usageError, value, type Verb } from '../../verb.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'];
/** A log is rotated at 4 MB. */
const LOG_BYTES = 64 * 1024 * 1024;
/** Polls, because a network drive reports no changes; log lines are rare. */
const POLL_MS = 250;

export const logs: Verb = {
  name: 'logs',
  usage: 'logs [--follow] [--hooks] [--level <level>] [--lines <n>]',
  summary: 'Show the last lines of the log of the daemon or the hooks.',
  options: {
    follow: flag('Keep printing new lines until Ctrl-C.', 'f'),
    hooks: flag("The hooks' log instead of the daemon's."),
    level: value('level', `Only this level and above: ${LEVELS.join(', ')}.`),
    lines: value('n', 'Number of lines (default: 40).'),
    json: flag('Print the raw lines: one JSON object each.'),
  },
  examples: ['tidemark logs --follow', 'tidemark logs --level warn'],
  async run({ options, places, screen }) {
    const path = options['hooks'] ? places.hookLog : places.log;
    const least = leastOf(options['level']);
    const show = (line: string): void => {
      const facts = parse(line);
      if (LEVELS.indexOf(String(facts['level'] ?? 'info')) < least) return;
      screen.print(options['json'] ? escapedJson(line) : readable(facts, line, screen));
    };
    const text = read(path);
    const lines = text.split('\n').filter(Boolean);
    if (lines.length === 0) screen.say(`${path} is empty.`);
    const wanted = lines.filter((line) => LEVELS.indexOf(String(parse(line)['level'] ?? 'info')) >= least);
    for (const line of wanted.slice(-count(options, 'lines', 40))) show(line);
    if (options['follow']) await follow(path, Buffer.byteLength(text), show);
  },
};

/** Prints new lines, also across a rotation: another file, or one that is shorter than before. */
function follow(path: string, shown: number, show: (line: string) => void): Promise<void> {
  let at = shown;
  let file = statSync(path, { throwIfNoEntry: false })?.ino;
  let rest = '';
  const look = (): void => {
    const { size, ino } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, ino: undefined };
    if (size < at || ino !== file) at = 0;
    file = ino;
    const lines = (rest + readFrom(path, at, size)).split('\n');
    at = size;
    rest = lines.pop() ?? '';
    for (const line of lines.filter(Boolean)) show(line);
  };
  const looking = setInterval(look, POLL_MS);
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        clearInterval(looking);
        resolve();
      });
  });
}

function leastOf(level: string | boolean | undefined): number {
  if (level === undefined) return 0;
  const at = LEVELS.indexOf(String(level));
  if (at >= 0) return at;
  throw usageError(`there is no level "${String(level)}"`, `One of ${LEVELS.join(', ')}.`);
}

/** `14:03:12  info  captured  session 15a0…, turns 1` */
function readable(facts: Readonly<Record<string, unknown>>, line: string, { paint }: Screen): string {
  const { at, level, pid: _, what, event, outcome, ...rest } = facts;
  if (typeof at !== 'string') return line;
  const name = String(what ?? `${String(event)} ${String(outcome)}`);
  const colour = { error: paint.red, warn: paint.yellow }[String(level)] ?? paint.dim;
  const more = { ...(what === undefined ? {} : { event, outcome }), ...rest };
  const said = Object.entries(more).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
  const time = paint.dim(at.replace('T', ' ').slice(5, 19));
  return `${time}  ${colour(String(level ?? '').padEnd(5))} ${paint.bold(name)}  ${plainLine(said.join(', '))}`.trimEnd();
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function read(path: string): string {
  try {
    return readTextSync(path, LOG_BYTES);
  } catch {
    return '';
  }
}

function readFrom(path: string, start: number, end: number): string {
  if (end <= start) return '';
  const { fd: file } = openRegularSync(path);
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}
