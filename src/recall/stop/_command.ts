/**
 * Decides whether a shell script does exactly what is forbidden. Looks at what runs: arguments of `echo`, `grep` or a commit
 * message, comments and here-documents do not count. Pure.
 */
import { posix } from 'node:path';
import { pathIn, pipelinesOf, type SimpleCommand } from '../../core/index.ts';
import type { Forbidden } from './forbidden.ts';

export interface CommandAction {
  readonly kind: 'command';
  readonly command: string;
  readonly cwd: string;
  /** The root of the project. */
  readonly root: string;
}

/** Reads the script once; the answer tells for each memory whether the script does what it forbids. */
export function commandsOf({ command, cwd, root }: CommandAction): (forbidden: Forbidden) => boolean {
  const commands = runBy(command);
  return (forbidden) => commandsDo(commands, forbidden, cwd, root);
}

function commandsDo(
  commands: readonly SimpleCommand[],
  forbidden: Forbidden,
  cwd: string,
  root: string,
): boolean {
  switch (forbidden.kind) {
    case 'command':
      return commands.some(({ words }) => runs(words, forbidden.words));
    case 'name':
      return commands.some(({ words }) => installs(words, forbidden.text));
    case 'path': {
      const isIt = (word: string): boolean => isPath(word, forbidden.text, cwd, root);
      return commands.some((one) => touches(one, forbidden.act, isIt));
    }
  }
}

/** `sh -c '…'` inside `sh -c '…'` is no script that an agent writes. */
const DEEPEST = 2;

/** All commands of a script as they run, without the words before them: `A=1 sudo npx prisma` → all four beginnings. */
function runBy(script: string, depth = 0): readonly SimpleCommand[] {
  return pipelinesOf(script)
    .flat()
    .flatMap((command) => {
      const all = beginningsOf(command.words).map((words) => ({ ...command, words }));
      const inner = depth < DEEPEST ? all.flatMap(({ words }) => shellScript(words)) : [];
      return [...all, ...inner.flatMap((text) => runBy(text, depth + 1))];
    });
}

/** Words after which another command begins. */
const BEFORE: readonly RegExp[] = [
  /^[A-Za-z_]\w*=/,
  /^(?:if|then|else|elif|do|while|until|!|\{|time|sudo|env|nohup|exec|command|xargs)$/,
  /^(?:npx|bunx|yarn|pnpm|npm|bun|poetry|uv|pipenv|bundle|dotenv)$/,
  /^(?:exec|dlx|run|x|--|-y|--yes|-E|-q|--quiet|--silent)$/,
];

function beginningsOf(given: readonly string[]): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let words = given;
  let isRunner = false;
  while (words.length > 0) {
    found.push(words);
    const [first = ''] = words;
    const which = BEFORE.findIndex((pattern) => pattern.test(first));
    // `exec` and `--` follow a runner; by themselves they begin nothing.
    if (which === -1 || (which === 3 && !isRunner && first !== 'exec')) break;
    if (which === 2) isRunner = true;
    words = words.slice(1);
  }
  return found;
}

function shellScript([program = '', option = '', script]: readonly string[]): readonly string[] {
  const isShell = /^(?:ba|z|da|k)?sh$/.test(posix.basename(program));
  return isShell && /^-\w*c$/.test(option) && script !== undefined ? [script] : [];
}

/** Options with which a command only explains what it would do. */
const HARMLESS = new Set(['--help', '-h', '--version', '--dry-run', 'help']);

/** The same program, the same words in front, all options of the rule. */
function runs(words: readonly string[], forbidden: readonly string[]): boolean {
  const [program = '', ...rest] = words;
  const [named = '', ...expected] = forbidden;
  if (program !== named && posix.basename(program) !== named) return false;
  if (rest.some((word) => HARMLESS.has(word) && !expected.includes(word))) return false;
  const options = expected.filter((word) => word.startsWith('-'));
  const plain = expected.filter((word) => !word.startsWith('-'));
  const given = rest.filter((word) => !word.startsWith('-'));
  return plain.every((word, i) => given[i] === word) && options.every((option) => rest.includes(option));
}

const MANAGERS = new Set(
  'npm pnpm yarn bun pip pip3 uv poetry cargo gem composer go brew apt apt-get'.split(' '),
);
const INSTALL = new Set(['install', 'i', 'add', 'get', 'require']);

function installs([program = '', ...rest]: readonly string[], name: string): boolean {
  if (!MANAGERS.has(posix.basename(program))) return false;
  const at = rest.findIndex((word) => INSTALL.has(word));
  if (at === -1 || rest.some((word) => HARMLESS.has(word))) return false;
  return rest
    .slice(at + 1)
    .some((word) => word === name || word.startsWith(`${name}@`) || word.startsWith(`${name}==`));
}

function isPath(word: string, path: string, cwd: string, root: string): boolean {
  const at = posix.normalize(pathIn(cwd, word));
  const expected = posix.normalize(pathIn(root, path));
  return at === expected || (path.endsWith('/') && at.startsWith(expected)) || `${at}/` === expected;
}

function touches(
  { words, writes }: SimpleCommand,
  act: Extract<Forbidden, { kind: 'path' }>['act'],
  isIt: (word: string) => boolean,
): boolean {
  const [program = '', ...rest] = words;
  const name = posix.basename(program);
  const files = rest.filter((word) => !word.startsWith('-'));
  const isGit = (...verbs: readonly string[]): boolean => name === 'git' && verbs.includes(files[0] ?? '');
  const deletes = name === 'rm' || name === 'unlink' || isGit('rm') ? files.some(isIt) : false;
  switch (act) {
    case 'commit':
      return isGit('add', 'commit') && files.some(isIt);
    case 'delete':
      return deletes;
    case 'change': {
      const inPlace =
        /^(?:sed|perl|gawk)$/.test(name) && rest.some((word) => /^-\w*i|^--in-place/.test(word));
      const changes = inPlace || /^(?:tee|truncate|mv)$/.test(name) || isGit('mv');
      const copies = name === 'cp' && isIt(files.at(-1) ?? '');
      return deletes || copies || writes.some(isIt) || (changes && files.some(isIt));
    }
  }
}
