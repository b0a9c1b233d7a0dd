import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fillIn } from './program.ts';

describe('a damaged program', () => {
  it('gets back what is missing from another copy, and keeps what it has', (t) => {
    const root = mkdtempSync(join(tmpdir(), 'program-'));
    t.after(() => rmSync(root, { recursive: true }));
    const [copy, plugin] = [join(root, 'copy'), join(root, 'plugin')];
    for (const folder of [join(copy, 'hooks'), join(copy, 'dist'), join(plugin, 'dist')])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(copy, 'hooks', 'hook.sh'), 'exit 0\n');
    chmodSync(join(copy, 'hooks', 'hook.sh'), 0o755);
    writeFileSync(join(copy, 'dist', 'cli.cjs'), 'theirs');
    writeFileSync(join(plugin, 'dist', 'cli.cjs'), 'ours');
    fillIn(plugin, copy);
    assert.equal(readFileSync(join(plugin, 'hooks', 'hook.sh'), 'utf8'), 'exit 0\n');
    assert.equal(statSync(join(plugin, 'hooks', 'hook.sh')).mode & 0o777, 0o700);
    assert.equal(readFileSync(join(plugin, 'dist', 'cli.cjs'), 'utf8'), 'ours');
  });
});
