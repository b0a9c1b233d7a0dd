/** install.sh: checks what it needs and hands over; it changes nothing itself. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'install.sh');

/** A PATH with nothing but these programs, each saying what it was called with. */
function programs(machine: Machine, given: Readonly<Record<string, string>>): string {
  const folder = join(machine.root, 'programs');
  mkdirSync(folder, { recursive: true });
  for (const [name, says] of Object.entries(given)) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${says}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

function run(machine: Machine, PATH: string, args: readonly string[] = []) {
  return machine.run('/bin/sh', [SCRIPT, ...args], { env: { PATH } }).ended;
}

test('with all that is needed it hands its options to npx', async (t) => {
  const machine = Machine.open(t);
  const PATH = programs(machine, { node: 'v22.13.0', npx: 'npx $*' });
  const { code, stdout } = await run(machine, PATH, ['--yes', '--no-history']);
  assert.equal(code, 0);
  assert.equal(stdout, 'npx --yes tidemark@latest install --yes --no-history\n');
});

for (const [what, given, said] of [
  ['no Node', { npx: '' }, /Node was not found[^]*Install Node 22\.13/],
  ['an old Node', { node: 'v20.19.1', npx: '' }, /Node 20\.19\.1 is too old/],
  ['an almost new Node', { node: 'v22.12.9', npx: '' }, /Node 22\.12\.9 is too old/],
  ['no npx', { node: 'v24.0.0' }, /npx was not found/],
] as const) {
  test(`${what}: says what to do and stops`, async (t) => {
    const machine = Machine.open(t);
    const { code, stdout, stderr } = await run(machine, programs(machine, given));
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, said);
  });
}
