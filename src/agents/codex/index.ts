/** Codex: command hooks for events, and calls of our MCP server at reads and edits. Its hooks run once a user trusts them. */
import { join } from 'node:path';
import type { CodingAgent } from '../agent.ts';
import { codexHome } from './config-folder.ts';
import { installer } from './installer/index.ts';
import { oneShot } from './one-shot.ts';
import { readTurns } from './reader/codex.ts';
import { describeTranscript, findTranscripts } from './reader/find.ts';
import { mainOf, subagentsOf } from './reader/subagents.ts';

export const codex: CodingAgent = {
  id: 'codex',
  title: 'Codex',
  capabilities: {
    start: { by: 'command', event: 'SessionStart', answers: true },
    prompt: { by: 'command', event: 'UserPromptSubmit', answers: true },
    // Codex reads files with shell commands.
    read: { by: 'mcp', event: 'PostToolUse', matcher: 'Bash', answers: true },
    edit: { by: 'mcp', event: 'PreToolUse', matcher: 'apply_patch|Bash', answers: true },
    stop: { by: 'command', event: 'Stop', answers: false },
    compact: { by: 'command', event: 'PreCompact', answers: false },
    end: { by: 'command', event: 'SessionEnd', answers: false },
  },
  reader: {
    agent: 'codex',
    folder: codexHome,
    find: findTranscripts,
    describe: describeTranscript,
    readTurns,
    subagentsOf,
    mainOf,
  },
  installer,
  oneShot,
  ownFiles: {
    ofUser: (env) => [join(codexHome(env), 'AGENTS.md')],
    ofProject: ['AGENTS.md'],
  },
};
