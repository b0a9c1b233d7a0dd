/** A title is one sentence: a longer one is refused in the same way by every command. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LONGEST_TITLE } from '../../src/core/index.ts';
import { Machine } from '../support/machine.ts';

const LONG = 'word '.repeat(24_000);
const FITS = 'w'.repeat(LONGEST_TITLE);
const REFUSED = /^error: the title has 1\d\d,\d{3} characters; at most 500 are allowed\nhint: .*--body/;

test('remember, add-pattern and edit refuse a title of 120 KB and store nothing', async (t) => {
  const machine = Machine.open(t);
  const made = await machine.cli(['remember', FITS, '--json']);
  assert.equal(made.code, 0, made.stderr);
  const { id } = JSON.parse(made.stdout) as { id: string };
  for (const args of [
    ['remember', LONG],
    ['add-pattern', LONG],
    ['edit', id, '--title', LONG],
  ]) {
    const { code, stderr } = await machine.cli(args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, REFUSED);
  }
  const stored = await machine.call('read.memories', { limit: 10 });
  assert.deepEqual(
    stored.map(({ title }) => title),
    [FITS],
  );
});

test('a long bullet of a file becomes the body', async (t) => {
  const machine = Machine.open(t);
  writeFileSync(join(machine.project, 'facts.md'), `## Patterns\n- ${LONG}\n`);
  const { code, stderr } = await machine.cli(['extract-facts', 'facts.md']);
  assert.equal(code, 0, stderr);
  const [memory] = await machine.call('read.memories', { limit: 10 });
  assert.ok(memory && memory.title.length <= LONGEST_TITLE);
  assert.ok(memory.body.length > LONGEST_TITLE);
});
