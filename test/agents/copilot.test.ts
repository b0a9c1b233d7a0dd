/** The real Copilot CLI: one memory with Claude Code, files when they are read, and a removal without traces. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { chatText, requestText, type ChatRequest } from '../support/chat-stand-in.ts';
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

const { path: script, claude, skip } = agentParts('copilot-1.0.102');
/** Files that the client writes itself. */
const BY_COPILOT =
  /^(?:session-state|session-store|logs|installed-plugins|config\.json|settings\.json|.*\.lock$|ide|command-history)/;
const SERVERS = '{\n  "mcpServers": { "other": { "type": "local", "command": "true", "args": [] } }\n}\n';

async function openCopilot(t: TestContext): Promise<ChatClient> {
  const copilot = await openChatClient(t, claude, {
    agent: 'copilot',
    command: [process.execPath, script],
    env: ({ home }, { url }) => ({
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_MODEL: 'claude-sonnet-4.5',
      COPILOT_PROVIDER_WIRE_MODEL: 'stand-in',
    }),
    args: (prompt) => ['-p', prompt, '--allow-all-tools', '--no-color'],
  });
  mkdirSync(join(copilot.stage.home, '.copilot'));
  writeFileSync(join(copilot.stage.home, '.copilot', 'mcp-config.json'), SERVERS);
  return copilot;
}

test('Copilot: a decision reaches its next session and the next one of Claude Code', { skip }, async (t) => {
  const { stage, ask } = await openCopilot(t);
  await stage.installer.install(stage.world);
  await ask(DECISION);
  await stage.remembered(DECIDED);
  const [first] = await ask(NEXT_PROMPT);
  assert.match(requestText(first), DECIDED, stage.logs());
  await claudeKnows(stage);
});

test('Copilot: a decision made in Claude Code reaches its next session', { skip }, async (t) => {
  const { stage, ask } = await openCopilot(t);
  await stage.installer.install(stage.world);
  await claudeDecides(stage);
  await stage.remembered(DECIDED);
  const [first] = await ask(NEXT_PROMPT);
  assert.match(requestText(first), DECIDED, stage.logs());
});

test('Copilot: reading a file brings what is known about it, and our tools find it', { skip }, async (t) => {
  const { stage, ask } = await openCopilot(t);
  await stage.installer.install(stage.world);
  const file = join(stage.project, 'queue.ts');
  writeFileSync(file, 'export const queue = 1;\n');
  await knowFile(stage, 'Mails are sent in batches', 'queue.ts', 'The provider blocks us after 7 at once.');
  const requests = await ask('Look at the file, please.', [
    { tools: [{ name: 'view', input: { path: file } }] },
    { tools: [{ name: 'tidemark-search', input: { query: 'mails batches' } }] },
    { text: 'I see.' },
  ]);
  assert.match(resultsIn(requests[1])[0] ?? '', /export const queue[\s\S]*blocks us after 7/, stage.logs());
  assert.match(resultsIn(requests[2])[1] ?? '', /Mails are sent in batches/);
});

test('Copilot: removal leaves nothing behind', { skip }, async (t) => {
  const { stage, ask } = await openCopilot(t);
  const { installer, world } = stage;
  const folder = join(stage.home, '.copilot');
  const before = filesIn(folder, [BY_COPILOT]);
  assert.equal((await installer.status(world)).state, 'absent');
  await installer.install(world);
  assert.deepEqual(await installer.status(world).then(({ state, findings }) => [state, findings]), [
    'installed',
    [],
  ]);
  await ask(DECISION);
  await installer.remove(world);
  assert.deepEqual(filesIn(folder, [BY_COPILOT]), before);
  const [first] = await ask(NEXT_PROMPT);
  assert.doesNotMatch(requestText(first), /tidemark/i);
});

function resultsIn(request: ChatRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(chatText);
}
