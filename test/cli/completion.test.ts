/** Completion scripts, asked for real: bash always, zsh and fish where they are installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';

for (const [line, expected, absent] of [
  [['s'], ['search', 'show', 'sessions', 'stats'], ['forget']],
  [['he'], ['help'], ['search']],
  [
    ['help', 's'],
    ['search', 'server'],
    ['forget', '--all'],
  ],
  [['search', '--'], ['--all', '--limit', '--json', '--help'], ['--yes']],
  [['import', ''], ['history'], ['search']],
  [['config', 'set', 'recall.'], ['recall.enabled', 'recall.briefTokens'], ['hub.port']],
  [['completion', ''], ['bash', 'zsh', 'fish'], []],
  [['import', 'history', '--'], ['--since', '--dry-run', '--project'], ['--yes']],
  [['backup', 'list', '--'], ['--from'], ['--to']],
  [['install', '--agent', 'c'], ['claude-code'], ['--all', 'history']],
  [['uninstall', '--dry-run', '--agent', ''], ['claude-code'], ['--purge']],
  [['review', ''], ['approve', 'reject'], ['history']],
  [['config', 'set', 'log.level', ''], ['--json'], ['log.level', 'hub.port']],
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

/** Bash is everywhere we run; the others are asked where they are installed. */
const ASKED = [
  [
    'zsh',
    // The completion system on a terminal of its own: what Tab would list.
    `autoload -U compinit; compinit -u -d "$2"; source "$1"; compdef _tidemark tidemark; whence -w _tidemark`,
    /_tidemark: function/,
  ],
  ['fish', `source $argv[1]; complete -C 'tidemark config set recall.b'`, /^recall\.briefTokens$/m],
  ['fish', `source $argv[1]; complete -C 'tidemark import history --si'`, /^--since\tOnly sessions/],
  ['fish', `source $argv[1]; complete -C 'tidemark install --agent claude'`, /^claude-code/m],
  ['fish', `source $argv[1]; complete -C 'tidemark serve'`, /^server\tServe shared memory/],
  ['fish', `source $argv[1]; complete -C 'tidemark failed '`, /^drop\nlist\nretry\nshow\n$/],
] as const;

for (const [shell, script, expected] of ASKED.filter(
  ([shell]) => spawnSync(shell, ['--version']).status === 0,
)) {
  test(`${shell} takes the script and completes with it: ${script.slice(-40)}`, async (t) => {
    const machine = Machine.open(t);
    const file = join(machine.root, 'completion');
    writeFileSync(file, (await machine.cli(['completion', shell])).stdout);
    assert.equal(spawnSync(shell, ['-n', file]).status, 0, 'nothing is wrong with its grammar');
    const args =
      shell === 'zsh' ? ['-fc', script, 'zsh', file, join(machine.root, 'dump')] : ['-N', '-c', script, file];
    const { stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', env: machine.env });
    assert.match(stdout, expected, stderr);
  });
}

test('an unknown shell is a usage error', async (t) => {
  const { code, stderr } = await Machine.open(t).cli(['completion', 'tcsh']);
  assert.equal(code, 2);
  assert.match(stderr, /completion bash, zsh or fish/);
});
