/** The store of a machine's hub: every method is one call of the daemon, which alone reads and writes memories. */
import { claudeConfigDir } from '../agents/index.ts';
import { given, revisionOf, TidemarkError, VERSION } from '../core/index.ts';
import type { DaemonCall, DaemonStatus, HubReads, SettingRow } from '../daemon/index.ts';
import type { MemoryEntry } from '../database/index.ts';
import type {
  CaptureHealth,
  Changed,
  Conversation,
  MachineStore,
  Overview,
  Settings,
  Team,
} from '../http/index.ts';
import { UNDO_MS } from '../memory/index.ts';
import type { Imports } from './_imports.ts';

export function machineStore(call: DaemonCall, imports: Imports): MachineStore {
  // The page must not choose the folder that is read.
  const configDir = claudeConfigDir(process.env);
  const read = <K extends keyof HubReads>(method: K, args: Parameters<HubReads[K]>[0] | object) =>
    call(method, args) as Promise<Awaited<ReturnType<HubReads[K]>>>; // the reader thread implements HubReads
  const present = async (id: string): Promise<Changed> => {
    const [entry] = (await call('read.show', { ids: [id] })) as readonly MemoryEntry[];
    if (!entry) throw new TidemarkError('not-found', `no memory ${id}`);
    return { memory: entry.memory, revision: revisionOf(entry.memory) };
  };
  const change = async (id: string, method: string, args: object): Promise<Changed> => {
    await call(method, args);
    return present(id);
  };

  return {
    here: async () => ({ kind: 'machine', version: VERSION }),
    overview: async (query) =>
      withHealth(await Promise.all([read('read.overview', query), call('status', {})])),
    projects: () => read('read.cards', {}),
    project: (id) => read('read.project', { id }),
    memories: (query) => read('read.page', query),
    memory: (id) => read('read.memory', { id }),
    search: (query, limit) => read('read.found', { query, limit }),

    present,
    edit: (id, request) => change(id, 'edit', { id, ...request }),
    settle: (id, request) => change(id, 'settle', { ids: [id], ...request }),
    supersede: (id, request) => change(id, 'supersede', { old: id, ...request }),
    move: (id, request) => change(id, 'move', { id, ...request }),
    forget: async (id, request) => {
      await call('forget', { ids: [id], ...request });
      return { id, undoUntil: new Date(Date.now() + UNDO_MS).toISOString() };
    },
    undoForget: (id) => change(id, 'forget', { ids: [id], undo: true }),

    transcript: (id) => call('read.transcript', { id }) as Promise<Conversation>,
    sessions: (query) => read('read.sessionPage', query),
    session: (id) => read('read.session', { id }),
    inbox: () => read('read.inbox', {}),
    review: async (id, request) => {
      const patch = request.verdict === 'edit' ? { patch: request.patch } : {};
      await call('review', { ids: [id], approved: request.verdict !== 'drop', ...patch });
      return read('read.inbox', {});
    },
    settings: () => call('settings', {}) as Promise<Settings>,
    changeSetting: (key, request) => call('settings.set', { key, ...request }) as Promise<SettingRow>,
    importState: async () => imports.state,
    importSources: () => read('read.sources', { configDir }),
    startImport: async (request) => imports.start({ ...request, configDir }),
    cancelImport: async () => imports.cancel(),
    team: () => call('read.team', {}) as Promise<Team>, // the ledger checked the texts of conflicts
  };
}

function withHealth([{ paused, captures, inReview, ...figures }, status]: readonly [
  Awaited<ReturnType<HubReads['read.overview']>>,
  unknown,
]): Overview {
  const { version, startedAt, busy, lastEvent, spool, setAside, config } = status as DaemonStatus;
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
  };
  return { ...figures, health };
}
