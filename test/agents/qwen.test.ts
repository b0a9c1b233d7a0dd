/** The real Qwen Code: one memory with Claude Code, files when they are read, and a removal without traces. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { chatText, requestText, type ChatRequest } from '../support/chat-stand-in.ts';
import { ROOT } from '../support/claude.ts';
import { openChatClient, type ChatClient } from './_chat-client.ts';
import {
  agentParts,
  claudeDecides,
  claudeKnows,
  DECIDED,
  DECISION,
  filesIn,
  knowFile,
  NEXT_PROMPT,
} from './_stage.ts';

const { path: script, claude, skip } = agentParts('qwen-code-0.24.4');
/** Files that the client writes itself. It also rewrites its settings when it first starts. */
const BY_QWEN =
  /^(?:projects|tmp|memories|skills|file-history|extension-store|extensions$|extensions\/extension-enablement|output-language|usage_record|\.openai-logs|settings\.json)/;

async function openQwen(t: TestContext): Promise<ChatClient> {
  const qwen = await openChatClient(t, claude, {
    agent: 'qwen',
    command: [process.execPath, script],
    env: (_stage, { url }) => ({
      OPENAI_API_KEY: 'dummy',
      OPENAI_BASE_URL: url,
      OPENAI_MODEL: 'stand-in',
    }),
    args: (prompt) => ['-y', '-o', 'text', prompt],
  });
  const settings = {
    security: { auth: { selectedType: 'openai' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  };
  mkdirSync(join(qwen.stage.home, '.qwen'));
  writeFileSync(join(qwen.stage.home, '.qwen', 'settings.json'), JSON.stringify(settings));
  return qwen;
}

test(
  'Qwen Code: a decision reaches its next session and the next one of Claude Code',
  { skip },
  async (t) => {
    const { stage, ask } = await openQwen(t);
    await stage.installer.install(stage.world);
    await ask(DECISION);
    await stage.remembered(DECIDED);
    const [first] = await ask(NEXT_PROMPT);
    assert.match(requestText(first), DECIDED, stage.logs());
    await claudeKnows(stage);
  },
);

test('Qwen Code: a decision made in Claude Code reaches its next session', { skip }, async (t) => {
  const { stage, ask } = await openQwen(t);
  await stage.installer.install(stage.world);
  await claudeDecides(stage);
  await stage.remembered(DECIDED);
  const [first] = await ask(NEXT_PROMPT);
  assert.match(requestText(first), DECIDED, stage.logs());
});

test(
  'Qwen Code: reading a file brings what is known about it, and our tools find it',
  { skip },
  async (t) => {
    const { stage, ask } = await openQwen(t);
    await stage.installer.install(stage.world);
    const file = join(stage.project, 'queue.ts');
    writeFileSync(file, 'export const queue = 1;\n');
    await knowFile(stage, 'Mails are sent in batches', 'queue.ts', 'The provider blocks us after 7 at once.');
    const requests = await ask('Look at the file, please.', [
      { tools: [{ name: 'read_file', input: { file_path: file } }] },
      { tools: [{ name: 'mcp__tidemark__search', input: { query: 'mails batches' } }] },
      { text: 'I see.' },
    ]);
    assert.match(resultsIn(requests[1])[0] ?? '', /export const queue[\s\S]*blocks us after 7/, stage.logs());
    assert.match(resultsIn(requests[2])[1] ?? '', /Mails are sent in batches/);
    // The client fires the hook of the prompt again after each call; only the first one is answered.
    const contexts = requestText(requests[2]).match(/<qwen:user-prompt-submit-context>/g) ?? [];
    assert.ok(contexts.length <= 1, requestText(requests[2]));
  },
);

test('Qwen Code: removal leaves nothing behind', { skip }, async (t) => {
  const { stage, ask } = await openQwen(t);
  const { installer, world } = stage;
  const folder = join(stage.home, '.qwen');
  const before = filesIn(folder, [BY_QWEN]);
  assert.equal((await installer.status(world)).state, 'absent');
  await installer.install(world);
  assert.deepEqual(await installer.status(world).then(({ state, findings }) => [state, findings]), [
    'installed',
    [],
  ]);
  await ask(DECISION);
  await installer.remove(world);
  assert.deepEqual(filesIn(folder, [BY_QWEN]), before);
  const after = filesIn(folder, [/^(?:projects|tmp)/]);
  assert.deepEqual(
    Object.entries(after).filter(([name, text]) => /tidemark/i.test(name + text)),
    [],
  );
  const [first] = await ask(NEXT_PROMPT);
  assert.doesNotMatch(requestText(first), /tidemark/i);
});

test('Qwen Code: a copy of the plugin for Claude Code is replaced', { skip }, async (t) => {
  const { stage, ask } = await openQwen(t);
  const { installer, world } = stage;
  // The client writes a folder beside the plugin, so it gets a copy of both.
  const market = join(stage.home, 'market');
  for (const part of ['.claude-plugin', 'plugin'])
    cpSync(join(ROOT, part), join(market, part), { recursive: true });
  await stage.run(['extensions', 'install', `${market}:tidemark`, '--consent']);
  const folder = join(stage.home, '.qwen', 'extensions', 'tidemark');
  assert.ok(existsSync(join(folder, 'dist')));
  assert.match((await installer.status(world)).findings[0]?.text ?? '', /a copy of our plugin/);
  await installer.install(world);
  assert.ok(!existsSync(join(folder, 'dist')));
  await ask(DECISION);
  await stage.remembered(DECIDED);
  assert.deepEqual((await installer.status(world)).findings, []);
});

function resultsIn(request: ChatRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(chatText);
}
