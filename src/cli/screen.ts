/** What people see: data on stdout, talk on stderr, colour only on a terminal that wants it. */
import { homedir } from 'node:os';
import { clip } from './text-width.ts';

export interface Screen {
  /** Data, as text for people or as JSON for programs. */
  print(text: string): void;
  json(value: unknown): void;
  /** Talk: progress, hints, errors. */
  say(text: string): void;
  /** Redraws one line on a terminal; on anything else says nothing until `done`. */
  progress(text: string): void;
  done(): void;
  readonly paint: Paint;
  /** The same for talk: one of the two may be a pipe. */
  readonly paintTalk: Paint;
  readonly isTerminal: boolean;
  /** Columns to fit into; what is piped is never cut. */
  readonly width: number;
  /** The same for talk. */
  readonly talkWidth: number;
}

export type Paint = Readonly<
  Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>
>;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function openScreen(env: NodeJS.ProcessEnv): Screen {
  const out = process.stdout;
  const talk = process.stderr;
  let drawn = false;
  const wipe = () => {
    if (drawn) talk.write('\r\u001b[2K');
    drawn = false;
  };
  return {
    print: (text) => void out.write(`${text}\n`),
    json: (value) => void out.write(`${JSON.stringify(value, null, 2)}\n`),
    say: (text) => {
      wipe();
      talk.write(`${text}\n`);
    },
    progress: (text) => {
      if (!talk.isTTY) return;
      talk.write(`\r\u001b[2K${clip(text, (talk.columns || 80) - 1)}`);
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

/** `~/.tidemark/journal`: paths of the home folder as people write them; for reading, not for programs. */
export function tilde(text: string, home: string = homedir()): string {
  if (home.length <= 1) return text;
  // Not where the name goes on: `/home/a` is not in `/home/ab`.
  return text.replace(new RegExp(`${home.replace(/[^\w]/g, '\\$&')}(?![\\w.-])`, 'g'), '~');
}

/** `1 file`, `3,000 files` */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** `420 bytes`, `12 KB`, `3.4 MB`: what is small is not called nothing. */
export function size(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const kb = bytes / 1024;
  return kb < 1000 ? `${Math.ceil(kb)} KB` : `${(kb / 1024).toFixed(1)} MB`;
}

/** `████████░░░░ 66 %` */
export function bar(done: number, total: number, width = 24): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.round(share * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.round(share * 100)).padStart(3)} %`;
}

/** Some terminals say 0. */
function widthFor(columns: number | undefined): number {
  return columns ? columns : Number.POSITIVE_INFINITY;
}

/** https://no-color.org and https://force-color.org: any value but an empty one; FORCE_COLOR=0 asks for none. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}

function paintFor(colour: boolean): Paint {
  const one = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: one(CODES.bold),
    dim: one(CODES.dim),
    red: one(CODES.red),
    green: one(CODES.green),
    yellow: one(CODES.yellow),
    cyan: one(CODES.cyan),
  };
}
