export { isIgnored } from './ignore.ts';
export {
  PROJECT_FILE,
  checkSettings,
  loadConfig,
  placeOf,
  teamValuesIn,
  unknownKeyHint,
  type ConfigOrigin,
  type ConfigProblem,
  type ConfigSources,
  type LoadedConfig,
} from './load.ts';
export { replaceConfig, setConfig } from './set.ts';
export {
  DEFAULT_CONFIG,
  READ_AT_START,
  SETTINGS,
  SETTING_KEYS,
  environmentName,
  isSettingKey,
  type Config,
  type Setting,
  type SettingKey,
  type SettingValue,
} from './settings.ts';
export { suggest } from './suggest.ts';
export {
  TEAM_SETTINGS,
  TEAM_SETTING_KEYS,
  isTeamSettingKey,
  listOf,
  parseTeamText,
  parseTeamValue,
  readTeamValues,
  type TeamSettingKey,
  type TeamValues,
} from './team-settings.ts';
