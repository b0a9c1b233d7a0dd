/** The files that a shell script prints, so that the agent reads them without its own tool. Pure; never throws. */
import { posix } from 'node:path';
import { pipelinesOf, type Pipeline, type SimpleCommand } from './pipelines.ts';

/** A script that prints more files is not about any of them. */
const MOST_PRINTED = 5;
/** Both folders of each: the caller looks all of them up. */
const MOST_PATHS = 2 * MOST_PRINTED;

const PRINTS = new Set(
  'cat head tail less more bat batcat nl tac sed awk gawk grep egrep fgrep rg ag jq'.split(' '),
);
/** Programs after a pipe that pass lines on. Others, such as `wc`, show nothing of the file. */
const FILTERS = new Set([...PRINTS, ...'sort uniq cut tr column fold expand'.split(' ')]);
/** `cat "$file"` and `cat src/*.ts` name no file that is known without a shell. */
const UNKNOWN = /[$`*?[\]{}\n]/;

/**
 * Returns paths that the script may print: every argument of a program that prints, so a pattern of `grep` is among them.
 * The caller checks which are files. `cwd`: the folder before or after the script; clients differ, so a `cd` gives two paths.
 *
 * `printedFiles('cd src && cat a.ts', '/engine/src')` → `['/engine/src/a.ts', '/engine/src/src/a.ts']`
 */
export function printedFiles(script: string, cwd: string): readonly string[] {
  // Where a `cd` of the script leads if `cwd` is the folder before it.
  let moved = cwd;
  const found = new Set<string>();
  let printed = 0;
  for (const pipeline of pipelinesOf(script)) {
    const [first] = pipeline;
    const folder = first?.words[0] === 'cd' ? first.words[1] : undefined;
    if (folder !== undefined && !UNKNOWN.test(folder)) moved = pathIn(moved, folder);
    const names = printedBy(pipeline);
    printed += names.length > 0 ? 1 : 0;
    if (printed > MOST_PRINTED) return [];
    for (const name of names) for (const base of [cwd, moved]) found.add(pathIn(base, name));
  }
  return [...found].slice(0, MOST_PATHS);
}

/** The path that a program in the folder means. Resolves nothing on this machine: it may be another one's path. */
export function pathIn(folder: string, name: string): string {
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(name)) return name;
  // Only Windows paths; elsewhere a backslash may be part of a name.
  const base = /^[A-Za-z]:\\/.test(folder) ? folder.replaceAll('\\', '/') : folder;
  return posix.join(base, name);
}

function printedBy(pipeline: Pipeline): readonly string[] {
  const [first, ...rest] = pipeline;
  if (!first || !pipeline.every(({ writes }) => writes.length === 0)) return [];
  if (!PRINTS.has(programOf(first)) || !rest.every((command) => FILTERS.has(programOf(command)))) return [];
  const { words, reads } = first;
  if (programOf(first) === 'sed' && words.some((word) => /^-\w*i|^--in-place/.test(word))) return [];
  const names = [...words.slice(1), ...reads].filter(
    (word) => word !== '' && !word.startsWith('-') && !UNKNOWN.test(word),
  );
  return names.slice(-MOST_PRINTED);
}

function programOf({ words }: SimpleCommand): string {
  return posix.basename(words[0] ?? '');
}
