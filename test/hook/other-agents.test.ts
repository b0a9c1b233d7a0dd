/** Each hook command, run as agents do that support only a command string: the prompt is never executed. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOOK_NAMES, type HookName } from '../../src/core/index.ts';
import { CONTEXT, input, root, World } from './_world.ts';

interface Manifest {
  readonly hooks: Record<string, readonly { readonly hooks: readonly { readonly command?: string }[] }[]>;
}

const text = readFileSync(join(root, 'plugin', 'hooks', 'hooks.json'), 'utf8');

/** Only `command` is read, as Codex and Qwen Code do. */
function commandOf(manifest: string, event: string): string {
  const { hooks } = JSON.parse(manifest) as Manifest;
  return hooks[event]?.[0]?.hooks[0]?.command ?? '';
}

function attack(world: World, event: HookName): string {
  const file = join(world.folder, 'executed');
  return input(event, { prompt: `$(touch ${file}) \`touch ${file}\`\n; touch ${file}` });
}

for (const event of HOOK_NAMES) {
  const ways = [
    [
      'replaces the variable in the text and does not set it',
      (world: World) => ({
        command: commandOf(text, event).replaceAll('${CLAUDE_PLUGIN_ROOT}', world.plugin),
        env: {},
      }),
    ],
    [
      'sets the variable in the environment',
      (world: World) => ({ command: commandOf(text, event), env: { CLAUDE_PLUGIN_ROOT: world.plugin } }),
    ],
  ] as const;
  for (const [way, prepare] of ways) {
    test(`${event}: an agent that ${way} delivers the event and executes nothing of it`, async (t) => {
      const world = await World.open(t);
      await world.serve();
      const { command, env } = prepare(world);
      const body = attack(world, event);
      const { code, stdout } = await world.run('sh', ['-c', command], body, env);
      assert.ok(!existsSync(join(world.folder, 'executed')), 'the prompt was executed');
      assert.deepEqual([code, stdout], [0, `${CONTEXT}\n`]);
      assert.equal(world.received[0]?.url, `/v1/hook/${event}`);
      assert.equal(World.bodyOf(world.received[0]).toString(), body);
      assert.ok(world.received[0].body.toString().includes(`\nprogram: ${world.plugin}/dist\n`));
    });
  }
}

test('without a daemon the event is kept, and nothing of it is executed', async (t) => {
  const world = await World.open(t);
  const command = commandOf(text, 'Stop').replaceAll('${CLAUDE_PLUGIN_ROOT}', world.plugin);
  const { code } = await world.run('sh', ['-c', command], attack(world, 'Stop'));
  assert.equal(code, 0);
  assert.ok(!existsSync(join(world.folder, 'executed')), 'the prompt was executed');
  assert.equal(world.kept()[0]?.input.hook_event_name, 'Stop');
});

test('a folder with a space, a quote and a dollar sign is found', async (t) => {
  const world = await World.open(t);
  const plugin = join(world.folder, `a "b" $(touch executed) 'c'`);
  await world.run('cp', ['-R', world.plugin, plugin], '');
  await world.serve();
  await world.run('sh', ['-c', commandOf(text, 'Stop')], '{}', { CLAUDE_PLUGIN_ROOT: plugin });
  assert.ok(world.received[0]?.body.toString().includes(`\nprogram: ${plugin}/dist\n`));
  assert.ok(!existsSync(join(world.projectDir, 'executed')), 'the path was executed');
});
