/** GitHub Copilot CLI: hooks with the names of Claude Code, sessions as lists of events. */
import { join } from 'node:path';
import type { CodingAgent } from '../agent.ts';
import { copilotHome } from './config-folder.ts';
import { installer } from './installer/index.ts';
import { readTurns } from './reader/copilot.ts';
import { describeTranscript, findTranscripts, pathOf } from './reader/find.ts';

export const copilot: CodingAgent = {
  id: 'copilot',
  title: 'GitHub Copilot CLI',
  capabilities: {
    start: { by: 'command', event: 'SessionStart', answers: true },
    prompt: { by: 'command', event: 'UserPromptSubmit', answers: true },
    read: { by: 'command', event: 'PostToolUse', matcher: 'Read', answers: true },
    stop: { by: 'command', event: 'Stop', answers: false },
    compact: { by: 'command', event: 'PreCompact', answers: false },
    end: { by: 'command', event: 'SessionEnd', answers: false },
  },
  reader: {
    agent: 'copilot',
    folder: copilotHome,
    find: findTranscripts,
    describe: describeTranscript,
    readTurns,
    pathOf,
    // Their events are in the file of the session.
    subagentsOf: () => Promise.resolve([]),
    mainOf: () => undefined,
  },
  installer,
  ownFiles: {
    ofUser: (env) => [join(copilotHome(env), 'copilot-instructions.md')],
    ofProject: [join('.github', 'copilot-instructions.md'), 'AGENTS.md'],
  },
};
