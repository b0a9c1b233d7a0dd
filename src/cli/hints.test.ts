/** Every verb, option and setting that a message, a hint or a document of ours names exists. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SETTING_KEYS, TEAM_SETTING_KEYS } from '../config/index.ts';
import type { Verb } from './verb.ts';

const ROOT = join(import.meta.dirname, '..', '..');
// The program's folder, which a bundle has and a module does not.
Object.assign(globalThis, { __dirname: join(ROOT, 'plugin', 'dist') });
after(() => Reflect.deleteProperty(globalThis, '__dirname'));
const { VERBS } = (await import('./verbs/index.ts')) as { VERBS: readonly Verb[] };
const { optionsOf } = await import('./verb.ts');

/** Options that every verb, or the program itself, has. */
const COMMON: ReadonlySet<string> = new Set(['help', 'set', 'json', 'version', 'all']);
/** Words behind our name that are no command: "tidemark comment" is a part of the journal's format. */
const NO_COMMAND = new Set(['comment', 'session', 'the', 'end', 'for', 'tidemark', 'add-', 'help']);
const GROUPS: ReadonlySet<string> = new Set(
  [...SETTING_KEYS, ...TEAM_SETTING_KEYS].map((key) => key.split('.')[0] ?? ''),
);
/** Names of the same form that are no settings. */
const NO_SETTING = /\.(?:ts|js|cjs|mjs|json|jsonl|md|db|sh|log|sock|org|com|test|css|html)\b/;

interface Text {
  readonly where: string;
  readonly text: string;
}

const SOURCES = [...filesIn('src', /(?<!\.test)\.ts$/), ...filesIn('web', /(?<!\.test)\.tsx?$/)].flatMap(
  stringsOf,
);
const DOCUMENTS = [
  ...filesIn('plugin/commands', /\.md$/),
  ...filesIn('plugin/skills', /\.md$/),
  ...filesIn('docs', /\.md$/).filter((path) => !path.includes('research') && !path.includes('report')),
  'README.md',
].flatMap(codeOf);

test('every command that a message or a document names exists, with its options', () => {
  const wrong = [...SOURCES, ...DOCUMENTS].flatMap(({ where, text }) =>
    [
      ...text.matchAll(/(?<![\w./:@-]|npm view )tidemark ([a-z][a-z-]*(?: [a-z][a-z-]*)*)([^\n;|·`]*)/g),
    ].flatMap(([, words = '', rest = '']) => problemOf(words, rest).map((problem) => `${where}: ${problem}`)),
  );
  assert.deepEqual(wrong, []);
});

test('every setting that a message or a document names exists', () => {
  const known = new Set<string>([...SETTING_KEYS, ...TEAM_SETTING_KEYS]);
  const wrong = [...SOURCES, ...DOCUMENTS].flatMap(({ where, text }) =>
    [...text.matchAll(/(?<![\w./:@'-])([a-z]+)\.([a-z][a-zA-Z]+)(?![\w/('-]|\.\w)/g)]
      .filter(([key, group = '']) => GROUPS.has(group) && !known.has(key) && !NO_SETTING.test(key))
      .map(([key]) => `${where}: ${key}`),
  );
  assert.deepEqual(wrong, []);
});

function problemOf(words: string, rest: string): readonly string[] {
  const [first = ''] = words.split(' ');
  if (NO_COMMAND.has(first)) return [];
  const verb = VERBS.filter(({ name }) => `${words} `.startsWith(`${name} `)).toSorted(
    (a, b) => b.name.length - a.name.length,
  )[0];
  if (!verb) return [`there is no verb in "tidemark ${words}"`];
  // `import ${name} --dry-run`: the second word is not known here.
  const meant = /^ (?:<|…|\$)/.test(rest) ? VERBS.filter(({ name }) => name.startsWith(verb.name)) : [verb];
  const options = meant.flatMap((one) =>
    Object.entries(optionsOf(one)).flatMap(([name, { alias }]) => [name, alias ?? name]),
  );
  // Up to the end of the sentence or of the quoted command.
  const tail = rest.split(/[.:,)](?:\s|$)|["']\s/)[0] ?? '';
  return [...tail.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)]
    .map(([, option = '']) => option)
    .filter((option) => !options.includes(option) && !COMMON.has(option))
    .map((option) => `"tidemark ${verb.name}" has no option --${option}`);
}

function filesIn(folder: string, name: RegExp): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

/** The strings of a module that are sentences, and one word after `tidemark`. Comments are left out. */
function stringsOf(where: string): readonly Text[] {
  const code = readFileSync(join(ROOT, where), 'utf8')
    .replaceAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, '')
    .replaceAll(/ \/\/ .*$/gm, '');
  return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, one, two, three]) => one ?? two ?? three?.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…') ?? '')
    .filter((text) => text.includes(' '))
    .map((text) => ({ where, text }));
}

/** The code of a Markdown file: blocks and spans. */
function codeOf(where: string): readonly Text[] {
  const text = readFileSync(join(ROOT, where), 'utf8');
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const spans = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks.map((line) => line.replace(/\s#.*$/, '')), ...spans].map((one) => ({ where, text: one }));
}
