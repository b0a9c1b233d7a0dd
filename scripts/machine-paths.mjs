/**
 * The maintainers' commit hook: refuses a commit whose new lines hold a path of this machine (the clone, its parent
 * folder, the home folder). Not part of `npm test`, because a newcomer's clone may be a path that a fixture invents.
 * Switch it on with `git config core.hooksPath scripts/hooks`.
 */
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { isMain, root as ownRoot } from './_setup.mjs';

/**
 * @param {string} diff as `git diff --cached --unified=0` prints it
 * @param {string[]} machinePaths
 * @returns {string[]} one line per finding
 */
export function findMachinePaths(diff, machinePaths) {
  let file = '';
  return diff.split('\n').flatMap((line) => {
    if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
    else if (line.startsWith('+') && machinePaths.some((place) => holdsPath(line, place)))
      return [`${file}: holds a path of this machine: ${line.slice(1).trim()}`];
    return [];
  });
}

/** The path as a path of its own, not as the tail of a longer one. */
function holdsPath(text, place) {
  for (let at = text.indexOf(place); at >= 0; at = text.indexOf(place, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + place.length] ?? ' ';
    if (!/[\w.~@%}/-]/.test(before) && /[/\s'"`,;:)\]}>\\]/.test(after)) return true;
  }
  return false;
}

/** The clone, its parent folder and the home folder; a clone in the temp folder tells nothing about a machine. */
function pathsOfThisMachine(root) {
  const neutral = new Set(['/', os.tmpdir(), '/tmp', '/home', '/Users']);
  return [root, path.dirname(root), os.homedir()].filter((place) => !neutral.has(place));
}

if (isMain(import.meta.url)) {
  const diff = execFileSync('git', ['diff', '--cached', '--unified=0', '--no-color'], {
    cwd: ownRoot,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const problems = findMachinePaths(diff, pathsOfThisMachine(ownRoot));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
