/**
 * Writes data to stdout and messages to stderr; colour only on a terminal that wants it. Everything the CLI prints goes
 * through here and is cleaned: the only escape sequences that reach the terminal are our own.
 */
import { randomInt } from 'node:crypto';
import { homedir } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { plainJson, plainLine, plainText } from '../core/index.ts';
import { clip, widthOf } from './text-width.ts';

export interface Screen {
  /** Prints data to stdout. */
  print(text: string): void;
  /** Prints JSON to stdout; `indent` 0 prints it on one line. */
  json(value: unknown, indent?: number): void;
  /** Prints a message to stderr. */
  say(text: string): void;
  /** Redraws one line on a terminal; prints nothing elsewhere. `done` clears it. */
  progress(text: string): void;
  done(): void;
  readonly paint: Paint;
  /** The same for stderr: one of the two may be a pipe. */
  readonly paintTalk: Paint;
  readonly isTerminal: boolean;
  /** Columns of the terminal; infinite in a pipe. */
  readonly width: number;
  /** The same for stderr. */
  readonly talkWidth: number;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

export function openScreen(env: NodeJS.ProcessEnv): Screen {
  const out = process.stdout;
  const talk = process.stderr;
  let drawn = false;
  const wipe = () => {
    if (drawn) talk.write('\r\u001b[2K');
    drawn = false;
  };
  return {
    print: (text) => void out.write(`${shown(text)}\n`),
    json: (value, indent = 2) => void out.write(`${plainJson(value, indent)}\n`),
    say: (text) => {
      wipe();
      talk.write(`${shown(text)}\n`);
    },
    progress: (text) => {
      if (!talk.isTTY) return;
      const room = (talk.columns || 80) - 1;
      const fits = widthOf(text) <= room;
      talk.write(`\r\u001b[2K${fits ? shown(text) : clip(plainLine(stripVTControlCharacters(text)), room)}`);
      drawn = true;
    },
    done: wipe,
    paint: paintFor(wantsColour(env, Boolean(out.isTTY))),
    paintTalk: paintFor(wantsColour(env, Boolean(talk.isTTY))),
    isTerminal: Boolean(out.isTTY),
    width: widthFor(out.isTTY ? out.columns : undefined),
    talkWidth: widthFor(talk.isTTY ? talk.columns : undefined),
  };
}

/** Returns the text as the terminal may get it: our colours as real codes, and nothing else that it would obey. */
export function shown(text: string): string {
  // Every second part is the code of a colour.
  return text
    .split(SEALED)
    .map((part, i) => (i % 2 === 0 ? plainText(part) : `\u001b[${part}m`))
    .join('');
}

/** Abbreviates the home folder: `~/.tidemark/journal`. For users, not for programs. */
export function tilde(text: string, home: string = homedir()): string {
  if (home.length <= 1) return text;
  // Not inside a longer name: `/home/a` is not in `/home/ab`.
  return text.replace(new RegExp(`${home.replace(/[^\w]/g, '\\$&')}(?![\\w.-])`, 'g'), '~');
}

/** `1 file`, `3,000 files`, `2 memories` */
export function counted(n: number, one: string, many = `${one}s`.replace(/(?<![aeiou])ys$/, 'ies')): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** `420 bytes`, `12 KB`, `3.4 MB`, `22 MB`, `1.5 GB`: a small size is never shown as zero. */
export function size(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const kb = bytes / 1024;
  if (kb < 1000) return `${Math.ceil(kb)} KB`;
  const mb = kb / 1024;
  return mb < 1000 ? `${mb.toFixed(mb < 10 ? 1 : 0)} MB` : `${(mb / 1024).toFixed(1)} GB`;
}

/** `████████░░░░ 66 %` */
export function bar(done: number, total: number, width = 24): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.round(share * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.round(share * 100)).padStart(3)} %`;
}

/** Some terminals report 0 columns. */
function widthFor(columns: number | undefined): number {
  return columns ? columns : Number.POSITIVE_INFINITY;
}

/** Follows https://no-color.org and https://force-color.org: any non-empty value counts; FORCE_COLOR=0 turns colour off. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}

/**
 * Marks our own colours until they are printed. Text cannot contain this number: every process draws its own.
 * In groups of four digits, because `stripVTControlCharacters` knows no longer ones.
 */
const SEAL = Array.from({ length: 3 }, () => randomInt(1000, 10_000)).join(';');
const SEALED = new RegExp(`\\u001b\\[(\\d+);${SEAL}m`);

function paintFor(colour: boolean): Paint {
  const code = (number: number): string => `\u001b[${number};${SEAL}m`;
  const painted = (number: number) => (text: string) => (colour ? `${code(number)}${text}${code(0)}` : text);
  // The keys of CODES are the colours of Paint.
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, painted(code)])) as Paint;
}
