/** All settings in words, with value and origin. Errors are shown next to the field. */
import type { SettingRow } from '../../src/http/index.ts';
import { settingChanges } from '../live.ts';
import { Shown, withCode } from '../parts/notice.tsx';
import { SettingField } from '../parts/setting-field.tsx';
import { AREAS } from '../parts/setting-words.ts';
import { useTitle } from '../parts/use-title.ts';
import { useAnswer } from '../use-answer.ts';

export function Settings() {
  useTitle('Settings');
  const settings = useAnswer('GET /settings', {}, { again: settingChanges.use() });
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">
        Changes are saved at once. The small name below a setting is for the command line:{' '}
        <code>tidemark config</code>
      </p>
      <Shown answer={settings}>
        {({ rows, problems }) => (
          <>
            {problems.map(({ where, key, reason, hint }) => (
              <p class="problem" key={where + key}>
                {key ?? where}: {withCode(`${reason}. ${hint}`)}
              </p>
            ))}
            {AREAS.map(({ id, title, keys }) => (
              <Area key={id} id={id} title={title} rows={keys.flatMap((key) => byKey(rows, key))} />
            ))}
            <Area id="other" title="Other" rows={rows.filter(({ key }) => !LISTED.has(key))} />
          </>
        )}
      </Shown>
    </>
  );
}

const LISTED: ReadonlySet<string> = new Set(AREAS.flatMap(({ keys }) => keys));

function byKey(rows: readonly SettingRow[], key: SettingRow['key']): readonly SettingRow[] {
  return rows.filter((row) => row.key === key);
}

function Area(props: { readonly id: string; readonly title: string; readonly rows: readonly SettingRow[] }) {
  const { id, title, rows } = props;
  if (rows.length === 0) return null;
  return (
    <section class="area" aria-labelledby={`area-${id}`}>
      <h2 id={`area-${id}`}>{title}</h2>
      <div class="rows">
        {rows.map((row) => (
          <SettingField key={row.key} row={row} />
        ))}
      </div>
    </section>
  );
}
