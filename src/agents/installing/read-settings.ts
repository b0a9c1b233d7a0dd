/** Reads a client's settings to see what is in them. Never writes. */
import { existsSync } from 'node:fs';
import { readTextSync } from '../../files/index.ts';
import { isObject, type JsonObject } from '../reading/json.ts';
import { parseJson } from './json-text.ts';

/** Settings are small; a larger file is none. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Empty for a missing file and for one that is no JSON object, with or without comments. */
export function readSettings(path: string): JsonObject {
  try {
    return existsSync(path) ? parsedSettings(readTextSync(path, MAX_BYTES)) : {};
  } catch {
    return {};
  }
}

export function parsedSettings(text: string): JsonObject {
  try {
    const json = parseJson(text);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}
