/** One request to the model of the user's own Codex: `codex exec` without hooks, tools, servers, instructions and session. */
import { join } from 'node:path';
import { readTextSync } from '../../files/index.ts';
import type { OneShot, OneShotResult } from '../agent.ts';
import { findProgram } from '../installing/find-program.ts';
import { isObject, parseObject, textOf } from '../reading/json.ts';
import { codexHome } from './config-folder.ts';
import { tablesIn } from './installer/toml-text.ts';

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Everything that Codex would add to a request, which costs 9,000 tokens. An unknown name is ignored by other versions. */
const FEATURES_OFF = [
  'hooks',
  'shell_tool',
  'unified_exec',
  'view_image',
  'multi_agent',
  'plugins',
  'apps',
  'goals',
  'skill_search',
  'tool_suggest',
  'sleep_tool',
  'memories',
];
const SETTINGS = {
  'skills.include_instructions': false,
  include_environment_context: false,
  include_permissions_instructions: false,
  project_doc_max_bytes: 0,
  web_search: 'disabled',
};

export const oneShot: OneShot = {
  find: (env) => findProgram(env, 'codex'),
  args: ({ model, instructions, env }) => {
    const overrides = [
      ...FEATURES_OFF.map((feature) => [`features.${feature}`, false]),
      ...Object.entries(SETTINGS),
      ...serversIn(env).map((server) => [`mcp_servers.${server}.enabled`, false]),
      ['model_instructions_file', instructions],
    ].flatMap(([key, value]) => ['-c', `${String(key)}=${JSON.stringify(value)}`]);
    const fixed = ['exec', '--ephemeral', '--skip-git-repo-check', '--json', '--sandbox', 'read-only'];
    return [...fixed, ...overrides, ...(model === '' ? [] : ['--model', model]), '-'];
  },
  read,
};

/** `codex exec --json`: an event per line. The last message is the answer. */
function read(stdout: string): OneShotResult {
  let text: string | undefined;
  let error: string | undefined;
  let usage: Readonly<Record<string, unknown>> = {};
  for (const line of stdout.split('\n')) {
    const event = parseObject(line);
    const item = event?.['item'];
    if (event?.['type'] === 'item.completed' && isObject(item) && item['type'] === 'agent_message')
      text = textOf(item['text']) ?? text;
    if (event?.['type'] === 'turn.completed' && isObject(event['usage'])) usage = event['usage'];
    if (event?.['type'] === 'turn.failed' && isObject(event['error']))
      error = textOf(event['error']['message']);
  }
  const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0);
  const tokens = { inputTokens: count('input_tokens'), outputTokens: count('output_tokens') };
  if (error !== undefined) return { ...tokens, error };
  return text === undefined ? tokens : { ...tokens, text };
}

/** The MCP servers of the user. Codex has no switch for all of them; a name with other characters stays on. */
function serversIn(env: NodeJS.ProcessEnv): readonly string[] {
  let text = '';
  try {
    text = readTextSync(join(codexHome(env), 'config.toml'), MAX_CONFIG_BYTES);
  } catch {
    return []; // no settings
  }
  const names = tablesIn(text).flatMap(({ path: [first, name = ''] }) =>
    first === 'mcp_servers' ? [name] : [],
  );
  return [...new Set(names)].filter((name) => /^[\w-]+$/.test(name));
}
