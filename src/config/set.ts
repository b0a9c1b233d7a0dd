/** Writes one setting of the user's config file atomically. Keeps everything else in the file. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError, type Places } from '../core/index.ts';
import { makeFolderSync, writeAtomicallySync } from '../files/index.ts';
import { parseText, parseValue } from './_value.ts';
import { readSettingsFile, unknownKeyHint } from './load.ts';
import { SETTINGS, isSettingKey, type SettingValue } from './settings.ts';

/**
 * Parses text by the setting's type (`'30'`, `'off'`, `'a,b'`); `undefined` removes the setting. Returns the value now
 * in the file.
 */
export function setConfig(
  places: Pick<Places, 'config'>,
  key: string,
  value: SettingValue | undefined,
): SettingValue | undefined {
  if (!isSettingKey(key)) {
    throw new TidemarkError('config.unknown_key', `"${key}" is not a setting`, { hint: unknownKeyHint(key) });
  }
  const { json, reason, line } = readSettingsFile(places.config);
  if (reason !== undefined) {
    throw new TidemarkError('config.broken_file', `${places.config}${line ? `:${line}` : ''} ${reason}`, {
      hint: 'Correct it with: tidemark config edit',
    });
  }
  if (value === undefined) {
    writeSettings(
      places.config,
      Object.fromEntries(Object.entries(json ?? {}).filter(([name]) => name !== key)),
    );
    return undefined;
  }
  const parsed =
    typeof value === 'string' ? parseText(SETTINGS[key], value) : parseValue(SETTINGS[key], value);
  if (!parsed.ok) {
    throw new TidemarkError('config.wrong_value', `"${key}" ${parsed.reason}`, { hint: SETTINGS[key].doc });
  }
  writeSettings(places.config, { ...json, [key]: parsed.value });
  return parsed.value;
}

/** Replaces the file with text that was checked before. */
export function replaceConfig(places: Pick<Places, 'config'>, text: string): void {
  writeText(places.config, text);
}

function writeSettings(link: string, settings: Readonly<Record<string, unknown>>): void {
  writeText(link, `${JSON.stringify(settings, undefined, 2)}\n`);
}

/** Keeps a link to another folder, such as one of dotfiles. */
function writeText(link: string, text: string): void {
  const file = existsSync(link) ? realpathSync(link) : link;
  try {
    makeFolderSync(dirname(file));
    writeAtomicallySync(file, text);
  } catch (error) {
    throw new TidemarkError('config.not_written', `cannot write ${file}`, {
      cause: error,
      hint: 'Check the owner of the folder and the free disk space.',
    });
  }
}
