/** The agent notes what matters, with the real client: the instruction reaches it, and its notes become memories. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evidenceOf, sourceOf, type Memory } from '../../src/core/index.ts';
import { NOTE_RULES } from '../../src/agents/index.ts';
import { noteInstruction } from '../../src/distill/index.ts';
import { callDaemon } from '../support/call.ts';
import { openStage, type Stage } from '../support/claude.ts';
import { contextOf } from '../support/hook-context.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { waitFor } from '../support/wait-for.ts';
import { tidemark } from '../support/install-stage.ts';
import { script, TOOL, toolResults } from './_surface.ts';

const PROMPT = "yeah let's go with pg-boss then";
const ANSWER = 'Installed pg-boss and moved the mail jobs to it.';
const NOTE =
  'Noted (decision): Use pg-boss for the job queue, because it needs no Redis. ("let\'s go with pg-boss")';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('a note at the end of an answer becomes a memory of the agent', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      stage.mock.rules.push({ when: { prompt: 'pg-boss then' }, reply: { text: `${ANSWER}\n\n${NOTE}` } });
      const { session, requests } = await stage.run(PROMPT);
      const context = contextOf(requests[0], 'SessionStart');
      assert.equal(context, noteInstruction('answer'), 'the first session of a project is asked for notes');
      const memory = await remembered(stage, 'Use pg-boss for the job queue');
      await assertNoted(stage, memory, session);
      assert.equal(memory.reason, 'According to the agent: it needs no Redis');
      assert.deepEqual(await decisions(stage), [memory.title], 'rules do not store it again');
    });

    test('a note by the tool becomes the same memory, without a dialog', { skip }, async (t) => {
      const stage = await openStage(t, { claude, env: { TIDEMARK_CAPTURE_AGENT_NOTES: 'tool' } });
      const input = {
        title: 'Use pg-boss for the job queue',
        kind: 'decision',
        reason: 'According to the agent: it needs no Redis',
        quote: "let's go with pg-boss",
      };
      const load = { tools: [{ name: 'ToolSearch', input: { query: `select:${TOOL}remember` } }] };
      script(stage, [
        ...(version === '2.1.197' ? [] : [load]),
        { tools: [{ name: `${TOOL}remember`, input }] },
        { text: ANSWER },
      ]);
      const settings = JSON.stringify({ permissions: { allow: NOTE_RULES } });
      const { session, requests } = await stage.run(PROMPT, { args: ['--settings', settings] });
      assert.equal(contextOf(requests[0], 'SessionStart'), noteInstruction('tool'));
      assert.match(toolResults({ requests }).at(-1) ?? '', /^(?:Remembered|Noted) as \w+/, stage.logs());
      const memory = await remembered(stage, input.title);
      await assertNoted(stage, memory, session);
      assert.deepEqual(await decisions(stage), [memory.title], 'rules do not store it again');
    });

    test('doctor reports notes that the client denied', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const load = { tools: [{ name: 'ToolSearch', input: { query: `select:${TOOL}remember` } }] };
      script(stage, [
        ...(version === '2.1.197' ? [] : [load]),
        { tools: [{ name: `${TOOL}remember`, input: { title: 'Use pg-boss' } }] },
        { text: ANSWER },
      ]);
      await stage.run(PROMPT);
      await waitFor('the denied call', async () => {
        const { count, tools } = await callDaemon(stage.places, 'read.denied', {});
        return count === 1 && tools[0] === 'remember';
      });
      const { stdout } = await tidemark(stage, ['doctor']);
      assert.match(stdout, /agent notes +Claude Code denied 1 call of remember .*\n.*install --allow-notes/);
    });

    test('switched off, the agent is not asked for notes', { skip }, async (t) => {
      const stage = await openStage(t, { claude, env: { TIDEMARK_CAPTURE_AGENT_NOTES: 'off' } });
      const { requests } = await stage.run('Hello [[say hi]]');
      assert.equal(contextOf(requests[0], 'SessionStart'), '');
    });
  });
}

async function assertNoted(stage: Stage, memory: Memory, session: string): Promise<void> {
  const turns = await callDaemon(stage.places, 'read.turns', { session });
  const turn = turns.findLast(({ prompt }) => prompt === PROMPT);
  assert.ok(turn, stage.logs());
  assert.equal(sourceOf(memory), 'agent');
  assert.equal(evidenceOf(memory), 'said');
  assert.equal(memory.kind, 'decision');
  assert.equal(memory.provenance.session, session);
  assert.equal(memory.provenance.turn, turn.id);
}

function remembered(stage: Stage, title: string): Promise<Memory> {
  const look = async (): Promise<Memory | undefined> =>
    (await memoriesIn(stage)).find((memory) => memory.title === title);
  return waitFor(`"${title}" in memory`, look, { explain: () => stage.logs() });
}

async function decisions(stage: Stage): Promise<readonly string[]> {
  return (await memoriesIn(stage)).flatMap(({ kind, title }) => (kind === 'decision' ? [title] : []));
}

function memoriesIn(stage: Stage): Promise<readonly Memory[]> {
  return callDaemon(stage.places, 'read.memories', { limit: 100 });
}
