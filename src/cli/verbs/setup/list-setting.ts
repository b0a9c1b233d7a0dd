/** Changes settings that are lists: adds, removes or replaces items in the user's file, and says what was removed. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { loadConfig, setConfig, SETTINGS, type SettingKey } from '../../../config/index.ts';
import { notFound, usageError, type Context } from '../../verb.ts';

/** Whether the setting has several values. */
export function isList(key: SettingKey): boolean {
  return SETTINGS[key].type === 'list';
}

/** The items in the user's file, or the default ones. */
export function itemsOf({ places }: Pick<Context, 'places'>, key: SettingKey): readonly string[] {
  const value = loadConfig({ places: { config: places.config }, env: {} }).values[key];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** Reads items from arguments. Each may be several with commas between them; `./x` is a folder below this one. */
export function itemsFrom(
  { cwd }: Pick<Context, 'cwd'>,
  key: SettingKey,
  args: readonly string[],
): readonly string[] {
  const items = args.flatMap((arg) => arg.split(',')).map((item) => item.trim());
  const given = items.filter((item) => item !== '');
  return key === 'capture.ignore'
    ? given.map((item) => (/^\.{1,2}(?:$|[/\\])/.test(item) ? resolve(cwd, item) : item))
    : given;
}

/** Replaces the whole list and names the items that are no longer in it. */
export function replaceItems(context: Context, key: SettingKey, items: readonly string[]): void {
  const gone = itemsOf(context, key).filter((item) => !items.includes(item));
  setConfig(context.places, key, items);
  if (gone.length > 0)
    context.screen.say(
      `Removed from the list: ${gone.join(', ')}. To keep what is in it, use: tidemark config add ${key} <value>`,
    );
  warnMissing(context, key, items);
}

export function addItems(context: Context, key: SettingKey, items: readonly string[]): void {
  requireList(key, 'add');
  setConfig(context.places, key, [...new Set([...itemsOf(context, key), ...items])]);
  warnMissing(context, key, items);
}

export function removeItems(context: Context, key: SettingKey, items: readonly string[]): void {
  requireList(key, 'remove');
  const before = itemsOf(context, key);
  const same = (a: string, b: string): boolean =>
    a === b || (key === 'capture.ignore' && expanded(a) === expanded(b));
  const missing = items.find((item) => !before.some((one) => same(one, item)));
  if (missing !== undefined)
    throw notFound(
      `${missing} is not in ${key}`,
      before.length > 0 ? `It contains: ${before.join(', ')}` : 'It is empty.',
    );
  const left = before.filter((one) => !items.some((item) => same(one, item)));
  setConfig(context.places, key, left.length > 0 ? left : undefined);
}

/** A path with the user's home instead of `~`, and without a slash at the end. */
export function expanded(path: string): string {
  const whole = /^~(?=$|[/\\])/.test(path) ? homedir() + path.slice(1) : path;
  return whole.length > 1 ? whole.replace(/[/\\]+$/, '') : whole;
}

/** A folder that does not exist is probably misspelt. A glob or a bare name matches many. */
function warnMissing({ screen }: Context, key: SettingKey, items: readonly string[]): void {
  if (key !== 'capture.ignore') return;
  for (const item of items)
    if (/^[~/]|^[A-Za-z]:/.test(item) && !/[*?]/.test(item) && !existsSync(expanded(item)))
      screen.say(`${screen.paintTalk.red('warning:')} there is no folder ${item}`);
}

function requireList(key: SettingKey, what: string): void {
  if (!isList(key))
    throw usageError(
      `${key} has one value; config ${what} is for lists`,
      `tidemark config set ${key} <value>; ${SETTINGS[key].doc}`,
    );
}
