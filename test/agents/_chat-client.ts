/** A real client that speaks chat completions, on a stage with a stand-in for its model. */
import type { TestContext } from 'node:test';
import {
  isConversation,
  startChatStandIn,
  type ChatRequest,
  type ChatStandIn,
  type ChatStep,
} from '../support/chat-stand-in.ts';
import { openAgentStage, type AgentOptions, type AgentStage } from './_stage.ts';

export interface ChatClient {
  readonly stage: AgentStage;
  readonly model: ChatStandIn;
  /** Runs one session and returns its requests to the model. `steps`: the model's answers. */
  ask(prompt: string, steps?: readonly ChatStep[], args?: readonly string[]): Promise<readonly ChatRequest[]>;
}

export interface ChatClientOptions extends Pick<AgentOptions, 'agent' | 'command'> {
  readonly env: (stage: AgentStage, model: ChatStandIn) => Readonly<Record<string, string>>;
  /** The arguments of a session without a terminal. */
  readonly args: (prompt: string) => readonly string[];
}

export async function openChatClient(
  t: TestContext,
  claude: string,
  { agent, command, env, args }: ChatClientOptions,
): Promise<ChatClient> {
  const model = await startChatStandIn();
  t.after(() => model.close());
  const stage = await openAgentStage(t, claude, { agent, command, env: (on) => env(on, model) });
  const ask: ChatClient['ask'] = async (prompt, steps = [{ text: 'Noted.' }], more = []) => {
    const before = model.requests.length;
    model.play(prompt, steps);
    await stage.run([...more, ...args(prompt)]);
    return model.requests.slice(before).filter(isConversation);
  };
  return { stage, model, ask };
}
