/** Reads and changes the settings of a team, for owners over HTTP and for operators, with the same checks and audit. */
import {
  isTeamSettingKey,
  parseTeamValue,
  readTeamValues,
  suggest,
  TEAM_SETTING_KEYS,
  TEAM_SETTINGS,
  type TeamSettingKey,
  type TeamValues,
} from '../../config/index.ts';
import { TidemarkError } from '../../core/index.ts';
import { agedMemories, putTeamSettings, teamSettings, type RecordAction, type Work } from '../store/index.ts';
import { daysBefore } from './pruning.ts';

/** Memories that a period would forget now, by project; each count ends one above the limit. */
export type Aged = Awaited<ReturnType<typeof agedMemories>>;

/** Memories counted of each project, because all projects are counted in one statement. */
const MOST_COUNTED = 1000;

export async function settingsOf(work: Work): Promise<TeamValues> {
  return readTeamValues(await teamSettings(work));
}

/** Those that machines apply. */
export function machineSettings(values: TeamValues): TeamValues {
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => TEAM_SETTINGS[key as TeamSettingKey].where === 'machine'),
  );
}

/** Changes some settings; null removes one. */
export async function changeSettings(
  work: Work,
  changes: Readonly<Record<string, unknown>>,
  record: RecordAction,
): Promise<TeamValues> {
  const checked = Object.fromEntries(Object.entries(changes).map(([key, raw]) => checkedSetting(key, raw)));
  const before = await settingsOf(work);
  const keys = Object.keys(checked) as readonly TeamSettingKey[];
  await putTeamSettings(work, checked);
  await record('team.settings', work.team, {
    before: Object.fromEntries(keys.map((key) => [key, before[key] ?? null])),
    after: checked,
  });
  return settingsOf(work);
}

/** Returns the memories that a period would forget now. */
export function previewRetention(work: Work, days: number, now: Date): Promise<Aged> {
  return agedMemories(work, daysBefore(now, days), MOST_COUNTED + 1);
}

function checkedSetting(key: string, raw: unknown): readonly [TeamSettingKey, unknown] {
  if (!isTeamSettingKey(key)) {
    const near = suggest(key, TEAM_SETTING_KEYS);
    throw new TidemarkError('invalid', `"${key}" is not a setting of a team`, {
      hint: near ? `Did you mean "${near}"?` : `Settings of a team: ${TEAM_SETTING_KEYS.join(', ')}.`,
    });
  }
  if (raw === null) return [key, null];
  const parsed = parseTeamValue(key, raw);
  if (parsed.ok) return [key, parsed.value];
  throw new TidemarkError('invalid', `"${key}" ${parsed.reason}`, { hint: TEAM_SETTINGS[key].doc });
}
