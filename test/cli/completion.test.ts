/** Completion scripts: bash for real, zsh and fish where they are installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';

for (const [line, expected, absent] of [
  [['s'], ['search', 'show', 'sessions', 'stats'], ['forget']],
  [['search', '--'], ['--all', '--limit', '--json', '--help'], ['--yes']],
  [['import', ''], ['history'], ['search']],
  [['config', 'set', 'recall.'], ['recall.enabled', 'recall.briefTokens'], ['hub.port']],
  [['completion', ''], ['bash', 'zsh', 'fish'], []],
] as const) {
  test(`bash completes: tidemark ${line.join(' ')}`, async (t) => {
    const machine = Machine.open(t);
    const script = join(machine.root, 'completion.bash');
    writeFileSync(script, (await machine.cli(['completion', 'bash'])).stdout);
    const ask = `source "$1"; shift; COMP_WORDS=(tidemark "$@"); COMP_CWORD=$#; _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, status } = spawnSync('bash', ['-c', ask, 'bash', script, ...line], { encoding: 'utf8' });
    assert.equal(status, 0);
    const offered = stdout.trim().split('\n');
    for (const word of expected) assert.ok(offered.includes(word), `${word} in ${offered.join(' ')}`);
    for (const word of absent) assert.ok(!offered.includes(word), word);
  });
}

for (const shell of ['zsh', 'fish'] as const) {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  test(`${shell} finds nothing wrong`, { skip: isThere ? undefined : `${shell} is not here` }, async (t) => {
    const machine = Machine.open(t);
    const script = join(machine.root, 'completion');
    writeFileSync(script, (await machine.cli(['completion', shell])).stdout);
    assert.equal(spawnSync(shell, ['-n', script]).status, 0);
  });
}

test('a shell nobody knows is wrong use', async (t) => {
  const { code, stderr } = await Machine.open(t).cli(['completion', 'tcsh']);
  assert.equal(code, 2);
  assert.match(stderr, /completion bash\|zsh\|fish/);
});
