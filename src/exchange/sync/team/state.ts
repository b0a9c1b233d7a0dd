/** Outcome of the last exchange with the team, in a file that the next exchange writes again if it is lost. */
import type { Places } from '../../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomically } from '../../../files/index.ts';
import type { Delayed, Exchange, HeldBack } from '../index.ts';

export interface ExchangeState {
  readonly at: string;
  /** The last failure, and when the server is tried again. */
  readonly problem?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly nextTryAt?: string;
  readonly lastGoodAt?: string;
  readonly projects: Readonly<
    Record<
      string,
      {
        readonly at: string | null;
        readonly waiting: number;
        readonly refused: Exchange['refused'];
        /** New entries that wait, and those that stay on this machine. */
        readonly delayed?: readonly Delayed[];
        readonly held?: readonly HeldBack[];
        readonly mayNotWrite?: boolean;
      }
    >
  >;
}

export function readState(places: Places): ExchangeState {
  try {
    return JSON.parse(readTextSync(places.teamState, STATE_BYTES)) as ExchangeState; // written above
  } catch {
    return { at: '', projects: {} };
  }
}

export function writeState(places: Places, state: ExchangeState): Promise<void> {
  return writeAtomically(places.teamState, JSON.stringify(state), { synced: false });
}

/** Reads an error by its fields: those of the loaded bundle are no instances of this bundle's TidemarkError. */
export function problemOf(error: unknown): NonNullable<ExchangeState['problem']> {
  const { code, message, hint } = error as { code?: unknown; message?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'team.failed',
    message: String(message ?? error),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
}
