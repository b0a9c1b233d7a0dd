import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phrasesIn } from './language.mjs';

const count = (file, text) => phrasesIn(file, text).length;

test('a flagged phrase is found in a comment, a string, a template and a document', () => {
  assert.equal(count('a.ts', '// made anew\n'), 1);
  assert.equal(count('a.ts', "const text = 'somebody asked';\n"), 1);
  assert.equal(count('a.ts', 'const text = `this needs a yes from ${name}`;\n'), 1);
  assert.equal(count('a.md', 'The file lies at the root.\n'), 1);
});

test('the text of an element on a page, a script and a manifest are read', () => {
  assert.equal(count('web/a.tsx', '<p>\n  Look after it <b>{name}</b>\n</p>\n'), 1);
  assert.equal(count('hooks/a.sh', '# made anew\n'), 1);
  assert.equal(count('plugin/.claude-plugin/plugin.json', '{ "description": "heals itself" }\n'), 1);
});

test('a word that is also a name is flagged only in a sentence', () => {
  assert.equal(count('a.ts', "const folder = join(spool, 'poison');\n"), 0);
  assert.equal(count('a.ts', "say('one poison event');\n"), 1);
  assert.equal(count('a.md', 'The folder `spool/poison` stays.\n'), 0);
});

test('identifiers and code spans of documents are not prose', () => {
  assert.equal(count('a.ts', 'const anew = somebody(whoever);\n'), 0);
  assert.equal(count('a.md', 'The column `anew` is old.\n```\nsomebody\n```\n'), 0);
});

test('a doc comment that starts with a headless clause is found', () => {
  assert.equal(count('a.ts', '/** What a hook reports. */\n'), 1);
  assert.equal(count('a.ts', '/**\n * Who may read.\n */\n'), 1);
  assert.equal(count('a.ts', '/** Returns what a hook reports. */\n'), 0);
  assert.equal(count('a.ts', '// What follows is a table.\n'), 0);
});

test('a finding names file, line and what to write', () => {
  assert.deepEqual(phrasesIn('a.ts', '\n// told anew\n'), [
    'a.ts:2: "anew" in: // told anew\n    write: again, newly',
  ]);
});
