/** The plugin for Claude Code in agents that load it too: no part of a prompt is executed, and the hooks reach the daemon. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { oldHooks } from '../support/old-hooks.ts';
import { promptAgainst } from '../support/hostile-text.ts';
import { receivedEvents, openAgent, type Agent } from '../support/other-agent.ts';
import { OTHER_AGENTS, part } from '../support/parts.ts';
import { runProgram } from '../support/run-program.ts';
import { waitFor } from '../support/wait-for.ts';

for (const { name, version } of OTHER_AGENTS) {
  const { path: program, skip } = part(`${name}-${version}`);

  test(
    `${name} ${version}: a prompt is not executed, and its hooks reach the daemon`,
    { skip },
    async (t) => {
      const agent = await openAgent(t, name, program);
      await agent.install();
      await agent.run(promptAgainst(agent.trap));
      assert.ok(!existsSync(agent.trap), 'the prompt was executed');
      assert.match(agent.mock.requests.join('\n'), /Please note this/);
      await hooksReachDaemon(agent);
    },
  );

  test(`${name} ${version}: doctor makes the hooks of an older version safe`, { skip }, async (t) => {
    const agent = await openAgent(t, name, program);
    writeFileSync(join(agent.market, 'plugin', 'hooks', 'hooks.json'), oldHooks());
    await agent.install();
    await agent.run(promptAgainst(agent.trap));
    assert.ok(existsSync(agent.trap), 'the old form executes the prompt');
    rmSync(agent.trap);

    const cli = join(agent.market, 'plugin', 'dist', 'cli.cjs');
    const doctor = () => runProgram(process.execPath, [cli, 'doctor'], { cwd: agent.home, env: agent.env() });
    assert.match((await doctor()).stdout, /· hook form +unsafe hooks of an older version were replaced in /);
    assert.doesNotMatch((await doctor()).stdout, /hook form/);
    assert.doesNotMatch(readFileSync(agent.manifest, 'utf8'), /"args"/);

    await agent.run(promptAgainst(agent.trap));
    assert.ok(!existsSync(agent.trap), 'the prompt was executed');
    await hooksReachDaemon(agent);
  });
}

/** Both agents send these three in a session without a terminal. */
async function hooksReachDaemon(agent: Agent): Promise<void> {
  const wanted = ['SessionStart', 'UserPromptSubmit', 'Stop'];
  await waitFor(`the daemon to receive the hooks of ${agent.name}`, () => {
    const received = receivedEvents(agent);
    return wanted.every((event) => received.includes(event));
  });
}
