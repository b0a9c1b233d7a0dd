/** One setting and its control. Saves on blur or Enter; an error stays next to it. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { SettingRow } from '../../src/http/index.ts';
import { ApiError, ask, asApiError } from '../api.ts';
import { Problem } from './field.tsx';
import { withCode } from './notice.tsx';
import { SETTING_WORDS, type SettingKey } from './setting-words.ts';

type Value = SettingRow['value'];

const ORIGINS: Readonly<Record<Exclude<SettingRow['from'], 'default'>, string>> = {
  team: 'your team',
  user: 'you',
  project: 'a project’s file',
  environment: 'the environment',
  flag: 'the command line',
};

export function SettingField({ row }: { readonly row: SettingRow }) {
  const [now, setNow] = useState(row);
  const [error, setError] = useState<ApiError>();
  const [isSaved, setSaved] = useState(false);
  useEffect(() => setNow(row), [row]);
  const save = (value: Value | null) => {
    setError(undefined);
    setSaved(false);
    ask('PUT /settings/:key', { id: row.key, body: { value } }).then(
      (fresh) => {
        setNow(fresh);
        setSaved(true);
      },
      (failure: unknown) => setError(asApiError(failure)),
    );
  };
  const id = `setting-${row.key}`;
  const { title, about } = SETTING_WORDS[row.key];
  const isFixed = now.from === 'environment' || now.from === 'flag';
  return (
    <div class="setting">
      <div>
        <label for={id}>{title}</label>
        <p class="soft small" id={`${id}-doc`}>
          {withCode(about)}
        </p>
        <code class="setting-key">{row.key}</code>
      </div>
      <div class="setting-control">
        <Control
          row={now}
          id={id}
          isFixed={isFixed}
          isWrong={error !== undefined}
          onSave={save}
          onProblem={(text) => setError(new ApiError('invalid', text))}
        />
        {error && <Problem error={error} id={`${id}-error`} />}
        <p class="soft small setting-origin">
          <span role="status">{isSaved && !error ? 'Saved. ' : ''}</span>
          {now.from === 'default' ? 'Default' : `Set by ${ORIGINS[now.from]}`}
          {isFixed && (
            <>
              : <code>{now.environment}</code>
            </>
          )}
          {now.from === 'user' && !isFixed && (
            <>
              {' · '}
              <button type="button" class="quiet" onClick={() => save(null)}>
                Reset to {shown(row.key, now.default)}
                <span class="unseen">: {title}</span>
              </button>
            </>
          )}
          {now.atStart && withCode(' · takes effect after `tidemark stop`')}
        </p>
      </div>
    </div>
  );
}

function Control(props: {
  readonly row: SettingRow;
  readonly id: string;
  readonly isFixed: boolean;
  readonly isWrong: boolean;
  readonly onSave: (value: Value) => void;
  readonly onProblem: (text: string) => void;
}) {
  const { row, id, isFixed, isWrong, onSave, onProblem } = props;
  const shared = {
    id,
    class: 'input',
    disabled: isFixed,
    'aria-invalid': isWrong,
    'aria-describedby': isWrong ? `${id}-doc ${id}-error` : `${id}-doc`,
  };
  switch (row.type) {
    case 'boolean':
      return (
        <input
          {...shared}
          class="switch"
          type="checkbox"
          role="switch"
          checked={row.value === true}
          onChange={(event) => onSave(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <select {...shared} value={String(row.value)} onChange={(event) => onSave(event.currentTarget.value)}>
          {row.choices?.map((choice) => (
            <option key={choice} value={choice}>
              {choiceName(row.key, choice)}
            </option>
          ))}
        </select>
      );
    case 'integer':
      return (
        <div class="with-unit">
          <TextControl
            {...shared}
            value={String(row.value)}
            onSave={(text) => {
              if (text === '' || Number.isNaN(Number(text)))
                return onProblem(`Enter a number from ${row.min ?? '…'} to ${row.max ?? '…'}.`);
              onSave(Number(text));
            }}
          />
          {SETTING_WORDS[row.key].unit && <span class="soft small">{SETTING_WORDS[row.key].unit}</span>}
        </div>
      );
    case 'list':
      return (
        <TextControl
          {...shared}
          isLong
          value={Array.isArray(row.value) ? row.value.join('\n') : ''}
          placeholder="one per line"
          onSave={(text) =>
            onSave(
              text
                .split('\n')
                .map((line) => line.trim())
                .filter((line) => line !== ''),
            )
          }
        />
      );
    case 'text':
      return (
        <TextControl {...shared} value={String(row.value)} placeholder={row.wanted ?? ''} onSave={onSave} />
      );
  }
}

/** Keeps the typed text while answers arrive, until the setting itself changes. */
function TextControl(props: {
  readonly id: string;
  readonly class: string;
  readonly disabled: boolean;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly onSave: (text: string) => void;
}) {
  const { value, isLong = false, onSave, ...rest } = props;
  const [text, setText] = useState(value);
  // In the same frame: a later effect would overwrite what was typed in between.
  useLayoutEffect(() => setText(value), [value]);
  const shared = {
    ...rest,
    value: text,
    onInput: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    onChange: (event: { currentTarget: { value: string } }) => onSave(event.currentTarget.value.trim()),
  };
  return isLong ? <textarea {...shared} rows={2} /> : <input {...shared} type="text" />;
}

function shown(key: SettingKey, value: Value): string {
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ');
  if (value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' ? value.toLocaleString('en') : choiceName(key, String(value));
}

function choiceName(key: SettingKey, choice: string): string {
  return SETTING_WORDS[key].choices?.[choice] ?? choice;
}
