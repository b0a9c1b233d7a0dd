/** Cline: only its past sessions are read. Its hooks cannot inject at the start of a session or with a prompt. */
import type { CodingAgent } from '../agent.ts';
import { reader } from './reader.ts';

export const cline: CodingAgent = { id: 'cline', title: 'Cline', capabilities: {}, reader };
