/** Import of past sessions of several agents: found, counted and stored per agent. */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CODING_AGENTS } from '../../src/agents/index.ts';
import type { Memory } from '../../src/core/index.ts';
import type { ImportReport } from '../../src/exchange/import/index.ts';
import { addClineSession, addOpenCodeSessions, placeSessions } from '../support/agent-sessions.ts';
import { Machine, type Ran } from '../support/machine.ts';
import { inventedDecision, SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

const MOST = 1000;

function open(t: TestContext) {
  const machine = Machine.open(t);
  const { config, project: cwd, home } = machine;
  const transcript = new SyntheticTranscript({ config, cwd, session: uuid('claude') });
  transcript.append({ prompt: inventedDecision('claude').text, answer: 'Noted.' });
  transcript.finish();
  const history = (...args: readonly string[]): Promise<Ran> => machine.cli(['import', 'history', ...args]);
  addOpenCodeSessions(home, cwd);
  const placed = new Set<string>(['claude-code', 'opencode', ...placeSessions(home, cwd)]);
  return {
    machine,
    agents: CODING_AGENTS.map(({ id }) => id).filter((id) => placed.has(id)),
    history,
    report: async (...args: readonly string[]): Promise<ImportReport> =>
      JSON.parse((await history('--json', ...args)).stdout) as ImportReport,
    stored: () => machine.call('read.sessions', { limit: MOST }),
  };
}

test('a dry run prints one line per agent, and an import stores the agent of each session', async (t) => {
  const { agents, history, report, stored } = open(t);
  const planned = (await history('--dry-run')).stdout;
  assert.equal(agents.length, CODING_AGENTS.length, 'every agent has recorded sessions');
  for (const { title } of CODING_AGENTS)
    assert.match(planned, new RegExp(`^  ${title} +\\d+ sessions?, .*B, \\d+ of them new or longer`, 'm'));
  assert.match(planned, /^\d+ sessions of 1 project would be read/);
  assert.deepEqual(await stored(), []);

  const first = await report();
  assert.deepEqual(
    first.agents.map(({ agent }) => agent),
    agents,
  );
  const of = (agent: string) => first.agents.find((one) => one.agent === agent);
  assert.deepEqual([of('cline')?.sessions, of('cline')?.unread, of('cline')?.turns], [4, 4, 11]);
  const sessions = await stored();
  for (const agent of agents)
    assert.ok(
      sessions.some((session) => session.agent === agent),
      agent,
    );

  const second = await report();
  assert.deepEqual([second.turns, second.memories, second.unread], [0, 0, 0]);
  const again = (await history('--dry-run')).stdout;
  assert.match(again, /^  Cline +4 sessions, .*B, all known$/m);
});

test('--agent limits the import, and an unknown name is an error with the list', async (t) => {
  const { history, report, stored } = open(t);
  const two = await report('--agent', 'cline,codex');
  assert.deepEqual(
    two.agents.map(({ agent }) => agent),
    ['codex', 'cline'],
  );
  await report('--agent', 'Cline', '--agent', 'pi');
  const agents = new Set((await stored()).map(({ agent }) => agent));
  assert.deepEqual([...agents].toSorted(), ['cline', 'codex', 'pi']);
  const unknown = await history('--agent', 'clin');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /unknown agent "clin"; did you mean cline\?/);
  assert.match(unknown.stderr, /Known agents: claude-code, codex, .*cline/);
});

test('--session imports a session of any agent', async (t) => {
  const { history, report, stored } = open(t);
  assert.equal((await report('--session', '1794883121893')).turns, 2);
  assert.equal((await report('--session', '3db8ff8f')).turns, 10);
  assert.deepEqual((await stored()).map(({ agent }) => agent).toSorted(), ['cline', 'gemini']);
  const missing = await history('--session', 'nope');
  assert.equal(missing.code, 3);
  assert.match(missing.stderr, /no agent has a session nope on this machine/);
  const other = await history('--session', '1794883121893', '--agent', 'gemini');
  assert.match(other.stderr, /Gemini CLI has no session 1794883121893/);
});

test('verbs name the agent where a project has several, and --agent limits them', async (t) => {
  const { machine, report } = open(t);
  const { text, word } = inventedDecision('cline');
  addClineSession(machine.home, machine.project, 'mine', text);
  const cli = async (...args: readonly string[]) => (await machine.cli(args)).stdout;
  await report('--agent', 'claude-code');
  assert.doesNotMatch(await cli('sessions'), /Claude Code/);
  await report('--agent', 'cline');

  assert.match(await cli('sessions', '--agent', 'cline'), /· Cline · 1 turn/);
  assert.doesNotMatch(await cli('sessions', '--agent', 'cline'), /Claude Code/);
  assert.match(await cli('sessions'), /· Claude Code · 1 turn/);
  const found = JSON.parse(await cli('search', word, '--agent', 'cline', '--json')) as {
    readonly hits: readonly { readonly memory: Memory }[];
    readonly turns: readonly unknown[];
  };
  const [hit] = found.hits;
  assert.equal(hit?.memory.provenance.agent, 'cline');
  assert.equal(found.turns.length, 1);
  assert.match((await machine.cli(['search', word, '--agent', 'codex'])).stderr, /No matches/);
  assert.match(await cli('show', hit.memory.id), /from session mine of Cline by/);
  assert.match(await cli('timeline', hit.memory.id), /Cline ← this one/);
});

test('import without a name lists the agents with past sessions', async (t) => {
  const { machine } = open(t);
  const { stdout } = await machine.cli(['import']);
  assert.match(stdout, /^history +Claude Code: 1 session .*config$/m);
  assert.match(stdout, /^history +Cline: 4 sessions .*\.cline/m);
});

test('sessions of OpenCode in the database that OPENCODE_DB names are found beside the others', async (t) => {
  const machine = Machine.open(t);
  const { home, root, project } = machine;
  addOpenCodeSessions(home, project);
  const elsewhere = join(root, 'elsewhere.db');
  renameSync(join(home, '.local/share/opencode/opencode.db'), elsewhere);
  const args = ['import', 'history', '--agent', 'opencode', '--json'];
  const before = JSON.parse((await machine.cli(args)).stdout) as ImportReport;
  assert.equal(before.turns, 0);
  machine.setEnv({ OPENCODE_DB: elsewhere });
  const { stdout } = await machine.cli(['import']);
  assert.match(stdout, /OpenCode: \d+ sessions +.*elsewhere\.db/);
  const after = JSON.parse((await machine.cli(args)).stdout) as ImportReport;
  assert.ok(after.turns > 0);
});
