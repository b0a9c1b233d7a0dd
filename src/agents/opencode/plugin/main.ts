/**
 * Our plugin of OpenCode: reports the moments of a session to the daemon and injects its answers. Runs inside the client's
 * process: never throws, and waits only within the budgets of hooks. The brief is an extra system message, which the client
 * sends with every step and does not store, so its text stays the same until the conversation is summarised.
 */
import type { HookName } from '../../../core/index.ts';
import { withInjected } from '../../plugin-client/injected.ts';
import { openPluginClient } from '../../plugin-client/index.ts';
import type { HookAnswer } from '../../wire/wire.ts';
import { OWN_COMMAND_KEY, typedCommand } from '../command-mark.ts';
import { databasePath, sessionPath } from '../places.ts';
import { userMessage } from '../reader/prompt.ts';
import type { Hooks, Part, PluginInput, SessionInfo } from './_api.ts';

/** A conversation that had a prompt since the plugin was loaded, of the user or of a subagent. */
interface Talk {
  readonly id: string;
  prompt?: string;
  brief?: Promise<string | undefined>;
}

/** How the client's own agents begin: for titles, summaries of a conversation, and descriptions of a change. */
const OF_THE_CLIENT =
  /^(?:You are a title generator|You are a context summarization agent|Summarize what was done in this conversation)/;

/** `home`: the data folder. `program`: the folder of our programs. Called by the file in the client's folder of plugins. */
export default function tidemark(input: PluginInput, home: string, program = __dirname): Hooks {
  if (process.env['TIDEMARK_NESTED'] === '1') return {};
  const client = openPluginClient({ agent: 'opencode', home, program, env: process.env });
  const database = databasePath(process.env);
  const isAttended = hasScreen(process.argv);
  const known = new Map<string, SessionInfo>();
  const talks = new Map<string, Talk>();
  /** The client may end as soon as it has asked the plugin to. */
  const sending = new Set<Promise<unknown>>();

  const mainOf = (session: string): string => {
    const parent = known.get(session)?.parentID;
    return parent === undefined ? session : mainOf(parent);
  };
  const factsOf = (session: string): object => {
    const main = mainOf(session);
    const cwd = known.get(main)?.directory ?? input.directory;
    const agent = session === main ? {} : { agent_id: session };
    return { session_id: main, transcript_path: sessionPath(database, main), cwd, ...agent };
  };
  const deliver = async (event: HookName, session: string, fields: object = {}): Promise<HookAnswer> => {
    const sent = client.deliver(event, { ...factsOf(session), ...fields }, isAttended);
    sending.add(sent);
    const answer = await sent;
    sending.delete(sent);
    if (isAttended && answer?.systemMessage !== undefined) show(input, answer.systemMessage);
    return answer ?? {};
  };
  /** The client does not store the brief, so a session that is continued needs a whole one too. */
  const start = async (session: string, source: 'startup' | 'compact'): Promise<string | undefined> =>
    contextIn(await deliver('SessionStart', session, { source }));

  const stopped = async (session: string): Promise<void> => {
    const talk = talks.get(session);
    if (!talk) return;
    if (mainOf(session) === session)
      return void (await deliver(
        'Stop',
        session,
        talk.prompt === undefined ? {} : { prompt_id: talk.prompt },
      ));
    const type = known.get(session)?.agent ?? 'subagent';
    const path = sessionPath(database, session);
    await deliver('SubagentStop', session, { agent_type: type, agent_transcript_path: path });
  };

  const hooks: Hooks = {
    async event({ event: { type, properties: { sessionID, info } = {} } }) {
      if (info && /^session\.(?:created|updated)$/.test(type)) known.set(info.id, info);
      if (sessionID === undefined) return;
      if (type === 'session.idle') await stopped(sessionID);
      const talk = talks.get(sessionID);
      if (type === 'session.compacted' && talk?.brief) talk.brief = start(sessionID, 'compact');
    },

    async 'command.execute.before'({ command, arguments: given }, { parts }) {
      const [text] = parts.filter(({ type }) => type === 'text');
      if (text) text.metadata = { ...text.metadata, [OWN_COMMAND_KEY]: typedCommand(command, given) };
    },

    async 'chat.message'({ sessionID }, { message, parts }) {
      const talk: Talk = talks.get(sessionID) ?? { id: sessionID };
      talks.set(sessionID, talk);
      // The task of a subagent is written by the agent, and the answer of ours would go to no one.
      if (mainOf(sessionID) !== sessionID) return;
      talk.brief ??= start(sessionID, 'startup');
      talk.prompt = message.id;
      await talk.brief;
      const said = userMessage(parts.map((part) => ({ ...part })));
      if (said.kind !== 'prompt') return;
      const answer = await deliver('UserPromptSubmit', sessionID, {
        prompt: said.text,
        prompt_id: message.id,
      });
      const context = contextIn(answer);
      if (context !== undefined) parts.push(partAfter(parts, { sessionID, messageID: message.id, context }));
    },

    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      if (sessionID === undefined || OF_THE_CLIENT.test(system[0] ?? '')) return;
      const brief = await talks.get(sessionID)?.brief;
      if (brief !== undefined) system.push(brief);
    },

    async 'tool.execute.after'({ tool, sessionID, callID, args }, result) {
      if (tool !== 'read' || typeof result.output !== 'string') return;
      const about = { ...factsOf(sessionID), file: args?.filePath, call: callID };
      const context = contextIn(await client.ask('PostToolUse', about));
      if (context !== undefined) result.output = withInjected(result.output, context);
    },

    async 'experimental.session.compacting'({ sessionID }) {
      if (mainOf(sessionID) === sessionID) await deliver('PreCompact', sessionID);
    },

    async dispose() {
      await Promise.allSettled(sending);
      const mains = [...talks.keys()].filter((session) => mainOf(session) === session);
      talks.clear();
      await Promise.all(mains.map((session) => deliver('SessionEnd', session, { reason: 'exit' })));
    },
  };
  return quietly(hooks);
}

/** The client stops its own work on an error of a plugin. */
function quietly(hooks: Hooks): Hooks {
  const guarded = Object.entries(hooks).map(([name, hook]) => [
    name,
    async (...args: readonly unknown[]): Promise<void> => {
      try {
        await (hook as (...given: readonly unknown[]) => Promise<void>)(...args); // the same arguments
      } catch {
        // Memory is missing; the session continues.
      }
    },
  ]);
  return Object.fromEntries(guarded) as Hooks; // the same keys
}

function contextIn(answer: HookAnswer | undefined): string | undefined {
  return answer?.hookSpecificOutput?.additionalContext;
}

/** The client orders parts by their ids: this one follows the prompt. */
function partAfter(
  parts: readonly Part[],
  { sessionID, messageID, context }: { sessionID: string; messageID: string; context: string },
): Part {
  const last = parts.map(({ id }) => id).reduce((one, other) => (one > other ? one : other), 'prt_');
  return { id: `${last}tidemark`, sessionID, messageID, type: 'text', text: context, synthetic: true };
}

/** Whether a user sees our messages: not with `opencode run`, `serve` and the other commands. */
function hasScreen([, , command]: readonly string[]): boolean {
  return command === undefined || !/^[a-z]+$/.test(command);
}

function show({ client }: PluginInput, message: string): void {
  try {
    Promise.resolve(client?.tui?.showToast?.({ body: { message, variant: 'info' } })).catch(() => {});
  } catch {
    // The client has no screen.
  }
}
