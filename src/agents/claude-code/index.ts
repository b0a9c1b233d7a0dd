/** Claude Code: the first agent, whose hooks and names of tools are our own form. */
import { COMMANDS } from './commands.ts';
import { claudeConfigDir } from './config-folder.ts';
import type { CodingAgent } from '../agent.ts';
import { installer } from './installer/index.ts';
import { oneShot } from './one-shot.ts';
import { ownFiles } from './own-files.ts';
import { readTurns } from './reader/claude-code.ts';
import { describeTranscript, findTranscripts } from './reader/find.ts';
import { mainOf, subagentsOf } from './reader/subagents.ts';

export const claudeCode: CodingAgent = {
  id: 'claude-code',
  title: 'Claude Code',
  capabilities: {
    start: { by: 'command', event: 'SessionStart', answers: true },
    prompt: { by: 'command', event: 'UserPromptSubmit', answers: true },
    read: { by: 'mcp', event: 'PostToolUse', matcher: 'Read|Grep|Bash', answers: true },
    edit: { by: 'mcp', event: 'PreToolUse', matcher: 'Edit|Write|MultiEdit|NotebookEdit', answers: true },
    stop: { by: 'command', event: 'Stop', answers: false },
    compact: { by: 'command', event: 'PreCompact', answers: false },
    end: { by: 'command', event: 'SessionEnd', answers: false },
  },
  commands: COMMANDS,
  undo: '/tidemark:undo',
  reader: {
    agent: 'claude-code',
    folder: claudeConfigDir,
    find: findTranscripts,
    describe: describeTranscript,
    readTurns,
    subagentsOf,
    mainOf,
  },
  installer,
  oneShot,
  ownFiles,
};
