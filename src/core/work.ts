/** The commits of a turn, as its tool calls show them. Pure. */
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
