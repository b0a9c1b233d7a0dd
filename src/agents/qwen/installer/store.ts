/**
 * The client's own records of extensions: whether a user switched ours off, and their removal. `state.json` has an entry for
 * every extension that the client has loaded, `extension-enablement.json` only for those that were switched off or on.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../../files/index.ts';
import { withoutMember } from '../../installing/json-text.ts';
import { parsedSettings } from '../../installing/read-settings.ts';
import { isObject } from '../../reading/json.ts';
import { EXTENSION } from './extension.ts';

interface StateFile {
  readonly path: string;
  readonly text: string;
}

/** The folders in which our extension is switched off, as the client writes them: `/home/me/*`. */
export function disabledIn(home: string): readonly string[] {
  const entry = parsedSettings(enablement(home).text)[EXTENSION];
  const rules: readonly unknown[] =
    isObject(entry) && Array.isArray(entry['overrides']) ? entry['overrides'] : [];
  return rules.flatMap((rule) => (typeof rule === 'string' && rule.startsWith('!') ? [rule.slice(1)] : []));
}

/** Removes our entries. */
export function forget(home: string): void {
  const state = stateFile(home, 'extension-store', 'state.json');
  const { extensions } = parsedSettings(state.text);
  const ours = Object.entries(isObject(extensions) ? extensions : {}).filter(
    ([, entry]) => isObject(entry) && entry['name'] === EXTENSION,
  );
  edit(
    state,
    ours.map(([key]) => ['extensions', key]),
  );
  edit(enablement(home), [[EXTENSION]]);
}

function enablement(home: string): StateFile {
  return stateFile(home, 'extensions', 'extension-enablement.json');
}

function stateFile(...names: readonly string[]): StateFile {
  const path = join(...names);
  try {
    return { path, text: existsSync(path) ? readTextSync(path, STATE_BYTES) : '' };
  } catch {
    return { path, text: '' };
  }
}

function edit({ path, text }: StateFile, members: readonly (readonly string[])[]): void {
  try {
    const rest = members.reduce((left, member) => withoutMember(left, member), text);
    if (rest !== text) writeAtomicallySync(path, rest, { mode: statSync(path).mode & 0o777 });
  } catch {
    // Not JSON: the client does not read it either.
  }
}
