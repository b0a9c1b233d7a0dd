/**
 * Loads the settings in force. The first source with a valid value wins: flag, environment, project file, user file,
 * default. The team of the machine can then make some of them stricter, never looser. A broken file or a wrong value is reported, never thrown.
 */
import { join } from 'node:path';
import type { Places } from '../core/index.ts';
import { isRefused, readTextSync } from '../files/index.ts';
import { parseText, parseValue, type ParsedValue } from './_value.ts';
import {
  DEFAULT_CONFIG,
  REMOVED_SETTINGS,
  SETTINGS,
  SETTING_KEYS,
  environmentName,
  isSettingKey,
  type Config,
  type Setting,
  type SettingKey,
  type SettingValue,
} from './settings.ts';
import { suggest } from './suggest.ts';
import { readTeamValues, stricterValues, type TeamValues } from './team-settings.ts';

export const PROJECT_FILE = '.tidemark.json';

/**
 * All settings with comments are 4 KB. A project's file comes with a clone and is read for every hook, so it must not
 * cost more than that.
 */
const SETTINGS_BYTES = 64 * 1024;
/** Enough to see what is wrong with a file. Each costs a search through its text, and a file can hold thousands. */
const MOST_PROBLEMS = 20;
/** Of an unknown key in a message. */
const LONGEST_KEY = 80;

export type ConfigOrigin = 'team' | 'flag' | 'environment' | 'project' | 'user' | 'default';

export interface ConfigProblem {
  /** The file, variable or flag with the problem. */
  readonly where: string;
  /** The line in a file, from 1. */
  readonly line?: number;
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
  /** Without `teamSettings`: the user's own values. */
  readonly places: Pick<Places, 'config'> & Partial<Pick<Places, 'teamSettings'>>;
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
  const flags = fromFlags(sources.flags ?? {}, problems);
  const environment = fromEnvironment(sources.env, problems);
  const user = fromFile(sources.places.config, problems);
  const projectFile = sources.projectDir === undefined ? undefined : join(sources.projectDir, PROJECT_FILE);
  const layers: readonly Layer[] = [
    { origin: 'flag', values: flags },
    { origin: 'environment', values: environment },
    { origin: 'project', values: projectFile ? fromFile(projectFile, problems, user) : new Map() },
    { origin: 'user', values: user },
  ];
  const values: Record<string, SettingValue> = { ...DEFAULT_CONFIG };
  const origins: Record<string, ConfigOrigin> = {};
  for (const key of SETTING_KEYS) {
    const layer = layers.find((candidate) => candidate.values.has(key));
    origins[key] = layer?.origin ?? 'default';
    if (layer) values[key] = layer.values.get(key) as SettingValue;
  }
  const file = sources.places.teamSettings;
  if (file !== undefined)
    for (const [key, value] of Object.entries(
      stricterValues(values as unknown as Config, teamValuesIn(file)),
    )) {
      values[key] = value;
      origins[key] = 'team';
    }
  // Every value passed its setting's check above.
  return {
    values: values as unknown as Config,
    origins: origins as Record<SettingKey, ConfigOrigin>,
    problems,
  };
}

/** Returns the settings of the machine's team; none for a missing or damaged file, which the next exchange writes again. */
export function teamValuesIn(file: string): TeamValues {
  return readTeamValues(readSettingsFile(file).json);
}

export interface SettingsFile {
  readonly json?: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The reason why it cannot be read. */
  readonly reason?: string;
  readonly line?: number;
}

/** Reads the settings of one file. A missing file has neither `json` nor a reason. */
export function readSettingsFile(file: string): SettingsFile {
  try {
    return parseSettings(readTextSync(file, SETTINGS_BYTES).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (isRefused(error)) return { text: '', reason: error.message.replace(`${file} `, '') };
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { text: '' }
      : { text: '', reason: `cannot be read (${code})` };
  }
}

/** Checks the text of a user's settings file before it is saved. */
export function checkSettings(text: string, file: string): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  takeFrom(parseSettings(text), file, problems);
  return problems;
}

