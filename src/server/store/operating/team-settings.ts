/** The settings of a team: every member reads them, only owners change them, which row-level security enforces. */
import { json, text } from '../values.ts';
import type { Work } from '../work.ts';

export type StoredSettings = Readonly<Record<string, unknown>>;

export async function teamSettings(work: Work): Promise<StoredSettings> {
  const rows = await work.rows(
    'SELECT key, value FROM tidemark.team_setting WHERE team_id = $1 ORDER BY key',
    [work.team],
  );
  return Object.fromEntries(rows.map((row) => [text(row, 'key'), row['value']]));
}

/** Changes some settings; null removes one. The caller has checked the values. */
export async function putTeamSettings(work: Work, changes: StoredSettings): Promise<void> {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) {
      await work.run('DELETE FROM tidemark.team_setting WHERE team_id = $1 AND key = $2', [work.team, key]);
      continue;
    }
    await work.run(
      `INSERT INTO tidemark.team_setting (team_id, key, value) VALUES ($1, $2, $3)
       ON CONFLICT (team_id, key) DO UPDATE SET value = excluded.value, set_at = now()`,
      [work.team, key, json(value)],
    );
  }
}
