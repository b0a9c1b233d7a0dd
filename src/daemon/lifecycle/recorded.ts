/** The daemon that wrote daemon.json, if it still runs: told from another process that later got the same pid. */
import type { Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, isSame } from '../../files/index.ts';

export interface RecordedDaemon {
  readonly pid: number;
  readonly running: boolean;
}

/** Undefined when none is recorded, as after every orderly end. */
export function recordedDaemon(places: Pick<Places, 'daemon'>): RecordedDaemon | undefined {
  try {
    const { pid, startTime } = JSON.parse(readTextSync(places.daemon, STATE_BYTES)) as Record<
      string,
      unknown
    >;
    if (typeof pid !== 'number') return undefined;
    return { pid, running: isSame(pid, typeof startTime === 'string' ? startTime : undefined) };
  } catch {
    return undefined;
  }
}