function parseSettings(text: string): SettingsFile {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return { text, reason: 'is not a JSON object', line: 1 };
    return { text, json: json as Record<string, unknown> };
  } catch (error) {
    return { text, reason: 'is not valid JSON', line: lineOfError(text, (error as Error).message) };
  }
}

/** V8 reports a position only for some errors; the others mean that the text ended too early. */
function lineOfError(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position));
  return before.split('\n').length;
}

/** Searches the text itself: a key can be too long for a regular expression. */
function lineOfKey(text: string, key: string): number | undefined {
  const name = JSON.stringify(key);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length).trimStart();
    if (after.startsWith(':')) return text.slice(0, at).split('\n').length;
  }
  return undefined;
}

const isRemoved = (key: string): boolean => Object.hasOwn(REMOVED_SETTINGS, key);

export function unknownKeyHint(key: string): string {
  if (isRemoved(key)) return REMOVED_SETTINGS[key] ?? '';
  const near = suggest(key, SETTING_KEYS);
  return near === undefined ? 'List them: tidemark config' : `Did you mean "${near}"?`;
}

type Values = ReadonlyMap<SettingKey, SettingValue>;

/** `user`: the user's own values, for a project's file. */
function fromFile(file: string, problems: ConfigProblem[], user?: Values): Map<SettingKey, SettingValue> {
  return takeFrom(readSettingsFile(file), file, problems, user);
}

function takeFrom(
  { text, json, reason, line }: SettingsFile,
  file: string,
  problems: ConfigProblem[],
  user?: Values,
): Map<SettingKey, SettingValue> {
  const values = new Map<SettingKey, SettingValue>();
  if (reason !== undefined) {
    const hint = 'Correct the file; until then it is ignored.';
    problems.push({ where: file, ...(line ? { line } : {}), reason, hint });
  }
  for (const [key, raw] of Object.entries(json ?? {})) {
    const found: ConfigProblem[] = [];
    if (!isSettingKey(key) && problems.length >= MOST_PROBLEMS) continue;
    if (!isSettingKey(key)) found.push(unknownKey(file, key));
    else {
      const parsed = parseValue(SETTINGS[key], raw);
      const reason = user && parsed.ok ? refusalOf(key, parsed.value, user) : undefined;
      const hint = `Set it in your own file: tidemark config set ${key} …`;
      if (reason === undefined) take(values, key, parsed, file, found);
      else found.push({ where: file, key, reason: `"${key}" ${reason}`, hint });
    }
    const at = found.length > 0 ? lineOfKey(text, key) : undefined;
    problems.push(...found.map((problem) => (at ? { ...problem, line: at } : problem)));
  }
  return values;
}

/** Why a project's file cannot set this value. */
function refusalOf(key: SettingKey, value: SettingValue, user: Values): string | undefined {
  const setting: Setting = SETTINGS[key];
  if (setting.scope === 'user') return 'cannot be set by a project';
  const own = user.get(key) ?? setting.default;
  const isStricter = setting.stricter === 'lower' ? value < own : value === setting.stricter;
  return isStricter || value === own ? undefined : 'can only be made stricter by a project';
}

/** `~/.tidemark/config.json:3` */
export function placeOf({ where, line }: ConfigProblem): string {
  return line === undefined ? where : `${where}:${line}`;
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
    const removed = Object.keys(REMOVED_SETTINGS).find((one) => environmentName(one) === name);
    if (removed !== undefined) problems.push(unknownKey(name, removed));
    const near = removed === undefined ? suggest(name, [...byName.keys()]) : undefined;
    if (near !== undefined) {
      problems.push({ where: name, reason: `${name} is not a setting`, hint: `Did you mean ${near}?` });
    }
  }
  return values;
}

/** Matches only variables with a section of the table, so not TIDEMARK_HOME. */
const SETTING_VARIABLE = new RegExp(
  `^TIDEMARK_(${[...new Set([...SETTING_KEYS, ...Object.keys(REMOVED_SETTINGS)].map((key) => key.split('.')[0]?.toUpperCase()))].join('|')})_`,
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
  // A hostile file may have a key of any length.
  const shown = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
  const reason = isRemoved(key) ? `"${key}" was removed` : `"${shown}" is not a setting`;
  return { where, key: shown, reason, hint: unknownKeyHint(key) };
}
