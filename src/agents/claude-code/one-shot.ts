/** One request to the model of the user's own Claude Code: `claude -p` without hooks, tools, servers, settings and session. */
import { given } from '../../core/index.ts';
import type { OneShot, OneShotResult } from '../agent.ts';
import { isObject, textOf } from '../reading/json.ts';
import { findClient } from './find-client.ts';

/** Variables of a session, which a daemon started by a hook inherits. */
const OF_THE_SESSION =
  /^(CLAUDECODE|CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_\w+|CLAUDE_ENV_FILE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_\w+|CHILD_SESSION|EXECPATH|REMOTE\w*))$/;
/** If the daemon is killed, the client does not wait forever. */
const TIMEOUT_MS = 60_000;

export const oneShot: OneShot = {
  find: findClient,
  args: ({ model, system }) => {
    const flags = {
      ...given({ '--model': model || undefined }),
      '--output-format': 'json',
      '--tools': '',
      '--setting-sources': '',
      '--system-prompt': system,
    };
    const switches = ['-p', '--strict-mcp-config', '--no-session-persistence', '--disable-slash-commands'];
    return [...switches, ...Object.entries(flags).flat()];
  },
  variables: ({ env }) => ({
    ...Object.fromEntries(
      Object.keys(env)
        .filter((name) => OF_THE_SESSION.test(name))
        .map((name) => [name, undefined]),
    ),
    CLAUDE_CODE_MAX_RETRIES: '0', // the caller decides whether to ask again
    API_TIMEOUT_MS: String(TIMEOUT_MS),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  read,
};

/** `claude -p --output-format json`: one result, or a list of events that ends with it. */
function read(stdout: string): OneShotResult {
  const result = resultIn(stdout);
  const models = isObject(result['modelUsage']) ? Object.values(result['modelUsage']).filter(isObject) : [];
  const sum = (...names: readonly string[]): number =>
    models.flatMap((used) => names.map((name) => count(used[name]))).reduce((total, n) => total + n, 0);
  const tokens = {
    // Cached tokens count, because they were sent.
    inputTokens: sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
    outputTokens: sum('outputTokens'),
  };
  const text = textOf(result['result']);
  if (result['is_error'] !== true && result['subtype'] === 'success')
    return { ...tokens, ...given({ text }) };
  const status = result['api_error_status'];
  const error = typeof status === 'number' ? `status ${status}` : (text ?? textOf(result['subtype']));
  return { ...tokens, ...given({ error }) };
}

function resultIn(stdout: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(stdout);
    const last: unknown = Array.isArray(json) ? json.at(-1) : json;
    return isObject(last) ? last : {};
  } catch {
    return {};
  }
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
