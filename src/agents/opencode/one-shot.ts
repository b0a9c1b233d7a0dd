/**
 * One request to the model of the user's own OpenCode: `opencode run` without plugins, tools, servers and instructions. Its
 * database is in memory, so no session is left.
 */
import { join } from 'node:path';
import { readTextSync } from '../../files/index.ts';
import type { OneShot, OneShotResult } from '../agent.ts';
import { parseJson } from '../installing/json-text.ts';
import { isObject, parseObject, textOf } from '../reading/json.ts';
import { findOpenCode } from './find-client.ts';
import { configFolder } from './places.ts';

const MAX_CONFIG_BYTES = 1024 * 1024;
const AGENT = 'tidemark';

export const oneShot: OneShot = {
  find: findOpenCode,
  // With a title of its own, the client asks for none.
  args: ({ model }) => {
    const fixed = ['run', '--pure', '--format', 'json', '--title', AGENT, '--agent', AGENT];
    return [...fixed, ...(model === '' ? [] : ['--model', model])];
  },
  variables: ({ instructions, env }) => ({
    OPENCODE_DB: ':memory:',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(instructions, serversIn(env))),
  }),
  read,
};

function settings(instructions: string, servers: readonly string[]): object {
  const agent = { mode: 'primary', prompt: `{file:${instructions}}`, tools: { '*': false } };
  return {
    agent: { [AGENT]: agent },
    mcp: Object.fromEntries(servers.map((server) => [server, { enabled: false }])),
    share: 'disabled',
    snapshot: false,
  };
}

/** The MCP servers of the user. OpenCode has no switch for all of them. */
function serversIn(env: NodeJS.ProcessEnv): readonly string[] {
  const names = ['opencode.json', 'opencode.jsonc'].map((name) => join(configFolder(env), name));
  return [...names, env['OPENCODE_CONFIG'] ?? ''].flatMap((path) => {
    try {
      const json = parseJson(readTextSync(path, MAX_CONFIG_BYTES));
      return isObject(json) && isObject(json['mcp']) ? Object.keys(json['mcp']) : [];
    } catch {
      return []; // no such settings
    }
  });
}

/** `opencode run --format json`: an event per line. */
function read(stdout: string): OneShotResult {
  const texts: string[] = [];
  let error: string | undefined;
  let [inputTokens, outputTokens] = [0, 0];
  for (const line of stdout.split('\n')) {
    const event = parseObject(line);
    const part = isObject(event?.['part']) ? event['part'] : {};
    if (event?.['type'] === 'text') texts.push(textOf(part['text']) ?? '');
    if (event?.['type'] === 'step_finish' && isObject(part['tokens'])) {
      const { input, output, reasoning, cache } = part['tokens'];
      const cached = isObject(cache) ? count(cache['read']) + count(cache['write']) : 0;
      inputTokens += count(input) + cached;
      outputTokens += count(output) + count(reasoning);
    }
    if (event?.['type'] === 'error') error = errorIn(event['error']);
  }
  const tokens = { inputTokens, outputTokens };
  if (error !== undefined) return { ...tokens, error };
  return texts.length === 0 ? tokens : { ...tokens, text: texts.join('\n') };
}

function errorIn(error: unknown): string {
  const { name, data } = isObject(error) ? error : {};
  const { statusCode, message } = isObject(data) ? data : {};
  if (typeof statusCode === 'number') return `status ${statusCode}`;
  return textOf(message) ?? textOf(name) ?? 'unknown';
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
