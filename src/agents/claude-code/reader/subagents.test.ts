import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { subagentsOf } from './subagents.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-subagents-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a session without subagents has none', async () => {
  assert.deepEqual(await subagentsOf(join(folder, 'none.jsonl')), []);
});

test('subagents are listed with the call that started them, also without a meta file', async () => {
  const inside = join(folder, 'session', 'subagents');
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, 'agent-b2.jsonl'), '');
  writeFileSync(join(inside, 'agent-a1.jsonl'), '');
  writeFileSync(join(inside, 'agent-c3.jsonl'), '');
  writeFileSync(join(inside, 'notes.txt'), '');
  writeFileSync(join(inside, 'agent-c3.meta.json'), '{"agentType":');
  const meta = { agentType: 'Explore', description: 'look around', toolUseId: 'toolu_1', finished: true };
  writeFileSync(join(inside, 'agent-a1.meta.json'), JSON.stringify(meta));
  assert.deepEqual(await subagentsOf(join(folder, 'session.jsonl')), [
    { id: 'a1', path: join(inside, 'agent-a1.jsonl'), toolUseId: 'toolu_1' },
    { id: 'b2', path: join(inside, 'agent-b2.jsonl') },
    { id: 'c3', path: join(inside, 'agent-c3.jsonl') },
  ]);
});
