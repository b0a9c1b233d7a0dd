/** Continue: only its past sessions are read. Its hooks do not run in a session without a terminal. */
import type { CodingAgent } from '../agent.ts';
import { reader } from './reader.ts';

export const continueDev: CodingAgent = { id: 'continue', title: 'Continue', capabilities: {}, reader };
