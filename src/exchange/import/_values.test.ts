import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentOf } from './_values.ts';

test('the agent of a peer’s record is known by its name', () => {
  const names = ['codex', 'Gemini-CLI', 'opencode', 'copilot', 'qwen-code', 'pi', 'claude', 'picard', ''];
  assert.deepEqual(names.map(agentOf), [
    'codex',
    'gemini',
    'opencode',
    'copilot',
    'qwen',
    'pi',
    'claude-code',
    'claude-code',
    'claude-code',
  ]);
});
