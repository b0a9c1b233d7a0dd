import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachCommand } from './reach-command.ts';

const COMMAND = '/home/a/my $tools/bin/tidemark';

test('each shell gets the line and the file that it reads', () => {
  const line = 'export PATH="/home/a/my \\$tools/bin:$PATH"';
  for (const [shell, platform, profile] of [
    ['/bin/zsh', 'darwin', '~/.zshrc'],
    ['/usr/bin/bash', 'linux', '~/.bashrc'],
    ['/bin/bash', 'darwin', '~/.bash_profile'],
    ['', 'linux', '~/.profile'],
  ] as const)
    assert.deepEqual(reachCommand(COMMAND, { SHELL: shell }, platform), { profile, line });
  assert.deepEqual(reachCommand(COMMAND, { SHELL: '/usr/bin/fish' }, 'linux'), {
    line: "fish_add_path '/home/a/my $tools/bin'",
  });
});
