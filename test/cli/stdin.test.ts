/** Memories whose text comes from stdin, and the second name of `--reason`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { Machine } from '../support/machine.ts';

test('remember and edit read a text from stdin, and --why gives the reason', async (t) => {
  const machine = Machine.open(t);
  const run = async (args: readonly string[], input: string): Promise<Memory> => {
    const { stdout, stderr, code } = await machine.cli([...args, '--json'], { input });
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Memory;
  };
  const stored = await run(
    ['remember', '-', '--kind', 'decision', '--why', 'stolen ones die early'],
    '# Refresh tokens rotate on every use\n\nThe old one is revoked.\nSee the notes.\n',
  );
  assert.equal(stored.title, 'Refresh tokens rotate on every use');
  assert.equal(stored.body, 'The old one is revoked.\nSee the notes.');
  assert.equal(stored.reason, 'stolen ones die early');

  const edited = await run(['edit', stored.id, '--body', '-', '--why', 'an audit asked'], 'All of them.\n');
  assert.deepEqual(
    [edited.title, edited.body, edited.reason],
    [stored.title, 'All of them.', 'an audit asked'],
  );

  const long = await run(['remember', '-'], `${'A pool of connections has a limit, '.repeat(20)}\nMore.`);
  assert.match(long.title, /limit…$/);
  assert.match(long.body, /^(?:A pool of connections has a limit, ?){20}\n\nMore\.$/);
});

test('an empty stdin, or one asked for twice, is a usage error', async (t) => {
  const machine = Machine.open(t);
  const empty = await machine.cli(['remember', '-'], { input: ' \n' });
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /there is no text on stdin/);
  const twice = await machine.cli(['remember', '-', '--body', '-'], { input: 'text' });
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /only one text can be read from stdin/);
  const large = await machine.cli(['remember', '-'], { input: 'x'.repeat(300_000) });
  assert.equal(large.code, 2);
  assert.match(large.stderr, /longer than 65,536 characters/);
});
