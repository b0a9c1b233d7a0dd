import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostArguments, readArguments } from './arguments.ts';
import type { Verb } from './verb.ts';

const verb = (usage: string): Verb => ({
  name: 'do',
  usage: `do ${usage}`.trim(),
  summary: '',
  options: {
    all: { type: 'boolean', doc: '' },
    limit: { type: 'string', doc: '' },
    reason: { type: 'string', alias: 'why', doc: '' },
  },
  run: async () => {},
});
const problem = (usage: string, ...argv: readonly string[]): string => {
  try {
    readArguments(verb(usage), argv);
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return `${message} / ${hint}`;
  }
  return '';
};

test('a usage line says how many arguments there may be', () => {
  const counts: Readonly<Record<string, number>> = {
    '': 0,
    '[--everywhere | --session <id>]': 0,
    '[--purge [--yes]] [--dry-run]': 0,
    '[--tls-cert <file> --tls-key <file> | --behind-proxy]': 0,
    '<id | YYYY-MM-DD> [--limit <n>]': 1,
    '<id> [--title <text>] [--file <path>]…': 1,
    '[--project [folder] | --all] [--since <date>]': 1,
    '[--path <path>] [--project [folder]] [--into <folder>]': 1,
    '[history | <tool>]': 1,
    '<old> <new>': 2,
    '[list | create --member <member> | revoke <id>]': 2,
    '[list | get <key> | set <key> <value> | path]': 3,
    '<base> <ours> <theirs> [<path>]': 4,
    '<id> <id…>': Infinity,
    '[approve <id…> | reject <id…>] [--all]': Infinity,
  };
  for (const [usage, most] of Object.entries(counts)) assert.equal(mostArguments(verb(usage)), most, usage);
});

test('an extra argument is refused, not ignored', () => {
  assert.match(
    problem('[--all]', 'shop'),
    /do takes no arguments; "shop" is one too many \/ tidemark do \[--all\]/,
  );
  assert.match(problem('<old> <new>', 'a', 'b', 'c'), /do takes at most 2 arguments; "c" is one too many/);
  assert.equal(problem('', 'shop', '--help'), '');
});

test('a second name of an option gives the same value', () => {
  for (const name of ['--reason', '--why'])
    assert.deepEqual(readArguments(verb(''), [name, 'it is small']).options, { reason: 'it is small' });
  assert.match(
    problem('', '--reason', 'a', '--why', 'b'),
    /^--reason and --why are the same option \/ Give one of them\.$/,
  );
});

test('wrong options are reported in plain words', () => {
  assert.match(
    problem('', '--limt', '3'),
    /^tidemark do has no option --limt \/ Did you mean --limit\? See: /,
  );
  assert.match(problem('', '-x'), /^tidemark do has no option -x \/ See: tidemark do --help/);
  assert.match(problem('', '--limit'), /^--limit needs a value/);
  assert.match(problem('', '--limit', '-3'), /^--limit needs a value/);
  assert.match(problem('', '--all=yes'), /^--all takes no value/);
});

test('a quoted text that begins with a dash is no option', () => {
  const read = (...argv: readonly string[]) => readArguments(verb('<words…>'), argv);
  assert.deepEqual(read('- from').args, ['- from']);
  assert.deepEqual(read('-v is verbose', '--all').args, ['-v is verbose']);
  assert.deepEqual(read('--all the way').args, ['--all the way']);
  assert.equal(read('--reason', '- it was slow').options['reason'], '- it was slow');
  assert.equal(read('--reason=a b').options['reason'], 'a b');
  assert.match(problem('<words…>', '-foo'), /no option -f .*follow --: tidemark do -- <words>/);
});
