/** The plugin's files match the code: events, budgets, timeouts, version, messages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  ANSWER_LIMIT_MS,
  EDIT_TOOLS,
  HOOK_BUDGET_MS,
  HOOK_NAMES,
  READ_TOOLS,
  TOOL_BUDGET_MS,
} from '../../src/core/index.ts';
import { CLIENT_TIMEOUT_S, MESSAGES } from '../../src/hook/index.ts';
import { afterRead, beforeCommand, beforeEdit } from '../../src/mcp/index.ts';
import { root } from './_world.ts';

const script = read('plugin/hooks/hook.sh');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const HOOKS = (JSON.parse(read('plugin/hooks/hooks.json')) as { hooks: Record<string, unknown> }).hooks;

test('hooks.json calls hook.sh with one command string for each event, with the timeouts of the table', () => {
  const { PreToolUse, PostToolUse, ...hooks } = HOOKS;
  assert.ok(PreToolUse);
  assert.ok(PostToolUse);
  const expected = HOOK_NAMES.map((event) => {
    const command = `sh "\${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh" ${event}`;
    return [event, [{ hooks: [{ type: 'command', command, timeout: CLIENT_TIMEOUT_S[event] }] }]];
  });
  assert.deepEqual(hooks, Object.fromEntries(expected));
});

test('no hook has args: an agent that ignores them would run a bare shell with the prompt on stdin', () => {
  const entries = Object.values(HOOKS).flatMap((groups) =>
    (groups as { hooks: Record<string, unknown>[] }[]).flatMap(({ hooks }) => hooks),
  );
  assert.ok(entries.length > HOOK_NAMES.length);
  for (const entry of entries) assert.ok(!('args' in entry), JSON.stringify(entry));
});

for (const [event, at, tool, matched] of [
  ['PreToolUse', 0, beforeEdit, EDIT_TOOLS],
  ['PreToolUse', 1, beforeCommand, ['Bash']],
  ['PostToolUse', 0, afterRead, READ_TOOLS],
] as const)
  test(`hooks.json calls ${tool.name} of the MCP server at ${event}, which starts no process`, () => {
    const { mcpServers } = JSON.parse(read('plugin/.mcp.json')) as { mcpServers: object };
    const { name } = JSON.parse(read('plugin/.claude-plugin/plugin.json')) as { name: string };
    const groups = HOOKS[event] as { matcher: string; hooks: Record<string, unknown>[] }[];
    const { matcher = '', hooks = [] } = groups[at] ?? {};
    const [{ type, server, tool: called, input, timeout }, ...others] = hooks as [Record<string, unknown>];
    assert.equal(matcher, matched.join('|'));
    assert.deepEqual(
      [type, server, called, others],
      ['mcp_tool', `plugin:${name}:${Object.keys(mcpServers)[0]}`, tool.name, []],
    );
    assert.deepEqual(Object.keys(input as object), Object.keys(tool.inputSchema.properties));
    assert.ok(Number(timeout) * 1000 > TOOL_BUDGET_MS);
  });

test('the daemon has less time than the budget, the client more', () => {
  for (const event of HOOK_NAMES) {
    assert.ok(ANSWER_LIMIT_MS[event] < HOOK_BUDGET_MS[event]);
    assert.ok(CLIENT_TIMEOUT_S[event] * 1000 > HOOK_BUDGET_MS[event]);
  }
});

test('hook.sh has the time limits of the table', () => {
  for (const event of HOOK_NAMES) {
    const limit = new RegExp(`^ .*\\b${event}\\b.*limit=([0-9.]+)`, 'm').exec(script)?.[1];
    assert.equal(Math.round(Number(limit) * 1000), ANSWER_LIMIT_MS[event], event);
  }
});

test('package, plugin, marketplace and hook.sh have the same version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  assert.equal(
    (JSON.parse(read('plugin/.claude-plugin/plugin.json')) as { version: string }).version,
    version,
  );
  const marketplace = JSON.parse(read('.claude-plugin/marketplace.json')) as {
    plugins: { version: string }[];
  };
  assert.deepEqual(
    marketplace.plugins.map((plugin) => plugin.version),
    [version],
  );
  assert.equal(/^version=(.*)$/m.exec(script)?.[1], version);
});

test('the messages of hook.sh are in the table', () => {
  const told = [...script.matchAll(/tell "\$1" '([^']*)'/g)].map((match) => match[1]);
  assert.deepEqual(told, [MESSAGES['missing-program'], MESSAGES['no-node'], MESSAGES['broken-node']]);
});

test('every message ends with the next step', () => {
  for (const message of Object.values(MESSAGES)) {
    assert.match(message, /^Tidemark: [^"\\]+\. [^.]*\b(run|Run|Free|Install)\b[^.]*\.?[^.]*\.$/);
  }
});
