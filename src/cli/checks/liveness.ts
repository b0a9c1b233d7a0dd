/** Finds out whether the hooks of an agent arrive: its last event, its newest session, and a session without events. */
import { statSync } from 'node:fs';
import { foldersOf } from '../../agents/index.ts';
import type { TranscriptFile, TranscriptReader } from '../../agents/index.ts';
import { FIRST_AGENT, type Agent, type HookName, type Places } from '../../core/index.ts';
import type { DaemonStatus } from '../../daemon/index.ts';
import { jsonOf, recordOf } from './_files.ts';

/** A session's file is created shortly before its first hook arrives. */
const MOMENT_MS = 2 * 60_000;
const MAX_TRANSCRIPTS = 5;

export interface LastEvent {
  readonly event: string;
  readonly at: string;
}

/** `heard`: as the daemon reports it; its file lags a little. */
export function lastEventOf(
  agent: Agent,
  places: Places,
  heard: DaemonStatus['agents'] | undefined,
): LastEvent | undefined {
  const all = { ...jsonOf(places.heardAgents), ...heard };
  const { event, at } = recordOf(all[agent]);
  if (typeof at === 'string' && typeof event === 'string') return { event, at };
  // Events from before the agent was recorded.
  if (agent !== FIRST_AGENT || Object.keys(all).length > 0) return undefined;
  const [last] = Object.entries(receivedTimes(places)).toSorted(([, a], [, b]) => (a < b ? 1 : -1));
  return last && { event: last[0], at: last[1] };
}

export function receivedTimes(places: Places): Readonly<Partial<Record<HookName, string>>> {
  const times = jsonOf(places.heard);
  return Object.fromEntries(Object.entries(times).filter(([, at]) => typeof at === 'string'));
}

export function newestSession(reader: TranscriptReader, env: NodeJS.ProcessEnv): TranscriptFile | undefined {
  return sessionsOf(reader, env)[0];
}

/** Returns when a session began after all of these times and after the program was installed. */
export async function sessionWithoutHooks(
  reader: TranscriptReader,
  places: Places,
  env: NodeJS.ProcessEnv,
  times: readonly (string | undefined)[],
): Promise<string | undefined> {
  const known = times.flatMap((at) => (at === undefined ? [] : [Date.parse(at)]));
  // Hooks of sessions before the installation could not arrive.
  const installed = statSync(places.program, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const since = (known.length > 0 ? Math.max(...known) : installed) + MOMENT_MS;
  const later = sessionsOf(reader, env).filter(({ modifiedAt }) => modifiedAt.getTime() > since);
  for (const file of later.slice(0, MAX_TRANSCRIPTS)) {
    const found = await reader.describe(file);
    if (typeof found !== 'string' && Date.parse(found.startedAt) > since) return found.startedAt;
  }
  return undefined;
}

/** Newest first. */
function sessionsOf(reader: TranscriptReader, env: NodeJS.ProcessEnv): readonly TranscriptFile[] {
  try {
    return foldersOf(reader, env)
      .flatMap((folder) => reader.find(folder).files)
      .toSorted((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
  } catch {
    return [];
  }
}
