/** The settings of the team, in a file that the configuration of this machine reads. They end with the log-in. */
import { rmSync } from 'node:fs';
import { readTeamValues, teamValuesIn } from '../../../config/index.ts';
import type { Places } from '../../../core/index.ts';
import { writeAtomicallySync } from '../../../files/index.ts';

/**
 * Stores what the team makes stricter; undefined: unknown, so nothing changes. A value that this version cannot use
 * leaves the one before in force. @returns whether anything changed
 */
export function storeTeamSettings(
  { teamSettings }: Pick<Places, 'teamSettings'>,
  settings: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (settings === undefined) return false;
  const before = teamValuesIn(teamSettings);
  const kept = Object.entries(before).filter(([key]) => Object.hasOwn(settings, key));
  const after = { ...Object.fromEntries(kept), ...readTeamValues(settings) };
  if (JSON.stringify(sorted(before)) === JSON.stringify(sorted(after))) return false;
  if (Object.keys(after).length === 0) removeTeamSettings({ teamSettings });
  else writeAtomicallySync(teamSettings, `${JSON.stringify(sorted(after), undefined, 2)}\n`);
  return true;
}

export function removeTeamSettings({ teamSettings }: Pick<Places, 'teamSettings'>): void {
  rmSync(teamSettings, { force: true });
}

function sorted(values: object): object {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
