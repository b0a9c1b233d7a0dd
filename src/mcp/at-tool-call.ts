/**
 * Answers the hooks at tool calls of agents that name themselves (`--agent`). They pass the call as it is; the wire of the
 * agent tells which files are concerned. Not in the list of tools, as `before_edit`.
 */
import { answerToolInput, type ArgsOf } from '../daemon/index.ts';
import { inTime } from './_in-time.ts';
import { defineTool, READS } from './tool.ts';

export const atToolCall = defineTool({
  name: 'at_tool_call',
  title: 'At a tool call',
  description: 'Called by the client, not by the model.',
  properties: {
    hook: { type: 'string', enum: ['PreToolUse', 'PostToolUse'], description: 'Before or after the call' },
    tool: { type: 'string', description: 'The tool' },
    input: { type: 'object', description: 'Its input' },
    cwd: { type: 'string', description: 'The current folder' },
    session: { type: 'string', description: 'The session' },
    call: { type: 'string', description: 'The tool call' },
  },
  required: ['hook', 'tool', 'input'],
  annotations: READS,
  async run({ hook, tool, input, cwd, session = '', call = '' }, context) {
    // A subagent calls in a thread of its own, under the session of its parent.
    const { thread } = context;
    const agent = thread !== session ? thread : '';
    const fields = {
      session_id: session,
      cwd: cwd || context.dir,
      tool_name: tool,
      tool_input: input,
      tool_use_id: call,
      ...(agent === '' ? {} : { agent_id: agent }),
    };
    return inTime(
      async ({ limitMs }, signal) => {
        const ask =
          <N extends 'after-read' | 'before-edit' | 'before-command'>(name: N) =>
          async (args: ArgsOf<N>): Promise<string> =>
            (await context.callIfUp(name, args, signal))?.output ?? '';
        const hooks = {
          afterRead: ask('after-read'),
          beforeEdit: ask('before-edit'),
          beforeCommand: ask('before-command'),
        };
        const { stopsOnce } = context;
        return { output: await answerToolInput({ hooks, stopsOnce, limitMs }, hook, context.agent, fields) };
      },
      {},
      { session, agent, call },
      context,
    );
  },
});
