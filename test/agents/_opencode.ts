/** The real OpenCode on a stage beside Claude Code. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { callDaemon } from '../support/call.ts';
import {
  isConversation,
  startChatStandIn,
  type ChatRequest,
  type ChatStandIn,
} from '../support/chat-stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { agentParts, openAgentStage, type AgentStage } from './_stage.ts';

const { path, claude, skip: missing } = agentParts('opencode-1.18.33');

export const program = path;

/** For node:test: the reason why the client is missing. */
export const skip = missing;

export interface OpenCodeStage {
  readonly stage: AgentStage;
  readonly model: ChatStandIn;
  readonly folder: string;
  /** Runs OpenCode with a prompt; returns the requests that reached the model, and the id of the session. */
  ask(prompt: string, args?: readonly string[]): Promise<Asked>;
}

export interface Asked {
  readonly requests: readonly ChatRequest[];
  readonly session: string;
}

/** OpenCode with a model on loopback. */
export async function openOpenCode(t: TestContext): Promise<OpenCodeStage> {
  const model = await startChatStandIn();
  t.after(() => model.close());
  const stage = await openAgentStage(t, claude, {
    agent: 'opencode',
    command: [program],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      npm_config_registry: 'http://127.0.0.1:9', // no one listens there
    }),
  });
  const folder = join(stage.home, '.config', 'opencode');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'opencode.jsonc'), settings(model.url));
  withoutInstall(folder);
  const ask = async (prompt: string, args: readonly string[] = []): Promise<Asked> => {
    const before = model.requests.length;
    const { stdout } = await stage.run(['run', '--format', 'json', '--auto', ...args, prompt]);
    const session = /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1] ?? '';
    return { requests: model.requests.slice(before).filter(isConversation), session };
  };
  return { stage, model, folder, ask };
}

/** The client installs a package into its folder of settings if these say that it is missing. */
function withoutInstall(folder: string): void {
  mkdirSync(join(folder, 'node_modules'));
  const dependencies = { '@opencode-ai/plugin': '1.18.33' };
  const lock = { name: 'opencode', lockfileVersion: 3, packages: { '': { dependencies } } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
}

function settings(baseURL: string): string {
  const limit = { context: 200_000, output: 8192 };
  const models = { m: { name: 'm', tool_call: true, limit } };
  const standin = {
    npm: '@ai-sdk/openai-compatible',
    name: 's',
    options: { baseURL, apiKey: 'none' },
    models,
  };
  return `{
  // The model of the test.
  "$schema": "https://opencode.ai/config.json",
  "model": "standin/m", "small_model": "standin/m",
  "autoupdate": false, "share": "disabled",
  "provider": ${JSON.stringify({ standin })}, // with a comma after it
}
`;
}

/** The client has one system message of its own. */
export function briefsIn(request: ChatRequest | undefined): number {
  return (request?.messages ?? []).filter(({ role }) => role === 'system').length - 1;
}

/** The stored turns of a session, once there are so many. */
export async function turnsOf({ claude: { places } }: AgentStage, session: string, count: number) {
  let turns = await callDaemon(places, 'read.turns', { session });
  await waitFor(`${count} turns of ${session}`, async () => {
    turns = await callDaemon(places, 'read.turns', { session });
    return turns.length >= count;
  });
  assert.equal(turns.length, count);
  return turns;
}
