/**
 * The settings in force: flag, environment, project file, user file, default, the first that has a valid value.
 * A broken file or a wrong value is a problem to show, never a reason to stop.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Places } from '../model/index.ts';
import {
  DEFAULT_CONFIG,
  SETTINGS,
  SETTING_KEYS,
  environmentName,
  isSettingKey,
  type Config,
  type SettingKey,
  type SettingValue,
} from './settings.ts';
import { suggest } from './suggest.ts';
import { parseText, parseValue, type ParsedValue } from './_value.ts';

export const PROJECT_FILE = '.tidemark.json';

export type ConfigOrigin = 'flag' | 'environment' | 'project' | 'user' | 'default';

export interface ConfigProblem {
  /** The file, variable or flag it stands in. */
  readonly where: string;
  readonly key?: string;
  readonly reason: string;
  readonly hint: string;
}

export interface LoadedConfig {
  readonly values: Config;
  readonly origins: Readonly<Record<SettingKey, ConfigOrigin>>;
  readonly problems: readonly ConfigProblem[];
}

export interface ConfigSources {
  readonly places: Pick<Places, 'config'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly projectDir?: string;
  readonly flags?: Readonly<Record<string, string>>;
}

interface Layer {
  readonly origin: ConfigOrigin;
  readonly values: ReadonlyMap<SettingKey, SettingValue>;
}

export function loadConfig(sources: ConfigSources): LoadedConfig {
  const problems: ConfigProblem[] = [];
  const layers: readonly Layer[] = [
    { origin: 'flag', values: fromFlags(sources.flags ?? {}, problems) },
    { origin: 'environment', values: fromEnvironment(sources.env, problems) },
    {
      origin: 'project',
      values:
        sources.projectDir === undefined
          ? new Map()
          : fromFile(join(sources.projectDir, PROJECT_FILE), 'project', problems),
    },
    { origin: 'user', values: fromFile(sources.places.config, 'user', problems) },
  ];
  const values: Record<string, SettingValue> = { ...DEFAULT_CONFIG };
  const origins: Record<string, ConfigOrigin> = {};
  for (const key of SETTING_KEYS) {
    const layer = layers.find((candidate) => candidate.values.has(key));
    origins[key] = layer?.origin ?? 'default';
    if (layer) values[key] = layer.values.get(key) as SettingValue;
  }
  // Every value passed its setting's own check above.
  return {
    values: values as unknown as Config,
    origins: origins as Record<SettingKey, ConfigOrigin>,
    problems,
  };
}

/** The settings of one file as JSON; `undefined` when it is missing, a problem when it cannot be read. */
export function readSettingsFile(file: string): {
  readonly json?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
} {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return { reason: 'is not a JSON object' };
    return { json: json as Record<string, unknown> };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    return { reason: code === undefined ? 'is not valid JSON' : `cannot be read (${code})` };
  }
}

export function unknownKeyHint(key: string): string {
  const near = suggest(key, SETTING_KEYS);
  return near === undefined ? `Known settings: ${SETTING_KEYS.join(', ')}.` : `Did you mean "${near}"?`;
}

function fromFile(
  file: string,
  origin: 'user' | 'project',
  problems: ConfigProblem[],
): Map<SettingKey, SettingValue> {
  const values = new Map<SettingKey, SettingValue>();
  const { json, reason } = readSettingsFile(file);
  if (reason !== undefined)
    problems.push({ where: file, reason, hint: 'Correct the file; until then it counts as empty.' });
  for (const [key, raw] of Object.entries(json ?? {})) {
    if (!isSettingKey(key)) {
      problems.push(unknownKey(file, key));
      continue;
    }
    if (origin === 'project' && SETTINGS[key].scope === 'user') {
      const hint = `Set it for yourself: tidemark config set ${key} …`;
      problems.push({ where: file, key, reason: `"${key}" cannot be set by a project`, hint });
      continue;
    }
    take(values, key, parseValue(SETTINGS[key], raw), file, problems);
  }
  return values;
}

function fromEnvironment(
  env: ConfigSources['env'],
  problems: ConfigProblem[],
): Map<SettingKey, SettingValue> {
  const values = new Map<SettingKey, SettingValue>();
  const byName = new Map(SETTING_KEYS.map((key) => [environmentName(key), key]));
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined || text === '' || !SETTING_VARIABLE.test(name)) continue;
    const key = byName.get(name);
    if (key !== undefined) {
      take(values, key, parseText(SETTINGS[key], text), name, problems);
      continue;
    }
    const near = suggest(name, [...byName.keys()]);
    if (near !== undefined) {
      problems.push({ where: name, reason: `${name} is not a setting`, hint: `Did you mean ${near}?` });
    }
  }
  return values;
}

/** TIDEMARK_HOME and other variables that are no settings have no section of the table after the prefix. */
const SETTING_VARIABLE = new RegExp(
  `^TIDEMARK_(${[...new Set(SETTING_KEYS.map((key) => key.split('.')[0]?.toUpperCase()))].join('|')})_`,
);

function fromFlags(
  flags: Readonly<Record<string, string>>,
  problems: ConfigProblem[],
): Map<SettingKey, SettingValue> {
  const values = new Map<SettingKey, SettingValue>();
  for (const [key, text] of Object.entries(flags)) {
    if (isSettingKey(key)) take(values, key, parseText(SETTINGS[key], text), `--${key}`, problems);
    else problems.push(unknownKey(`--${key}`, key));
  }
  return values;
}

function take(
  values: Map<SettingKey, SettingValue>,
  key: SettingKey,
  parsed: ParsedValue,
  where: string,
  problems: ConfigProblem[],
): void {
  if (parsed.ok) values.set(key, parsed.value);
  else problems.push({ where, key, reason: `"${key}" ${parsed.reason}`, hint: SETTINGS[key].doc });
}

function unknownKey(where: string, key: string): ConfigProblem {
  return { where, key, reason: `"${key}" is not a setting`, hint: unknownKeyHint(key) };
}
