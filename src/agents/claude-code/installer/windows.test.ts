import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOOK_NAMES } from '../../../core/index.ts';
import { pluginFile } from './windows.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const NODE = 'C:\\Program Files\\nodejs\\node.exe';
const FILES = ['plugin/hooks/hooks.json', 'plugin/.mcp.json', 'plugin/hooks/hook.sh'];

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

test('other platforms get the files unchanged', () => {
  for (const name of FILES) assert.equal(pluginFile(name, read(name), 'linux', NODE), read(name));
});

test('on Windows every hook runs our Node program, with the same events and timeouts', () => {
  type Entry = { hooks: { command: string; args?: string[]; timeout?: number }[] };
  type Manifest = { hooks: Record<string, Entry[]> };
  const before = JSON.parse(read('plugin/hooks/hooks.json')) as Manifest;
  const after = JSON.parse(
    pluginFile('plugin\\hooks\\hooks.json', read('plugin/hooks/hooks.json'), 'win32', NODE),
  ) as Manifest;
  assert.deepEqual(Object.keys(after.hooks), Object.keys(before.hooks));
  for (const event of HOOK_NAMES) {
    const [was] = before.hooks[event]?.[0]?.hooks ?? [];
    assert.deepEqual(after.hooks[event]?.[0]?.hooks, [
      { ...was, command: NODE, args: ['${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs', event] },
    ]);
  }
});

test('on Windows the MCP server is started without a shell', () => {
  const { mcpServers } = JSON.parse(
    pluginFile('plugin/.mcp.json', read('plugin/.mcp.json'), 'win32', NODE),
  ) as { mcpServers: Record<string, unknown> };
  assert.deepEqual(mcpServers['memory'], { command: NODE, args: ['${CLAUDE_PLUGIN_ROOT}/dist/mcp.cjs'] });
});

test('an agent that ignores args starts a bare Node, which executes nothing of the event', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'windows-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'executed');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`;
  const control = spawnSync(process.execPath, [], { input: script });
  assert.ok(control.status === 0 && existsSync(file), 'Node runs what it reads from stdin');
  rmSync(file);
  const prompts = [script, `"}; ${script}; ({"a":"`, `\` \${${script}}`, `*/ ${script} /*`];
  for (const prompt of prompts) {
    const input = JSON.stringify({ session_id: 's', hook_event_name: 'UserPromptSubmit', prompt });
    const { status, stderr } = spawnSync(process.execPath, [], { input, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /SyntaxError/);
    assert.ok(!existsSync(file), prompt);
  }
});
