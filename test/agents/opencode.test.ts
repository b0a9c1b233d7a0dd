/** The real OpenCode: one memory with Claude Code, files, and a removal without traces. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chatText, requestText, type ChatRequest } from '../support/chat-stand-in.ts';
import { openOpenCode, skip, turnsOf } from './_opencode.ts';
import { claudeDecides, claudeKnows, DECIDED, DECISION, filesIn, knowFile, NEXT_PROMPT } from './_stage.ts';

test('OpenCode: a decision reaches its next session and the next one of Claude Code', { skip }, async (t) => {
  const { stage, ask } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  await ask(DECISION);
  await stage.remembered(DECIDED);
  const { requests } = await ask(NEXT_PROMPT);
  assert.match(requestText(requests[0]), DECIDED, stage.logs());
  const [system, brief] = requests[0]?.messages ?? [];
  assert.equal(system?.role, 'system');
  assert.equal(brief?.role, 'system');
  assert.match(brief ? chatText(brief) : '', /^Tidemark remembers earlier sessions/);
  await claudeKnows(stage);
});

test('OpenCode: a decision made in Claude Code reaches its next session', { skip }, async (t) => {
  const { stage, ask } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  await claudeDecides(stage);
  await stage.remembered(DECIDED);
  const { requests } = await ask(NEXT_PROMPT);
  assert.match(requestText(requests[0]), DECIDED, stage.logs());
});

test(
  'OpenCode: reading a file brings what is known about it, and the model finds more',
  { skip },
  async (t) => {
    const { stage, ask, model } = await openOpenCode(t);
    await stage.installer.install(stage.world);
    const file = join(stage.project, 'queue.ts');
    writeFileSync(file, 'export const queue = 1;\n');
    await knowFile(stage, 'Mails are sent in batches', 'queue.ts', 'The provider blocks us after 7 at once.');
    model.play('Look at the file', [
      { tools: [{ name: 'read', input: { filePath: file } }] },
      { tools: [{ name: 'tidemark_search', input: { query: 'mails batches' } }] },
      { text: 'I see.' },
    ]);
    const { requests, session } = await ask('Look at the file, please.');
    const results = (request: ChatRequest | undefined): readonly string[] =>
      (request?.messages ?? []).filter(({ role }) => role === 'tool').map(chatText);
    assert.match(results(requests[1])[0] ?? '', /export const queue[\s\S]*blocks us after 7/, stage.logs());
    assert.match(results(requests[2])[1] ?? '', /Mails are sent in batches/);
    const [turn] = await turnsOf(stage, session, 1);
    assert.deepEqual(
      turn?.tools.map(({ name }) => name),
      ['Read', 'mcp__tidemark__search'],
    );
    assert.doesNotMatch(JSON.stringify(turn?.tools[0]), /blocks us/, 'our text is not stored as a result');
  },
);

test('OpenCode: removal leaves nothing behind', { skip }, async (t) => {
  const { stage, ask, folder } = await openOpenCode(t);
  const { installer, world } = stage;
  await ask('Hello.');
  const before = filesIn(folder);
  assert.equal((await installer.status(world)).state, 'absent');
  await installer.install(world);
  assert.equal((await installer.status(world)).state, 'installed');
  const { requests } = await ask('Hello again.');
  assert.match(JSON.stringify(requests[0]), /tidemark_search/);
  await installer.remove(world);
  assert.deepEqual(filesIn(folder), before);
  assert.equal((await installer.status(world)).state, 'absent');
  const { requests: after } = await ask('Hello for the last time.');
  assert.doesNotMatch(JSON.stringify(after[0]), /tidemark[_-]/);
});
