/** Every setting: what it does, what it says, where that comes from. What is wrong is said beside the field. */
import type { SettingRow } from '../../src/http/index.ts';
import { settingChanges } from '../live.ts';
import { Shown } from '../parts/notice.tsx';
import { SettingField } from '../parts/setting-field.tsx';
import { useTitle } from '../parts/use-title.ts';
import { useAnswer } from '../use-answer.ts';

const AREAS: Readonly<Record<string, string>> = {
  capture: 'What is remembered',
  recall: 'What comes back',
  distill: 'Distilling with a model',
  embed: 'Finding by meaning',
  log: 'The log',
  hub: 'This page',
  turns: 'Conversations',
  daemon: 'The daemon',
  journal: 'The journal',
  backup: 'Snapshots',
  updates: 'Newer versions',
};

export function Settings() {
  useTitle('Settings');
  const settings = useAnswer('GET /settings', {}, { again: settingChanges.use() });
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">
        They stand in one file; <code>tidemark config</code> shows and changes the same.
      </p>
      <Shown answer={settings}>
        {({ rows, problems }) => (
          <>
            {problems.map(({ where, key, reason, hint }) => (
              <p class="problem" key={where + key}>
                {key ?? where}: {reason}. {hint}
              </p>
            ))}
            {[...Map.groupBy(rows, ({ key }) => key.split('.')[0] ?? '')].map(([area, own]) => (
              <Area key={area} area={area} rows={own} />
            ))}
          </>
        )}
      </Shown>
    </>
  );
}

function Area({ area, rows }: { readonly area: string; readonly rows: readonly SettingRow[] }) {
  return (
    <section class="area" aria-labelledby={`area-${area}`}>
      <h2 id={`area-${area}`}>{AREAS[area] ?? area}</h2>
      <div class="rows">
        {rows.map((row) => (
          <SettingField key={row.key} row={row} />
        ))}
      </div>
    </section>
  );
}
