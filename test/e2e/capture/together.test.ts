/** Many clients at once, all starting the daemon: one daemon, and every turn exactly once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage, type Stage } from '../../support/claude.ts';
import { daemonPid } from '../../support/daemon.ts';
import { processesWith } from '../../support/left-behind.ts';
import { claudeCode } from '../../support/parts.ts';
import { assertTurns, sessionsOf, settle } from './_captured.ts';

const { path: claude, skip } = claudeCode('2.1.325');

for (const clients of [2, 8]) {
  test(`${clients} sessions in one project at once`, { skip }, async (t) => {
    const stage = await openStage(t, { claude });
    const names = Array.from({ length: clients }, (_, i) => `n${i}`);
    const first = await Promise.all(names.map((name) => stage.run(promptOf(name, 1), bash)));
    const second = await Promise.all(
      first.map(({ session }, i) => {
        const name = names[i] ?? '';
        return stage.run(promptOf(name, 2), { args: [...bash.args, '--resume', session] });
      }),
    );
    assert.deepEqual(
      second.map(({ session }) => session),
      first.map(({ session }) => session),
    );
    for (const [i, { session }] of first.entries()) {
      const name = names[i] ?? '';
      await assertTurns(stage, session, [turnOf(name, 1), turnOf(name, 2)]);
    }
    const sessions = await sessionsOf(stage);
    assert.equal(sessions.length, clients);
    assert.ok(sessions.every(({ status, turns }) => status === 'completed' && turns === 2));
    await assertOneDaemon(stage);
  });
}

const bash = { args: ['--allowedTools', 'Bash'] };

function promptOf(name: string, round: number): string {
  return `Round ${round} of ${name} [[tool Bash {"command":"echo ${name}"}]] [[say ${name} did ${round}.]]`;
}

function turnOf(name: string, round: number) {
  const answer = `${name} did ${round}.`;
  return { prompt: promptOf(name, round), answer, outcome: 'answered', tools: ['Bash ok'] } as const;
}

async function assertOneDaemon(stage: Stage): Promise<void> {
  await settle(stage);
  const daemons = processesWith('TIDEMARK_HOME', stage.places.home).filter(({ command }) =>
    command.includes('daemon.cjs'),
  );
  assert.deepEqual(
    daemons.map(({ pid }) => pid),
    [daemonPid(stage.places)],
  );
}
