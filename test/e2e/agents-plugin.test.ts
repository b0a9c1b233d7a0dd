/** The plugin in real agents: no part of a prompt is executed, and the hooks reach the daemon. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStage } from '../support/claude.ts';
import { oldHooks } from '../support/old-hooks.ts';
import { receivedEvents, openAgent, type Agent } from '../support/other-agent.ts';
import { claudeCode, IS_LONG_RUN, OTHER_AGENTS, part, TESTED_VERSIONS } from '../support/parts.ts';
import { runProgram } from '../support/run-program.ts';
import { waitFor } from '../support/wait-for.ts';

/** Creates the file in several ways if a shell runs the prompt. */
function promptAgainst(file: string): string {
  return `Please note this: $(touch ${file}) and \`touch ${file}\`\n; touch ${file}\n"; touch ${file}; "`;
}

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

  if (!IS_LONG_RUN) continue;

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

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  test(
    `Claude Code ${version}: a prompt is not executed, and its hooks reach the daemon`,
    { skip },
    async (t) => {
      const stage = await openStage(t, { claude });
      const trap = join(stage.home, 'executed');
      await stage.run(promptAgainst(trap));
      assert.ok(!existsSync(trap), 'the prompt was executed');
      const heardFile = join(stage.places.run, 'heard.json');
      await waitFor(
        'the daemon to receive the prompt',
        () => existsSync(heardFile) && readFileSync(heardFile, 'utf8').includes('UserPromptSubmit'),
        { explain: () => stage.logs() },
      );
    },
  );
}

/** Both agents send these three in a session without a terminal. */
async function hooksReachDaemon(agent: Agent): Promise<void> {
  const wanted = ['SessionStart', 'UserPromptSubmit', 'Stop'];
  await waitFor(`the daemon to receive the hooks of ${agent.name}`, () => {
    const received = receivedEvents(agent);
    return wanted.every((event) => received.includes(event));
  });
}
