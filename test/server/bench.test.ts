/** `npm run bench:server` in its smallest form, so that it works when someone needs its figures. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { postgresql } from '../support/postgres.ts';

const { skip } = postgresql;
const PROGRAM = join(import.meta.dirname, '..', '..', 'bench', 'server.ts');

interface Result {
  readonly failure?: string;
  readonly phases: readonly { readonly name: string; readonly requests: number; readonly errors: object }[];
}

test('the benchmark of the server measures every phase without an error', { skip }, async () => {
  const args = [PROGRAM, '--quick', '--without-model', '--instances', '2', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [result] = JSON.parse(stdout) as readonly Result[];
  assert.equal(result?.failure, undefined);
  for (const { name, requests, errors } of result?.phases ?? []) {
    assert.ok(requests > 0, name);
    assert.deepEqual(errors, {}, name);
  }
  assert.deepEqual(
    result?.phases.map(({ name }) => name),
    [
      'search alone, big team',
      'search alone, one project',
      'search alone, small teams',
      'pull alone',
      'search',
      'push alone',
      'mixed, few',
      'mixed, all',
    ],
  );
});
