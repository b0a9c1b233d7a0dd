/** Only `tidemark server` loads the server program and its dependencies, so other commands do not pay for it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, Machine } from '../support/machine.ts';

/** Prints every file a process loads to stderr, one per line. */
const TELLING = `
const Module = require('node:module');
const load = Module._load;
Module._load = function (request, parent, isMain) {
  process.stderr.write('loads ' + request + '\\n');
  return load.call(this, request, parent, isMain);
};`;

test('only server commands load the server program', async (t) => {
  const machine = Machine.open(t);
  const telling = join(machine.home, 'telling.cjs');
  writeFileSync(telling, TELLING);
  const loaded = async (...args: string[]): Promise<readonly string[]> => {
    const { stderr } = await machine.cli(args, { env: { NODE_OPTIONS: `--require ${telling}` } });
    return stderr.split('\n').filter((line) => /^loads .*(?:server|sync)\.cjs$/.test(line));
  };
  for (const args of [['status'], ['search', 'anything'], ['brief'], ['team'], ['doctor'], ['--help']])
    assert.deepEqual(await loaded(...args), [], args.join(' '));
  assert.equal((await loaded('server', 'doctor', '--database-url', 'postgres://x@127.0.0.1:1/x')).length, 1);
});

test('the other programs contain no database client', () => {
  for (const program of [
    'cli.cjs',
    'daemon.cjs',
    'reader.cjs',
    'writer.cjs',
    'hook.cjs',
    'mcp.cjs',
    'sync.cjs',
  ])
    assert.doesNotMatch(
      readFileSync(join(DIST, program), 'utf8'),
      /node_modules\/pg\/|SET LOCAL ROLE tidemark_app/,
      program,
    );
});
