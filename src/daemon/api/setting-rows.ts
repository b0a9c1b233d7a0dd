/** The settings as rows: current value, where it comes from, allowed values. */
import {
  environmentName,
  isSettingKey,
  loadConfig,
  READ_AT_START,
  setConfig,
  SETTING_KEYS,
  SETTINGS,
  type ConfigProblem,
  type ConfigSources,
  type LoadedConfig,
  type Setting,
  type SettingKey,
  type SettingValue,
} from '../../config/index.ts';
import { TidemarkError } from '../../core/index.ts';
import type { ArgsOf } from './table.ts';

type Sources = Pick<ConfigSources, 'places' | 'env'>;

export type SettingRow = ReturnType<typeof rowOf>;

export function settingRows(sources: Sources): {
  readonly rows: readonly SettingRow[];
  readonly problems: readonly ConfigProblem[];
} {
  const config = loadConfig(sources);
  const file = ownConfig(sources);
  return { rows: SETTING_KEYS.map((key) => rowOf(key, config, file)), problems: config.problems };
}

/** A null value removes the setting from the user's file. */
export function setSetting(sources: Sources, { key, value }: ArgsOf<'settings.set'>): SettingRow {
  setConfig(sources.places, key, value ?? undefined);
  if (!isSettingKey(key)) throw new TidemarkError('config.unknown_key', `"${key}" is not a setting`);
  return rowOf(key, loadConfig(sources), ownConfig(sources));
}

/** The user's file alone, without what the team makes stricter. */
function ownConfig({ places }: Sources): LoadedConfig {
  return loadConfig({ places: { config: places.config }, env: {} });
}

/** `file`: the settings of the user's file alone. */
function rowOf(key: SettingKey, { values, origins }: LoadedConfig, file: LoadedConfig) {
  const setting: Setting = SETTINGS[key];
  return {
    key,
    value: values[key] as SettingValue,
    from: origins[key],
    default: setting.default as SettingValue,
    stored: file.origins[key] === 'user' ? (file.values[key] as SettingValue) : null,
    type: setting.type,
    scope: setting.scope,
    doc: setting.doc,
    ...('min' in setting ? { min: setting.min, max: setting.max } : {}),
    ...('choices' in setting ? { choices: setting.choices } : {}),
    ...('wanted' in setting ? { wanted: setting.wanted } : {}),
    environment: environmentName(key),
    atStart: READ_AT_START.has(key),
  };
}
