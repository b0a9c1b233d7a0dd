/** The real Gemini CLI: one memory with Claude Code, files and tools, and a removal without traces. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  isConversation,
  requestText,
  startGeminiStandIn,
  type GeminiRequest,
  type GeminiStandIn,
} from '../support/gemini-stand-in.ts';
import { callDaemon } from '../support/call.ts';
import { part } from '../support/parts.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  agentParts,
  claudeDecides,
  claudeKnows,
  DECIDED,
  DECISION,
  filesIn,
  knowFile,
  NEXT_PROMPT,
  openAgentStage,
  type AgentStage,
} from './_stage.ts';

const { path: script, claude, skip } = agentParts('gemini-0.61.0');
const tmux = part('tmux');
/** Files that the client writes itself. */
const BY_GEMINI = [/^(?:tmp|history|projects\.json|installation_id|state\.json|google_accounts\.json)/];

const NOTE = { title: 'Prices are kept for 11 minutes', kind: 'decision' };

interface GeminiStage {
  readonly stage: AgentStage;
  readonly model: GeminiStandIn;
  /** Runs the client with a prompt; returns the requests of the conversation that reached the model. */
  ask(prompt: string, args?: readonly string[]): Promise<readonly GeminiRequest[]>;
}

async function openGemini(t: TestContext): Promise<GeminiStage> {
  const model = await startGeminiStandIn();
  t.after(() => model.close());
  const stage = await openAgentStage(t, claude, {
    agent: 'gemini',
    command: [process.execPath, script],
    env: () => ({
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_API_KEY: 'none',
      GEMINI_CLI_NO_RELAUNCH: '1',
    }),
  });
  const folder = join(stage.home, '.gemini');
  mkdirSync(folder);
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings, null, 2));
  const ask = async (prompt: string, args: readonly string[] = []): Promise<readonly GeminiRequest[]> => {
    const before = model.requests.length;
    await stage.run(['-m', 'gemini-2.5-pro', '--skip-trust', '-y', ...args, '-p', prompt]);
    return model.requests.slice(before).filter(isConversation);
  };
  return { stage, model, ask };
}

/** Installs, and gives the hooks a minute: the machine may be busy. */
async function install({ installer, world, home }: AgentStage): Promise<void> {
  await installer.install(world);
  const hooks = join(home, '.gemini', 'extensions', 'tidemark', 'hooks', 'hooks.json');
  writeFileSync(hooks, readFileSync(hooks, 'utf8').replace(/"timeout": \d+/g, '"timeout": 60000'));
}

test(
  'Gemini CLI: a decision reaches its next session and the next one of Claude Code',
  { skip },
  async (t) => {
    const gemini = await openGemini(t);
    await install(gemini.stage);
    await gemini.ask(DECISION);
    await gemini.stage.remembered(DECIDED);
    const [first] = await gemini.ask(NEXT_PROMPT);
    assert.match(requestText(first), DECIDED, gemini.stage.logs());
    await claudeKnows(gemini.stage);
  },
);

test('Gemini CLI: a decision made in Claude Code reaches its next session', { skip }, async (t) => {
  const gemini = await openGemini(t);
  await install(gemini.stage);
  await claudeDecides(gemini.stage);
  await gemini.stage.remembered(DECIDED);
  const [first] = await gemini.ask(NEXT_PROMPT);
  assert.match(requestText(first), DECIDED, gemini.stage.logs());
});

test(
  'Gemini CLI: reading a file brings what is known about it, and our tools find it',
  { skip },
  async (t) => {
    const gemini = await openGemini(t);
    const { stage, model } = gemini;
    await install(stage);
    writeFileSync(join(stage.project, 'queue.ts'), 'export const queue = 1;\n');
    await knowFile(stage, 'Mails are sent in batches', 'queue.ts', 'The provider blocks us after 7 at once.');
    model.play('Look at the file', [
      { tools: [{ name: 'read_file', input: { file_path: 'queue.ts' } }] },
      { tools: [{ name: 'mcp_tidemark_search', input: { query: 'mails batches' } }] },
      { tools: [{ name: 'mcp_tidemark_remember', input: NOTE }] },
      { text: 'I see.' },
    ]);
    const requests = await gemini.ask('Look at the file, please.');
    assert.equal(requests.length, 4);
    const results = (request: GeminiRequest | undefined): readonly string[] =>
      (request?.contents ?? []).flatMap(({ parts = [] }) =>
        parts.flatMap(({ functionResponse }) => functionResponse?.response?.output ?? []),
      );
    assert.match(results(requests[1])[0] ?? '', /export const queue[\s\S]*blocks us after 7/, stage.logs());
    assert.match(results(requests[2])[1] ?? '', /Mails are sent in batches/);
    await stage.remembered(/Prices are kept for 11 minutes/);
    const memories = await callDaemon(stage.claude.places, 'read.memories', { dir: stage.project });
    const noted = memories.find(({ title }) => title === NOTE.title);
    assert.equal(noted?.provenance.agent, 'gemini');
  },
);

test(
  'Gemini CLI: after a summary that the user orders, the brief comes with the next prompt',
  { skip: skip ?? tmux.skip },
  async (t) => {
    const { stage, model } = await openGemini(t);
    await install(stage);
    await knowFile(stage, 'Use pg-boss for the job queue', 'queue.ts', 'We already run Postgres.');
    const terminal = await stage.terminal(t, tmux.path, ['-m', 'gemini-2.5-pro', '--skip-trust']);
    await terminal.waitFor('Type your message');
    // At a terminal a prompt does not wait for the hook of the start.
    await waitFor('the start to arrive', () => existsSync(stage.claude.places.heardAgents), {
      explain: () => stage.logs(),
    });
    await terminal.submitUntilShown('Hello there.', /Done\./);
    assert.match(requestText(model.requests.findLast(isConversation)), DECIDED, stage.logs());
    await terminal.submitUntilShown('/compress', /Chat history compressed/);
    const asked = (): GeminiRequest | undefined =>
      model.requests.find((one) => isConversation(one) && requestText(one).includes('Go on then.'));
    const request = await terminal.submitUntil('the next request', 'Go on then.', asked);
    assert.doesNotMatch(requestText(request), /Hello there/, 'the conversation was replaced');
    assert.match(requestText(request), DECIDED, stage.logs());
  },
);

test('Gemini CLI: removal leaves nothing behind', { skip }, async (t) => {
  const gemini = await openGemini(t);
  const { installer, world, home } = gemini.stage;
  const folder = join(home, '.gemini');
  const before = filesIn(folder, BY_GEMINI);
  assert.equal((await installer.status(world)).state, 'absent');
  await installer.install(world);
  const { state, findings } = await installer.status(world);
  assert.deepEqual([state, findings], ['installed', []]);
  const listed = await gemini.stage.run(['extensions', 'list']);
  assert.match(listed.stdout + listed.stderr, /tidemark[\s\S]*Enabled \(User\): true/);
  await gemini.ask('Hello.');
  await installer.remove(world);
  assert.deepEqual(filesIn(folder, BY_GEMINI), before);
  assert.equal((await installer.status(world)).state, 'absent');
  const [first] = await gemini.ask('Hello again.');
  assert.doesNotMatch(requestText(first), /tidemark|hook_context/);
  assert.ok(!JSON.stringify(first?.tools).includes('mcp_tidemark'));
});
