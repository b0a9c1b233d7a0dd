/** A newer daemon makes the hooks safe that another agent copied from an older version of the plugin. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { currentHooks, oldHooks } from '../support/old-hooks.ts';
import { waitFor } from '../support/wait-for.ts';

test('a daemon that starts replaces unsafe hooks in the copies of Codex and Qwen Code', async (t) => {
  const machine = Machine.open(t);
  machine.setEnv({ CODEX_HOME: join(machine.home, 'codex') });
  const manifests = [
    join(machine.home, 'codex', 'plugins', 'cache', 'tidemark', 'tidemark', '0.1.0', 'hooks', 'hooks.json'),
    join(machine.home, '.qwen', 'extensions', 'tidemark', 'hooks', 'hooks.json'),
  ];
  for (const path of manifests) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, oldHooks());
  }
  // Through a hook, because the daemon inherits only a few of its variables.
  await machine.hook('SessionStart', { session_id: 'old-hooks', source: 'startup' });
  for (const path of manifests)
    await waitFor('the hooks to be replaced', () => !readFileSync(path, 'utf8').includes('"args"'), {
      explain: () => machine.logs(),
    });
  for (const path of manifests)
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(currentHooks()));
  await waitFor('the log to say so', () => /unsafe hooks of an older version replaced/.test(machine.logs()));
});
