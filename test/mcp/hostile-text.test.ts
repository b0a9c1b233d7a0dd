/** MCP answers and injected context hold no invisible or control characters: a model reads what a person sees. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { openHostileStore, type HostileStore } from '../support/hostile-store.ts';
import { forbiddenIn, HOSTILE } from '../support/hostile-text.ts';
import { connect, skip } from './_client.ts';

test('no tool answers with a hidden character', { skip }, async (t) => {
  const { machine, folder, first, second, turn } = await hostile(t);
  const client = await connect(t, machine, 'auto', { CLAUDE_PROJECT_DIR: folder });
  for (const [name, args] of [
    ['search', { query: 'hostile' }],
    ['search', { query: `hostile kind:${HOSTILE.slice(0, 40)}` }],
    ['show', { ids: [first, second, HOSTILE.slice(0, 20)] }],
    ['transcript', { id: turn }],
    ['transcript', { id: HOSTILE.slice(0, 100) }],
    ['timeline', { around: first }],
    ['timeline', { around: HOSTILE.slice(0, 100) }],
    ['projects', {}],
    ['remember', { kind: 'discovery', title: `A hostile title ${HOSTILE.slice(0, 60)}`, body: HOSTILE }],
    ['resolve', { ids: [HOSTILE.slice(0, 20)] }],
    ['forget', { ids: [first] }],
  ] as const) {
    const { content } = await client.callTool({ name, arguments: args });
    for (const { text } of content) {
      assert.notEqual(text, '');
      assert.deepEqual(forbiddenIn(text), [], `${name}: ${JSON.stringify(text)}`);
    }
  }
});

test('no hook injects a hidden character, nor shows one to the user', async (t) => {
  const { machine, folder, first } = await hostile(t);
  await machine.call('edit', { id: first, patch: { title: `The hostile cache ${HOSTILE} is fast` } });
  const fields = { session_id: randomUUID(), transcript_path: `${machine.root}/none.jsonl` };
  const inFolder = { project: folder };
  const started = await machine.hook('SessionStart', { ...fields, source: 'startup' }, inFolder);
  const prompt = `Why is the hostile cache with the title overwritten so fast? ${HOSTILE}`;
  const asked = await machine.hook('UserPromptSubmit', { ...fields, prompt }, inFolder);
  for (const { stdout } of [started, asked]) {
    const answer = JSON.parse(stdout) as object;
    assert.match(stdout, /hostile/i);
    JSON.stringify(answer, (_key, value: unknown) => {
      if (typeof value === 'string') assert.deepEqual(forbiddenIn(value), [], JSON.stringify(value));
      return value;
    });
  }
});

async function hostile(t: TestContext): Promise<HostileStore> {
  const store = await openHostileStore();
  t.after(() => store.machine.close());
  return store;
}
