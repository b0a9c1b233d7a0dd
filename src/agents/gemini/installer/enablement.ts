/** The client's file that says where an extension is switched off: `extensions/extension-enablement.json`. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../../files/index.ts';
import { parseJson, withoutMember } from '../../installing/json-text.ts';
import { isObject } from '../../reading/json.ts';
import { removeIfEmpty } from '../../installing/edited-file.ts';

const FILE = 'extension-enablement.json';

/** The rules of an extension: a folder with `*`, with `!` in front where it is off. The last that matches counts. */
export function switchesOf(extensions: string, name: string): readonly string[] {
  const all = contentOf(extensions);
  const own = isObject(all) ? all[name] : undefined;
  const rules = isObject(own) ? own['overrides'] : undefined;
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
}

/** Removes the rules of our extension, which the client wrote when the user switched it off or on. */
export function withoutSwitch(extensions: string, name: string): void {
  const path = join(extensions, FILE);
  const all = contentOf(extensions);
  if (!isObject(all) || !(name in all)) return;
  if (Object.keys(all).length === 1) rmSync(path);
  else writeAtomicallySync(path, withoutMember(readTextSync(path, STATE_BYTES), [name]));
  removeIfEmpty(extensions);
}

function contentOf(extensions: string): unknown {
  const path = join(extensions, FILE);
  try {
    return existsSync(path) ? parseJson(readTextSync(path, STATE_BYTES)) : undefined;
  } catch {
    return undefined; // the client reports a damaged file itself
  }
}
