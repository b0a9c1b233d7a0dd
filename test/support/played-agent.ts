/** A coding agent whose client is a variable, for tests of everything that loops over agents. */
import {
  readerOf,
  type CodingAgent,
  type Finding,
  type Installer,
  type TranscriptReader,
} from '../../src/agents/index.ts';
import { FIRST_AGENT, type Agent } from '../../src/core/index.ts';

export interface Played extends Partial<Installer> {
  readonly isThere?: boolean;
  readonly faults?: readonly Finding[];
  readonly reader?: TranscriptReader;
  /** Gets a word for everything that it is asked to do. */
  readonly log?: string[];
}

export function played(id: Agent, { isThere = false, faults = [], reader, log = [], ...own }: Played = {}) {
  let findings = faults;
  let there = isThere;
  const installer: Installer = {
    find: async () => ({ folder: '/c', version: '1.0.0' }),
    plan: async () => (there ? [] : ['add 6 hooks']),
    install: async () => {
      log.push('install');
      const done = there && findings.every(({ isRepairable }) => !isRepairable) ? [] : ['6 hooks added'];
      findings = findings.filter(({ isRepairable }) => !isRepairable);
      there = true;
      return done;
    },
    remove: async () => {
      const done = there ? ['6 hooks removed'] : [];
      there = false;
      return done;
    },
    status: async () => ({
      state: there ? (findings.length > 0 ? 'faulty' : 'installed') : 'absent',
      evidence: there ? '6 hooks' : 'not installed',
      findings: there ? findings : [],
    }),
    ...own,
  };
  const agent: CodingAgent & { readonly installer: Installer } = {
    id,
    title: `Agent ${id}`,
    capabilities: {},
    reader: reader ?? readerOf(FIRST_AGENT),
    installer,
  };
  return { agent, log };
}
