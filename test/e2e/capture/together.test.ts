/** Many clients at once, all starting the daemon: one daemon runs, and every turn is stored exactly once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage, type Stage } from '../../support/claude.ts';
import { daemonPid } from '../../support/daemon.ts';
import { processesWith } from '../../support/left-behind.ts';
import { claudeCode } from '../../support/parts.ts';
import { assertTurns, sessionsOf } from './_captured.ts';

const { path: claude, skip } = claudeCode('2.1.325');

test('eight sessions in one project at once, with no daemon running', { skip }, async (t) => {
  const stage = await openStage(t, { claude });
  const names = Array.from({ length: 8 }, (_, i) => `n${i}`);
  const ran = await Promise.all(names.map((name) => stage.run(promptOf(name, 1), bash)));
  for (const [i, { session }] of ran.entries())
    await assertTurns(stage, session, [turnOf(names[i] ?? '', 1)]);
  await assertSessions(stage, 8, 1);
});

test('two sessions in one project at once, and both resumed at once', { skip }, async (t) => {
  const stage = await openStage(t, { claude });
  const both = (round: number, args: (i: number) => readonly string[]) =>
    Promise.all(
      ['a', 'b'].map((name, i) => stage.run(promptOf(name, round), { args: [...bash.args, ...args(i)] })),
    );
  const [a, b] = (await both(1, () => [])).map(({ session }) => session);
  assert.ok(a && b && a !== b);
  await both(2, (i) => ['--resume', i === 0 ? a : b]);
  await assertTurns(stage, a, [turnOf('a', 1), turnOf('a', 2)]);
  await assertTurns(stage, b, [turnOf('b', 1), turnOf('b', 2)]);
  await assertSessions(stage, 2, 2);
});

const bash = { args: ['--allowedTools', 'Bash'] };

function promptOf(name: string, round: number): string {
  return `Round ${round} of ${name} [[tool Bash {"command":"echo ${name}"}]] [[say ${name} did ${round}.]]`;
}

function turnOf(name: string, round: number) {
  const answer = `${name} did ${round}.`;
  return { prompt: promptOf(name, round), answer, outcome: 'answered', tools: ['Bash ok'] } as const;
}

async function assertSessions(stage: Stage, count: number, turns: number): Promise<void> {
  const sessions = await sessionsOf(stage);
  assert.deepEqual(
    sessions.map((session) => `${session.status} ${session.turns}`),
    Array<string>(count).fill(`completed ${turns}`),
  );
  const daemons = processesWith('TIDEMARK_HOME', stage.places.home).filter(({ command }) =>
    command.includes('daemon.cjs'),
  );
  assert.deepEqual(
    daemons.map(({ pid }) => pid),
    [daemonPid(stage.places)],
  );
}
