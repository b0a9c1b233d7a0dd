/** The store of a machine's hub: every method is one call of the daemon, which alone reads and writes memories. */
import { AGENT_TITLES, sessionSources } from '../agents/index.ts';
import { given, revisionOf, TidemarkError, VERSION } from '../core/index.ts';
import type { DaemonCall, DaemonStatus, ResultOf } from '../daemon/index.ts';
import type { CaptureHealth, Changed, MachineStore, Overview, Team } from '../http/index.ts';
import { UNDO_MS } from '../memory/index.ts';
import type { Imports } from './_imports.ts';

export function machineStore(call: DaemonCall, imports: Imports): MachineStore {
  // The page must not choose the folders that are read.
  const sources = sessionSources(process.env);
  const present = async (id: string): Promise<Changed> => {
    const [entry] = await call('read.show', { ids: [id] });
    if (!entry) throw new TidemarkError('not-found', `there is no memory ${id}`);
    return { memory: entry.memory, revision: revisionOf(entry.memory) };
  };
  const then = async (id: string, change: Promise<unknown>): Promise<Changed> => {
    await change;
    return present(id);
  };

  return {
    here: async () => ({ kind: 'machine', version: VERSION, agents: AGENT_TITLES }),
    overview: async (query) =>
      withHealth(
        await Promise.all([call('read.overview', given(query)), call('status', {}), call('keep.health', {})]),
      ),
    home: (query) => call('read.home', given(query)),
    changes: (limit) => call('read.changes', { limit }),
    uses: (query) => call('read.uses', query),
    projects: () => call('read.cards', {}),
    project: (id) => call('read.project', { id }),
    memories: (query) => call('read.page', query),
    memory: (id) => call('read.memory', { id }),
    search: (query, limit) => call('read.found', { query, limit }),

    present,
    edit: (id, request) => then(id, call('edit', { id, ...request })),
    settle: (id, request) => then(id, call('settle', { ids: [id], ...request })),
    supersede: (id, request) => then(id, call('supersede', { old: id, ...request })),
    move: (id, request) => then(id, call('move', { id, ...request })),
    forget: async (id, request) => {
      await call('forget', { ids: [id], ...request });
      return { id, undoUntil: new Date(Date.now() + UNDO_MS).toISOString() };
    },
    undoForget: (id) => then(id, call('forget', { ids: [id], undo: true })),

    transcript: async (id) => {
      const { turn, ...around } = await call('read.transcript', { id });
      return { turn, ...given(around) };
    },
    sessions: (query) => call('read.sessionPage', query),
    session: (id) => call('read.session', { id }),
    inbox: () => call('read.inbox', {}),
    review: async (id, request) => {
      const patch = request.verdict === 'edit' ? { patch: request.patch } : {};
      await call('review', { ids: [id], approved: request.verdict !== 'drop', ...patch });
      return call('read.inbox', {});
    },
    trash: () => call('read.trash', {}),
    settings: () => call('settings', {}),
    changeSetting: (key, request) => call('settings.set', { key, ...request }),
    importState: async () => imports.state,
    importSources: () => call('read.sources', { sources }),
    startImport: async (request) => imports.start({ ...request, sources }),
    cancelImport: async () => imports.cancel(),
    team: () => call('read.team', {}) as Promise<Team>, // the ledger checked the texts of conflicts
  };
}

function withHealth([{ paused, captures, inReview, ...figures }, status, small]: readonly [
  ResultOf<'read.overview'>,
  DaemonStatus,
  ResultOf<'keep.health'>,
]): Overview {
  const { version, startedAt, busy, lastEvent, spool, setAside, config } = status;
  const everywhere = paused.some(({ scope }) => scope === 'everywhere');
  const health: CaptureHealth = {
    state: !captures ? 'off' : everywhere ? 'paused' : 'capturing',
    paused,
    version,
    daemonSince: startedAt,
    busy,
    lastHook: lastEvent,
    spoolBacklog: spool.depth,
    ...given({ oldestWaiting: spool.oldest }),
    setAside,
    configProblems: config,
    inReview,
    small,
  };
  return { ...figures, health };
}
