/** Gemini CLI: hooks of an extension of ours. It has no moment before an edit that reaches the model. */
import { join } from 'node:path';
import type { CodingAgent } from '../agent.ts';
import { geminiFolder } from './folder.ts';
import { installer } from './installer/index.ts';
import { describeTranscript, findTranscripts, mainOf, subagentsOf } from './reader/find.ts';
import { readTurns } from './reader/gemini.ts';

export const gemini: CodingAgent = {
  id: 'gemini',
  title: 'Gemini CLI',
  capabilities: {
    start: { by: 'command', event: 'SessionStart', answers: true },
    prompt: { by: 'command', event: 'BeforeAgent', answers: true },
    read: { by: 'command', event: 'AfterTool', matcher: 'read_file', answers: true },
    stop: { by: 'command', event: 'AfterAgent', answers: false },
    compact: { by: 'command', event: 'PreCompress', matcher: 'manual', answers: false },
    end: { by: 'command', event: 'SessionEnd', answers: false },
  },
  reader: {
    agent: 'gemini',
    folder: geminiFolder,
    find: findTranscripts,
    describe: describeTranscript,
    readTurns,
    subagentsOf,
    mainOf,
  },
  installer,
  ownFiles: {
    ofUser: (env) => [join(geminiFolder(env), 'GEMINI.md')],
    ofProject: ['GEMINI.md'],
  },
};
