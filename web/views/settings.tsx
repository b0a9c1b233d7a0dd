/** All settings with value, origin and documentation. Errors are shown next to the field. */
import type { SettingRow } from '../../src/http/index.ts';
import { settingChanges } from '../live.ts';
import { ConsentQuestion } from '../parts/consent.tsx';
import { Shown, withCode } from '../parts/notice.tsx';
import { SettingField } from '../parts/setting-field.tsx';
import { useTitle } from '../parts/use-title.ts';
import { useAnswer } from '../use-answer.ts';

const AREAS: Readonly<Record<string, string>> = {
  capture: 'Capture',
  recall: 'Recall',
  distill: 'Distilling',
  embed: 'Search by meaning',
  log: 'Log',
  hub: 'Hub',
  turns: 'Conversations',
  daemon: 'Daemon',
  journal: 'Journal',
  backup: 'Snapshots',
  share: 'Sharing',
  updates: 'Updates',
};

export function Settings() {
  useTitle('Settings');
  const settings = useAnswer('GET /settings', {}, { again: settingChanges.use() });
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">
        All settings are stored in one file. <code>tidemark config</code> shows and changes them too.
      </p>
      <Shown answer={settings}>
        {({ rows, problems }) => (
          <>
            {problems.map(({ where, key, reason, hint }) => (
              <p class="problem" key={where + key}>
                {key ?? where}: {withCode(`${reason}. ${hint}`)}
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
      {area === 'distill' && isConsentMissing(rows) && <ConsentQuestion />}
      <div class="rows">
        {rows.map((row) => (
          <SettingField key={row.key} row={row} />
        ))}
      </div>
    </section>
  );
}

/** Whether the user could allow a model here, and has not. */
function isConsentMissing(rows: readonly SettingRow[]): boolean {
  const valueOf = (key: string) => rows.find((row) => row.key === key);
  const consent = valueOf('distill.consent');
  const isOpen = consent?.value === false && (consent.from === 'default' || consent.from === 'user');
  return isOpen && valueOf('distill.driver')?.value !== 'local';
}
