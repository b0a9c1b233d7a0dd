/** Turns events of the daemon into events for the page. Unknown events are dropped. */
import type { DaemonEvent } from '../daemon/index.ts';
import type { LiveEvent } from '../http/index.ts';

/** When a whole journal changes, the list of ids is too long to be useful. */
const MOST_IDS = 200;

export function liveEvent(happening: DaemonEvent): LiveEvent | undefined {
  const { what, memories = [], session } = happening;
  const ids = memories.slice(0, MOST_IDS);
  switch (what) {
    case 'captured':
    case 'remembered':
    case 'changed':
    case 'forgotten':
    case 'restored':
      return { kind: 'memories', what, ids, ...(typeof session === 'string' ? { session } : {}) };
    case 'kept':
      return { kind: 'memories', what: 'changed', ids };
    case 'journal changed':
      return { kind: 'memories', what: 'changed', ids: [] };
    case 'recalled': {
      // HookHandler builds this event with these fields.
      const { at, session: of, project, where, recalled } = happening as unknown as Recalled;
      return { kind: 'recall', at, session: of, project, where, memories: recalled };
    }
    case 'reviewed':
      return { kind: 'review', waiting: Number(happening['waiting']) };
    case 'settings':
      return { kind: 'settings', key: String(happening['key']) };
    default:
      return undefined;
  }
}

type Recall = Extract<LiveEvent, { kind: 'recall' }>;
type Recalled = Omit<Recall, 'kind' | 'memories'> & { readonly recalled: Recall['memories'] };
