/**
 * Our extension of pi: reports the moments of a session to the daemon and injects its answers. Runs inside pi's process:
 * never throws, and waits only within the budgets of hooks. Context goes into messages of our own type, which pi stores
 * with the session and does not show. A session that pi does not store is left alone.
 */
import type { HookAnswer } from '../../wire/wire.ts';
import { openPluginClient, type PluginClient } from '../../plugin-client/index.ts';
import { promptText } from '../reader/prompt-text.ts';
import { answerIn } from './_answer.ts';
import type { Pi, PiContext } from './_pi-api.ts';
import { registerTools } from './_tools.ts';

/** The type of our messages. */
const OURS = 'tidemark';

type Brief = Promise<HookAnswer | undefined>;

/** `home`: the data folder. `program`: the folder of our programs. Called by the file in pi's folder of extensions. */
export default function tidemark(pi: Pi, home: string, program = __dirname): void {
  const client = openPluginClient({ agent: 'pi', home, program, env: process.env });
  let brief: Brief | undefined;

  const start = (context: PiContext, source: string): void => {
    brief = isStored(context) ? deliver(client, 'SessionStart', context, { source }) : undefined;
  };

  pi.on('session_start', async ({ reason }, context) => {
    registerTools(pi, home, program);
    // A session that is continued from the command line has the reason `startup` too.
    if (!hasBrief(context)) start(context, 'startup');
    else if (reason !== 'reload') start(context, reason === 'fork' ? 'fork' : 'resume');
  });

  // A summary replaces the conversation, and a branch may begin before the brief.
  pi.on('session_compact', async (_event, context) => start(context, 'compact'));
  pi.on('session_tree', async (_event, context) => {
    if (!hasBrief(context)) start(context, 'compact');
  });

  pi.on('before_agent_start', async ({ prompt }, context) => {
    if (!isStored(context)) return undefined;
    const begun = await brief;
    brief = undefined;
    const answer = await deliver(client, 'UserPromptSubmit', context, { prompt: promptText(prompt) });
    show(context, begun, answer);
    const texts = [begun, answer].flatMap((one) => one?.hookSpecificOutput?.additionalContext ?? []);
    if (texts.length === 0) return undefined;
    const details = { brief: begun?.hookSpecificOutput?.additionalContext !== undefined };
    return { message: { customType: OURS, content: texts.join('\n\n'), display: false, details } };
  });

  pi.on('tool_result', async ({ toolName, toolCallId, input, content, isError }, context) => {
    if (toolName !== 'read' || isError || !isStored(context)) return undefined;
    const about = { ...factsOf(context), file: input['path'], call: toolCallId };
    const answer = await client.ask('PostToolUse', about);
    const text = answer?.hookSpecificOutput?.additionalContext;
    return text === undefined ? undefined : { content: [...content, { type: 'text', text }] };
  });

  pi.on('agent_end', async ({ messages }, context) => {
    if (!isStored(context)) return;
    show(context, await deliver(client, 'Stop', context, { last_assistant_message: answerIn(messages) }));
  });

  pi.on('session_shutdown', async ({ reason }, context) => {
    if (reason !== 'reload' && isStored(context)) await deliver(client, 'SessionEnd', context, { reason });
  });
}

function deliver(
  client: PluginClient,
  event: 'SessionStart' | 'UserPromptSubmit' | 'Stop' | 'SessionEnd',
  context: PiContext,
  fields: object,
): Promise<HookAnswer | undefined> {
  return client.deliver(event, { ...factsOf(context), ...fields }, context.hasUI === true);
}

function factsOf({ cwd, sessionManager }: PiContext) {
  return { session_id: sessionManager.getSessionId(), transcript_path: sessionManager.getSessionFile(), cwd };
}

/** A session without a file is one that its user, or an extension with subagents, does not want to keep. */
function isStored({ sessionManager }: PiContext): boolean {
  return sessionManager.getSessionFile() !== undefined;
}

/** Whether the model still has a brief of ours: pi drops what was said before the last summary. */
function hasBrief({ sessionManager }: PiContext): boolean {
  const branch = sessionManager.getBranch();
  const since = branch.slice(branch.findLastIndex(({ type }) => type === 'compaction') + 1);
  return since.some(({ customType, details }) => customType === OURS && Object(details)['brief'] === true);
}

/** Shows our lines to the user. */
function show({ hasUI, ui }: PiContext, ...answers: readonly (HookAnswer | undefined)[]): void {
  const lines = answers.flatMap((answer) => answer?.systemMessage ?? []);
  if (hasUI && lines.length > 0) ui.notify(lines.join('\n'), 'info');
}
