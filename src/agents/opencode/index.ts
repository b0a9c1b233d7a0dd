/** OpenCode: a plugin inside the client reports its moments; sessions are read from its SQLite database. */
import { join } from 'node:path';
import type { CodingAgent } from '../agent.ts';
import { installer } from './installer/index.ts';
import { oneShot } from './one-shot.ts';
import { configFolder, dataFolder, otherDatabases } from './places.ts';
import { describeSession, findSessions, mainOf, sessionState, subagentsOf } from './reader/find.ts';
import { readTurns } from './reader/read-turns.ts';

export const openCode: CodingAgent = {
  id: 'opencode',
  title: 'OpenCode',
  capabilities: {
    start: { by: 'plugin', event: 'experimental.chat.system.transform', answers: true },
    prompt: { by: 'plugin', event: 'chat.message', answers: true },
    read: { by: 'plugin', event: 'tool.execute.after', matcher: 'read', answers: true },
    stop: { by: 'plugin', event: 'session.idle', answers: false },
    compact: { by: 'plugin', event: 'experimental.session.compacting', answers: false },
    end: { by: 'plugin', event: 'dispose', answers: false },
  },
  reader: {
    agent: 'opencode',
    folder: dataFolder,
    more: otherDatabases,
    find: findSessions,
    describe: describeSession,
    readTurns,
    subagentsOf,
    mainOf,
    stateOf: sessionState,
  },
  installer,
  oneShot,
  ownFiles: {
    ofUser: (env) => [join(configFolder(env), 'AGENTS.md')],
    ofProject: ['AGENTS.md'],
  },
};
