/** pi: an extension of ours runs in its process. It has no MCP and no subagents. */
import { join } from 'node:path';
import type { CodingAgent } from '../agent.ts';
import { piFolder, sessionsFolder } from './folder.ts';
import { installer } from './installer/index.ts';
import { describeTranscript, findTranscripts } from './reader/find.ts';
import { readTurns } from './reader/pi.ts';

export const pi: CodingAgent = {
  id: 'pi',
  title: 'pi',
  capabilities: {
    start: { by: 'plugin', event: 'before_agent_start', answers: true },
    prompt: { by: 'plugin', event: 'before_agent_start', answers: true },
    read: { by: 'plugin', event: 'tool_result', matcher: 'read', answers: true },
    stop: { by: 'plugin', event: 'agent_end', answers: false },
    compact: { by: 'plugin', event: 'session_compact', answers: false },
    end: { by: 'plugin', event: 'session_shutdown', answers: false },
  },
  reader: {
    agent: 'pi',
    folder: sessionsFolder,
    find: findTranscripts,
    describe: describeTranscript,
    readTurns,
    subagentsOf: () => Promise.resolve([]),
    mainOf: () => undefined,
  },
  installer,
  ownFiles: {
    ofUser: (env) => [join(piFolder(env), 'AGENTS.md')],
    ofProject: ['AGENTS.md'],
  },
};
