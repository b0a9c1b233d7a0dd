/** Calls of the user's own Claude Code: the environment, and how to read the result. */
import { given } from '../../core/index.ts';
import { ASK_TIMEOUT_MS } from '../by-model.ts';
import type { Usage } from './driver.ts';

/** Variables of a session, which a daemon started by a hook inherits. */
const OF_THE_SESSION =
  /^(CLAUDECODE|CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_\w+|CLAUDE_ENV_FILE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_\w+|CHILD_SESSION|EXECPATH|REMOTE\w*))$/;

/** Disables the client's own retries, and marks the call as nested, so that our hooks ignore it. */
export function clientEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !OF_THE_SESSION.test(name));
  return {
    ...Object.fromEntries(inherited),
    TIDEMARK_NESTED: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    MAX_STRUCTURED_OUTPUT_RETRIES: '1',
    API_TIMEOUT_MS: String(ASK_TIMEOUT_MS), // if the daemon is killed, the client does not wait forever
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}

/** The result that the client and the SDK report: the fields we use. */
export interface ClientResult {
  readonly type?: string;
  readonly subtype?: string;
  readonly is_error?: boolean;
  readonly api_error_status?: number | null;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly structured_output?: unknown;
  readonly num_turns?: number;
  readonly total_cost_usd?: number;
  readonly modelUsage?: Readonly<
    Record<
      string,
      {
        readonly inputTokens?: number;
        readonly outputTokens?: number;
        readonly cacheReadInputTokens?: number;
        readonly cacheCreationInputTokens?: number;
        readonly costUSD?: number;
      }
    >
  >;
}

/** Usage of the whole process so far. Cached tokens count, because they were sent. */
export function usageOf(result: ClientResult, model: string): Usage {
  const used = Object.entries(result.modelUsage ?? {});
  const sum = (pick: (usage: (typeof used)[number][1]) => number): number =>
    used.reduce((total, [, usage]) => total + pick(usage), 0);
  const isPriced = used.some(([, usage]) => usage.costUSD !== undefined);
  return {
    model: used[0]?.[0] ?? model,
    inputTokens: sum(
      (usage) =>
        (usage.inputTokens ?? 0) + (usage.cacheReadInputTokens ?? 0) + (usage.cacheCreationInputTokens ?? 0),
    ),
    outputTokens: sum((usage) => usage.outputTokens ?? 0),
    ...given({ usd: result.total_cost_usd ?? (isPriced ? sum((usage) => usage.costUSD ?? 0) : undefined) }),
    requests: 1,
  };
}

/** The answer as text: structured output as JSON, else the model's text, which may be XML. */
export function answerOf(result: ClientResult): string | undefined {
  if (result.structured_output !== undefined) return JSON.stringify(result.structured_output);
  return result.is_error || result.subtype !== 'success' ? undefined : result.result;
}
