/** The client at a terminal: interrupts, denials, `!cmd`, commands, /clear, /compact, /exit, and a killed terminal. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { callDaemon } from '../../support/call.ts';
import { openStage } from '../../support/claude.ts';
import { isAlive } from '../../support/daemon.ts';
import { contextOf } from '../../support/hook-context.ts';
import { processesWith } from '../../support/left-behind.ts';
import { claudeCode, IS_LONG_RUN, part, TESTED_VERSIONS } from '../../support/parts.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertTurns, sessionOf, sessionsOf, settle, turnsOf } from './_captured.ts';
import { ask, deny, interrupt, leave, modelIsAsked, script, sitDown } from './_person.ts';

/** Longer than any test: the user interrupts it. */
const FOREVER_MS = 600_000;

const tmux = part('tmux');
const newer = claudeCode('2.1.325');
const older = claudeCode('2.1.197');

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip: missing } = claudeCode(version);

  describe(`Claude Code ${version} at a terminal`, () => {
    test('each turn is stored at its own Stop', { skip: tmux.skip ?? missing }, async (t) => {
      const stage = await openStage(t, { claude });
      script(stage, 'What is', { text: 'The same to everybody.' });
      const { terminal, session } = await sitDown(t, stage, { tmux: tmux.path, claude });
      await settle(stage);
      const question = { dir: stage.project, limit: 1 };
      const kept = async () => (await callDaemon(stage.places, 'read.sessions', question))[0]?.turns;
      for (const [before, prompt] of ['What is one?', 'What is two?', 'What is three?'].entries()) {
        await ask(terminal, prompt, 'The same to everybody.');
        await waitFor('the turn to be stored', async () => (await kept()) === before + 1, {
          explain: () => stage.logs(),
        });
      }
      await leave(terminal);
      assert.equal((await turnsOf(stage, session)).length, 3);
    });
  });
}

