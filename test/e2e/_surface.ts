/** Helpers for the tests of tools, skill and commands: a scripted conversation, and the answers of its tools. */
import assert from 'node:assert/strict';
import type { Memory } from '../../src/core/index.ts';
import { callDaemon } from '../support/call.ts';
import type { SessionResult, Stage } from '../support/claude.ts';
import type { Block, ModelRequest, Reply } from '../support/mock-model.ts';
import { waitFor } from '../support/wait-for.ts';
import { decisionStored, makeDecision } from './_decision.ts';

export const TOOL = 'mcp__plugin_tidemark_memory__';

/** Sets the next replies of the model, in this order. Only requests with tools get them; side requests have none. */
export function script(stage: Stage, replies: readonly Reply[]): void {
  stage.mock.rules.length = 0;
  stage.mock.rules.push(...replies.map((reply) => ({ when: { hasTool: 'Bash' }, times: 1, reply })));
}

export function bash(command: string): Reply {
  return { tools: [{ name: 'Bash', input: { command, description: 'ask the memory' } }] };
}

/** Returns the text of every tool's result in these requests, each once. */
export function toolResults({ requests }: Pick<SessionResult, 'requests'>): readonly string[] {
  const seen = new Map<string, string>();
  for (const block of requests.flatMap(blocksOf)) {
    const { type, tool_use_id: id } = block as Block & { tool_use_id?: string };
    if (type === 'tool_result' && id) seen.set(id, textIn(block.content));
  }
  return [...seen.values()];
}

/** Lets the client make a decision in a session of its own. Returns its memory. */
export async function rememberedDecision(stage: Stage): Promise<Memory> {
  await makeDecision(stage);
  await decisionStored(stage);
  const found = await waitFor('the decision in the index', async () => {
    const listing = { dir: stage.project, limit: 50 };
    const memories = await callDaemon(stage.places, 'read.memories', listing);
    return memories.find(({ kind }) => kind === 'decision');
  });
  assert.match(found.title, /refresh token/i);
  return found;
}

export function allText(request: {
  readonly messages: readonly unknown[];
  readonly system?: unknown;
}): string {
  return JSON.stringify([request.system, request.messages]);
}

function blocksOf({ messages }: ModelRequest): readonly Block[] {
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly Block[]).map((block) => block.text ?? '').join('\n');
}
