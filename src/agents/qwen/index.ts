/** Qwen Code: hooks as Claude Code has them, with tools of other names, and transcripts close to its own. */
import { join } from 'node:path';
import type { CodingAgent } from '../agent.ts';
import { qwenHome, qwenRuntime } from './config-folder.ts';
import { installer } from './installer/index.ts';
import { describeTranscript, findTranscripts } from './reader/find.ts';
import { readTurns } from './reader/qwen.ts';
import { mainOf, subagentsOf } from './reader/subagents.ts';

export const qwen: CodingAgent = {
  id: 'qwen',
  title: 'Qwen Code',
  capabilities: {
    start: { by: 'command', event: 'SessionStart', answers: true },
    prompt: { by: 'command', event: 'UserPromptSubmit', answers: true },
    read: { by: 'command', event: 'PostToolUse', matcher: 'read_file', answers: true },
    stop: { by: 'command', event: 'Stop', answers: false },
    compact: { by: 'command', event: 'PreCompact', answers: false },
    end: { by: 'command', event: 'SessionEnd', answers: false },
  },
  reader: {
    agent: 'qwen',
    folder: qwenRuntime,
    find: findTranscripts,
    describe: describeTranscript,
    readTurns,
    subagentsOf,
    mainOf,
  },
  installer,
  ownFiles: {
    ofUser: (env) => [join(qwenHome(env), 'QWEN.md')],
    ofProject: ['QWEN.md'],
  },
};