describe('Claude Code 2.1.325 at a terminal', () => {
  const skip = tmux.skip ?? newer.skip;
  const programs = { tmux: tmux.path, claude: newer.path };

  test(
    'a prompt, a command of the project and `!cmd` are turns; /exit ends the session',
    { skip },
    async (t) => {
      const stage = await openStage(t, { claude: newer.path });
      const commands = join(stage.project, '.claude', 'commands');
      mkdirSync(commands, { recursive: true });
      writeFileSync(join(commands, 'greet.md'), 'Say hello to $ARGUMENTS.\n');
      script(stage, 'What is up', { text: 'Not much.' });
      script(stage, 'Say hello', { text: 'Hello, my friend.' });
      script(stage, '<bash-input>', { text: 'A bang was heard.' });
      const { terminal, session } = await sitDown(t, stage, programs);
      await ask(terminal, 'What is up here?', 'Not much.');
      await ask(terminal, '/greet world', 'Hello, my friend.');
      await terminal.type('!');
      await ask(terminal, 'echo bang', 'A bang was heard.');
      await leave(terminal);

      await assertTurns(stage, session, [
        { prompt: 'What is up here?', answer: 'Not much.', outcome: 'answered' },
        { prompt: '/greet world', answer: 'Hello, my friend.', outcome: 'answered' },
        { prompt: '!echo bang', answer: 'A bang was heard.', outcome: 'answered', tools: ['Bash ok'] },
      ]);
      const { status, reason, turns } = await sessionOf(stage, session);
      assert.deepEqual(
        { status, reason, turns },
        { status: 'completed', reason: 'prompt_input_exit', turns: 3 },
      );
    },
  );

  test('what was interrupted or denied is kept with what was done until then', { skip }, async (t) => {
    const stage = await openStage(t, { claude: newer.path });
    const bash = (command: string) => ({ tools: [{ name: 'Bash', input: { command } }] });
    const late = { text: 'Too late.', delayMs: FOREVER_MS };
    script(stage, 'Hasty', late);
    script(stage, 'Think', { text: 'Looking.', ...bash('echo looked') }, late);
    script(stage, 'Run', bash('for i in 1 2 3; do sleep 200; done'));
    script(stage, 'Remove', bash('rm -rf ./precious'));
    script(stage, 'Go on', { text: 'On we go.' });
    const { terminal, session } = await sitDown(t, stage, programs);
    await terminal.submit('Hasty words');
    await modelIsAsked(stage, 'Hasty', 0);
    await terminal.press('Escape');
    await terminal.waitFor(/❯\sHasty words\s*\n─/); // taken back: it is in the input box again
    await terminal.press('C-u');
    await terminal.waitFor(/❯\s*\n─/);
    await terminal.submit('Think about it');
    await modelIsAsked(stage, 'Think', 1);
    await interrupt(terminal);
    await terminal.submit('Run for long');
    const isRunning = () =>
      processesWith('TIDEMARK_HOME', stage.places.home).some(({ command }) => command === 'sleep 200');
    await waitFor('the tool to run', isRunning);
    await interrupt(terminal);
    await terminal.submit('Remove it all');
    await deny(terminal);
    await ask(terminal, 'Go on please', 'On we go.');
    await leave(terminal);

    await assertTurns(stage, session, [
      { prompt: 'Hasty words', answer: '', outcome: 'interrupted' },
      { prompt: 'Think about it', answer: 'Looking.', outcome: 'interrupted', tools: ['Bash ok'] },
      { prompt: 'Run for long', answer: '', outcome: 'interrupted', tools: ['Bash interrupted'] },
      { prompt: 'Remove it all', answer: '', outcome: 'denied', tools: ['Bash denied'] },
      { prompt: 'Go on please', answer: 'On we go.', outcome: 'answered' },
    ]);
  });

  test('/clear begins a session with a brief; /compact goes on in the same one', { skip }, async (t) => {
    const stage = await openStage(t, { claude: newer.path });
    script(stage, 'We decided', { text: 'Noted: tabs.' });
    script(stage, 'Second', { text: 'The second answer.' });
    script(stage, 'Third', { text: 'The third answer.' });
    const { terminal, session } = await sitDown(t, stage, programs);
    const decision = 'We decided to indent with tabs because they suit everyone.';
    await ask(terminal, decision, 'Noted: tabs.');
    const stored = () => callDaemon(stage.places, 'read.stats', {});
    await waitFor('the memory', async () => (await stored()).memories > 0, { explain: () => stage.logs() });
    await terminal.submit('/clear');
    const cleared = await waitFor('the session after /clear', async () =>
      (await sessionsOf(stage)).find(({ source }) => source === 'clear'),
    );
    await ask(terminal, 'Second question', 'The second answer.');
    const asked = await modelIsAsked(stage, 'Second', 0);
    assert.match(contextOf(asked, 'SessionStart'), /indent with tabs/i);
    await terminal.submit('/compact');
    await waitFor('the compaction', async () => (await sessionOf(stage, cleared.id)).source === 'compact');
    await ask(terminal, 'Third question', 'The third answer.');
    await leave(terminal);

    await assertTurns(stage, session, [{ prompt: decision, answer: 'Noted: tabs.', outcome: 'answered' }]);
    const { status, reason } = await sessionOf(stage, session);
    assert.deepEqual({ status, reason }, { status: 'completed', reason: 'clear' });
    await assertTurns(stage, cleared.id, [
      { prompt: 'Second question', answer: 'The second answer.', outcome: 'answered' },
      { prompt: 'Third question', answer: 'The third answer.', outcome: 'answered' },
    ]);
    assert.equal((await sessionOf(stage, cleared.id)).status, 'completed');
  });

  test(
    'a client killed in the middle of a turn: the statement counts, the next session goes on',
    { skip },
    async (t) => {
      const stage = await openStage(t, { claude: newer.path });
      const looking = { text: 'Looking.', tools: [{ name: 'Bash', input: { command: 'echo seen' } }] };
      script(stage, 'From now on', looking, { text: 'Too late.', delayMs: FOREVER_MS });
      script(stage, 'Where were we', { text: 'At the prices.' });
      const said = 'From now on we never use floats for money. Please move the prices to integers.';
      const { terminal, session } = await sitDown(t, stage, programs);
      await terminal.submit(said);
      await modelIsAsked(stage, 'From now on', 1);
      const { transcript = '' } = await sessionOf(stage, session);
      await waitFor('the transcript to hold the result', () => textOf(transcript).includes('tool_result'));
      await callDaemon(stage.places, 'sweep', {});
      assert.deepEqual(await turnsOf(stage, session), [], 'the client is working');
      const pid = await terminal.pid();
      process.kill(pid, 'SIGKILL');
      await waitFor('the client to be gone', () => !isAlive(pid));

      const next = await stage.run('Where were we?');
      const context = contextOf(next.requests[0], 'SessionStart');
      assert.match(context, /^- Interrupted while: From now on we never use floats for money\./m);
      await assertTurns(stage, session, [
        { prompt: said, answer: 'Looking.', outcome: 'interrupted', tools: ['Bash ok'] },
      ]);
      const { status, reason } = await sessionOf(stage, session);
      assert.deepEqual({ status, reason }, { status: 'interrupted', reason: 'killed' });
      const { hits } = await callDaemon(stage.places, 'read.search', {
        query: 'floats money',
        dir: stage.project,
      });
      assert.deepEqual(
        hits.map(({ memory }) => memory.provenance.session),
        [session],
        'remembered once',
      );
      assert.match(
        context,
        /never use floats for money.*\n(?:.*\n)*## Decisions and preferences|## Decisions and preferences(?:.*\n)*.*never use floats for money/i,
      );
    },
  );

  test('a long turn is remembered while it runs', { skip }, async (t) => {
    const stage = await openStage(t, { claude: newer.path });
    const looking = { text: 'Looking.', tools: [{ name: 'Bash', input: { command: 'echo seen' } }] };
    script(stage, 'From now on', looking, { text: 'Done at last.', delayMs: FOREVER_MS });
    const said = 'From now on we never use floats for money.';
    const { terminal, session } = await sitDown(t, stage, programs);
    await terminal.submit(said);
    await modelIsAsked(stage, 'From now on', 1);
    const { transcript = '' } = await sessionOf(stage, session);
    await waitFor('the transcript to hold the result', () => textOf(transcript).includes('tool_result'));
    const now = new Date(Date.now() + 4 * 60 * 1000).toISOString();
    await callDaemon(stage.places, 'sweep', { now });
    const turn = { prompt: said, answer: 'Looking.', tools: ['Bash ok'] };
    await assertTurns(stage, session, [{ ...turn, outcome: 'open' }]);
    const live = async () => (await callDaemon(stage.places, 'read.memories', { dir: stage.project })).length;
    assert.equal(await live(), 1);
    await interrupt(terminal);
    await leave(terminal);
    await assertTurns(stage, session, [{ ...turn, outcome: 'interrupted' }]);
    assert.equal(await live(), 1);
    assert.equal((await sessionOf(stage, session)).status, 'completed');
  });
});

