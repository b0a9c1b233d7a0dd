/** The work in a turn as its tool calls show it: changed files and commits. Pure. */
import type { ToolCall, Turn } from './turn.ts';

export interface Commit {
  /** Abbreviated, if git's output shows it. */
  readonly hash?: string;
  readonly subject: string;
}

const COMMITS = /\bgit\s+(?:-\S+\s+\S+\s+)*commit\b/;
/** `[main 3f2a1bc] Fix the queue`, `[main (root-commit) 3f2a1bc] Start` */
const COMMITTED = /^\[[^\]\n]*?\b([0-9a-f]{7,40})\] (.+)$/m;
const MESSAGE = /\s-[a-z]*m\s+(?:"([^"\n]+)|'([^'\n]+)|([^\s"'$]+))/;

/** Returns the files that the turn changed, named relative to `root` or the turn's folder where they are inside. */
export function changedFiles({ tools, cwd }: Turn, root?: string): readonly string[] {
  const bases = [root, cwd].filter((base) => base !== undefined && base !== '');
  const relative = (path: string): string => {
    const base = bases.find((folder) => path.startsWith(`${folder}/`));
    return base === undefined ? path : path.slice(base.length + 1);
  };
  return [...new Set(tools.flatMap(({ edited }) => edited).map(relative))];
}

export function commitsIn({ tools }: Pick<Turn, 'tools'>): readonly Commit[] {
  return tools.flatMap((tool) => commitOf(tool) ?? []);
}

function commitOf({ command = '', output = '', status }: ToolCall): Commit | undefined {
  if (status !== 'ok' || !COMMITS.test(command)) return undefined;
  const [, hash, subject] = COMMITTED.exec(output) ?? [];
  if (hash !== undefined && subject !== undefined) return { hash: hash.slice(0, 7), subject: subject.trim() };
  const [, ...quoted] = MESSAGE.exec(command) ?? [];
  const message = quoted.find((text) => text !== undefined);
  return message === undefined ? undefined : { subject: message.trim() };
}
