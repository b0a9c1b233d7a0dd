/** Finds settings of Gemini CLI that keep our extension or its hooks from running. Only reads. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextSync, STATE_BYTES } from '../../../files/index.ts';
import type { Finding } from '../../agent.ts';
import { parseJson } from '../../installing/json-text.ts';
import { isObject, type JsonObject } from '../../reading/json.ts';
import { switchesOf } from './enablement.ts';
import { EXTENSION } from './extension.ts';

export function obstacles(folder: string, project: string | undefined): readonly Finding[] {
  const files = [folder, ...(project === undefined ? [] : [join(project, '.gemini')])].map((at) =>
    join(at, 'settings.json'),
  );
  return [...files.flatMap(inSettings), ...switchedOff(folder)];
}

function inSettings(file: string): readonly Finding[] {
  const settings = settingsIn(file);
  const hooks = part(settings, 'hooksConfig');
  const disabled = hooks['disabled'];
  const allowed = part(settings, 'security')['allowedExtensions'];
  return [
    ...(hooks['enabled'] === false
      ? [{ text: `hooks are switched off in ${file}`, next: 'Remove "hooksConfig.enabled": false there.' }]
      : []),
    ...(Array.isArray(disabled) && disabled.includes(EXTENSION)
      ? [{ text: `our hooks are disabled in ${file}`, next: `In Gemini CLI run: /hooks enable ${EXTENSION}` }]
      : []),
    ...(Array.isArray(allowed) && allowed.length > 0
      ? [
          {
            text: `${file} allows only extensions from certain sources, so ours is not loaded`,
            next: 'Ask who set "security.allowedExtensions" there.',
          },
        ]
      : []),
    ...(/agent\.sh\\?"? \w+ gemini/.test(textIn(file))
      ? [{ text: `${file} has our hooks too: every event arrives twice`, next: 'Remove them there.' }]
      : []),
  ];
}

function switchedOff(folder: string): readonly Finding[] {
  const off = switchesOf(join(folder, 'extensions'), EXTENSION).filter((rule) => rule.startsWith('!'));
  return off.map((rule) => ({
    text: `the extension is disabled in ${rule.slice(1)}`,
    next: `Run: gemini extensions enable ${EXTENSION}`,
  }));
}

function settingsIn(file: string): JsonObject {
  try {
    const value = parseJson(textIn(file) || '{}');
    return isObject(value) ? value : {};
  } catch {
    return {}; // the client reports a damaged file itself
  }
}

/** Empty for a file that cannot be read: a project's may be anything. */
function textIn(file: string): string {
  try {
    return existsSync(file) ? readTextSync(file, STATE_BYTES) : '';
  } catch {
    return '';
  }
}

function part(settings: JsonObject, name: string): JsonObject {
  const value = settings[name];
  return isObject(value) ? value : {};
}