if (IS_LONG_RUN)
  describe('Claude Code 2.1.197 at a terminal', () => {
    const skip = tmux.skip ?? older.skip;

    test('a prompt, an interrupt and /exit', { skip }, async (t) => {
      const stage = await openStage(t, { claude: older.path });
      const looking = { text: 'Looking.', tools: [{ name: 'Bash', input: { command: 'echo looked' } }] };
      script(stage, 'What is up', { text: 'Not much.' });
      script(stage, 'Think', looking, { text: 'Too late.', delayMs: FOREVER_MS });
      const { terminal, session } = await sitDown(t, stage, { tmux: tmux.path, claude: older.path });
      await ask(terminal, 'What is up here?', 'Not much.');
      await terminal.submit('Think about it');
      await modelIsAsked(stage, 'Think', 1);
      await interrupt(terminal);
      await leave(terminal);

      await assertTurns(stage, session, [
        { prompt: 'What is up here?', answer: 'Not much.', outcome: 'answered' },
        { prompt: 'Think about it', answer: 'Looking.', outcome: 'interrupted', tools: ['Bash ok'] },
      ]);
      const { status, reason, turns } = await sessionOf(stage, session);
      assert.deepEqual(
        { status, reason, turns },
        { status: 'completed', reason: 'prompt_input_exit', turns: 2 },
      );
    });
  });

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
