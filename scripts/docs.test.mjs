/** Checks that everything the documents name exists: linked files and headings, npm scripts, commands of the CLI. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { root } from './_setup.mjs';

const DOCUMENTS = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => /^(?:[A-Z]+\.md|docs\/.*|bench\/README\.md)$/.test(file));
const LINK = /\]\(([^)\s]+)\)/g;
const FENCE = /^\s*```[^]*?^\s*```/gm;
/** A command as a document names it: in code, at the start of a line or of a span. */
const COMMAND = /(?:^|`|\$ |&& )(?:\.\/bin\/)?tidemark ([a-z][\w-]*)(?: ([a-z][\w-]*))?/gm;
const NPM_SCRIPT = /\bnpm (?:run ([\w:-]+)|(start|test)\b)/g;

test('every relative link in the documents leads to a file and a heading', () => {
  const broken = DOCUMENTS.flatMap((file) => {
    const text = read(file).replaceAll(FENCE, '');
    return [...text.matchAll(LINK)].flatMap(([, link]) => (isBroken(file, link) ? [`${file}: ${link}`] : []));
  });
  assert.deepEqual(broken, []);
});

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const missing = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(NPM_SCRIPT)].flatMap(([, run, plain]) => {
      const name = run ?? plain;
      return Object.hasOwn(scripts, name) ? [] : [`${file}: ${name}`];
    }),
  );
  assert.deepEqual(missing, []);
});

test('every command that a document names exists', () => {
  const verbs = verbNames();
  const missing = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(COMMAND)].flatMap(([, first, second]) =>
      verbs.has(first) || verbs.has(`${first} ${second}`) ? [] : [`${file}: tidemark ${first}`],
    ),
  );
  assert.deepEqual(missing, []);
});

test('the README names only ways to install that work without a published package', () => {
  assert.doesNotMatch(read('README.md'), /\bnpx\b|npm (?:i|install)\b/);
});

test('the README is short, and its film is small', () => {
  assert.ok(read('README.md').split('\n').length <= 125);
  assert.ok(read('docs/recordings/session.svg').length < 300_000);
});

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

function isBroken(file, link) {
  if (/^[a-z]+:/i.test(link)) return false;
  const [target, heading] = link.split('#');
  const linked = target === '' ? file : path.join(path.dirname(file), target);
  if (!existsSync(path.join(root, linked))) return true;
  return heading !== undefined && linked.endsWith('.md') && !headingsOf(linked).has(heading);
}

/** The anchors of a document's headings, as GitHub makes them. */
function headingsOf(file) {
  const headings = read(file)
    .replaceAll(FENCE, '')
    .matchAll(/^#+ +(.+?)\s*$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** From the source, because the CLI may not be built. */
function verbNames() {
  const folder = path.join(root, 'src', 'cli', 'verbs');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [...readFileSync(path.join(folder, name), 'utf8').matchAll(/^ {2}name: '([^']+)'/gm)])
    .map(([, name]) => name);
  assert.ok(names.length > 40, `found ${names.length}`);
  return new Set(names);
}
