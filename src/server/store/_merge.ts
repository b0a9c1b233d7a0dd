/**
 * Applies a change to the state of an entry. Only versions decide, so every order of arrival gives the same state: a
 * tombstone beats every text, otherwise the later version wins. Pure.
 */
import {
  isLater,
  type Change,
  type PushResult,
  type Version,
  type WireEntry,
} from '../../exchange/sync/index.ts';

/** The stored state of one id. */
export interface EntryState {
  readonly entry?: { readonly wire: WireEntry; readonly author: string };
  readonly end?: Ending;
}

interface Ending {
  readonly op: 'tombstone' | 'withdraw';
  readonly version: Version;
  readonly turn: string;
  readonly hash: string;
}

export interface Merged {
  readonly result: PushResult;
  /** Absent if nothing changes. */
  readonly next?: EntryState;
  /** The text that was replaced, or that arrived too late. */
  readonly lost?: { readonly wire: WireEntry; readonly author: string };
}

export function merge(state: EntryState, change: Change, caller: string): Merged {
  switch (change.op) {
    case 'put':
      return put(state, change.entry, caller);
    case 'tombstone':
      return tombstone(state, change);
    case 'withdraw':
      return withdraw(state, change, caller);
  }
}

function put({ entry, end }: EntryState, wire: WireEntry, caller: string): Merged {
  const { id, version } = wire;
  if (end?.op === 'tombstone') return { result: { id, outcome: 'forgotten', version: end.version } };
  if (end && isLater(end.version, version)) return { result: { id, outcome: 'older', version: end.version } };
  if (!entry)
    return { result: { id, outcome: 'stored', version }, next: { entry: { wire, author: caller } } };
  const stored = entry.wire.version;
  if (isLater(stored, version))
    return { result: { id, outcome: 'older', version: stored }, lost: { wire, author: caller } };
  if (!isLater(version, stored)) return { result: { id, outcome: 'same', version } };
  // Rewording keeps the original author.
  const next = { entry: { wire, author: entry.author } };
  return { result: { id, outcome: 'stored', version }, next, lost: entry };
}

function tombstone({ end }: EntryState, change: Extract<Change, { op: 'tombstone' }>): Merged {
  const { id, ...next } = change;
  if (end?.op === 'tombstone' && !isLater(change.version, end.version))
    return { result: { id, outcome: 'same', version: end.version } };
  return { result: { id, outcome: 'stored', version: change.version }, next: { end: next } };
}

function withdraw(
  { entry, end }: EntryState,
  { id, version }: Extract<Change, { op: 'withdraw' }>,
  caller: string,
): Merged {
  if (end?.op === 'tombstone') return { result: { id, outcome: 'forgotten', version: end.version } };
  if (end && !isLater(version, end.version)) return { result: { id, outcome: 'same', version: end.version } };
  const isOthers = entry !== undefined && entry.author !== caller;
  if (entry && (isOthers || isLater(entry.wire.version, version)))
    return { result: { id, outcome: 'older', version: entry.wire.version } };
  return {
    result: { id, outcome: 'stored', version },
    next: { end: { op: 'withdraw', version, turn: '', hash: '' } },
  };
}
