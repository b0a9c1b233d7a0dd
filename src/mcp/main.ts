/** Entry of the MCP server, which the client starts with every session. Contacts the daemon at the first call. */
import { homedir } from 'node:os';
import { sessionIn } from '../agents/wire/index.ts';
import { loadConfig } from '../config/index.ts';
import { placesIn, tidemarkHome } from '../core/index.ts';
import { openClient } from '../daemon/index.ts';
import { ensureHome } from '../files/index.ts';
import { afterRead } from './after-read.ts';
import { atToolCall } from './at-tool-call.ts';
import { beforeCommand } from './before-command.ts';
import { beforeEdit } from './before-edit.ts';
import { instructionsFor } from './instructions.ts';
import { runTool } from './run-tool.ts';
import { serveMcp } from './serve.ts';
import { TOOLS } from './tools/index.ts';

const { env } = process;
/** `tidemark mcp --agent codex`: the agent that starts the server, if its hooks inject a brief. */
const agent = process.argv[2] === 'mcp' && process.argv[3] === '--agent' ? (process.argv[4] ?? '') : '';
ensureHome(env);
const places = placesIn(tidemarkHome(env, homedir()));
const setting = {
  client: openClient(places, env),
  // The folder where the session started; the cwd of Claude Code follows the model's `cd`. Other agents may inherit it.
  dir: (agent === '' && env['CLAUDE_PROJECT_DIR']) || process.cwd(),
  session: sessionIn(env, agent),
  agent,
  // Read each time: the user may switch it during a session.
  stopsOnce: () => loadConfig({ places, env }).values['recall.stopOnce'],
};

void serveMcp({
  tools: TOOLS,
  // Hooks inject a brief in the sessions of Claude Code, which names the session, and of agents that name themselves.
  instructions: instructionsFor(
    loadConfig({ places, env }).values['capture.agentNotes'],
    setting.session !== '' || agent !== '',
  ),
  unlisted: [afterRead, atToolCall, beforeCommand, beforeEdit],
  run: (tool, args, signal, facts) => runTool(tool, args, setting, facts, signal),
  input: process.stdin,
  output: process.stdout,
}).then(() => process.exit(0)); // a running call must not keep the server alive without a client
