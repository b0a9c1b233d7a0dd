/**
 * Our part of Codex's config.toml: the MCP server, and at removal the trust that a user gave to our hooks. `codex mcp add`
 * is not used: it changes empty lines and the mode of the file. Pure.
 */
import { SERVER, type Placed } from './hooks-file.ts';
import { hasTopLevelKey, tablesIn, withoutTables, withRenamed, withTable } from './toml-text.ts';

const SERVERS = 'mcp_servers';
/** Our plugin from a marketplace: `tidemark@tidemark`. */
const PLUGIN = /^tidemark@/;

/**
 * Adds the server, or replaces another one of its name. Keys that the user or Codex added to it stay. Undefined if the file
 * defines its servers in a form that no table can be added to.
 */
export function withServer(text: string | null, command: readonly [string, ...string[]]): string | undefined {
  const now = text ?? '';
  if (hasServer(now, command)) return now;
  const rest = withoutTables(now, (path) => isServer(path) && path.length === 2);
  return hasTopLevelKey(rest, SERVERS) ? undefined : withTable(rest, [SERVERS, SERVER], valuesOf(command));
}

/** Whether the server is there and runs this command. */
export function hasServer(text: string, command: readonly [string, ...string[]]): boolean {
  const [, ...wanted] = withTable('', [SERVERS, SERVER], valuesOf(command)).trimEnd().split('\n');
  const found = tablesIn(text).find(({ path }) => isServer(path) && path.length === 2);
  const lines = found ? text.slice(found.start, found.end).split(/\r?\n/) : [];
  return wanted.every((line) => lines.includes(line));
}

function valuesOf([command, ...args]: readonly [string, ...string[]]) {
  return { command, args };
}

/** The plugin's id if Codex has it from a marketplace. */
export function pluginIn(text: string): string | undefined {
  const found = tablesIn(text).find(
    ({ path: [first, name = ''] }) => first === 'plugins' && PLUGIN.test(name),
  );
  const isOff = found && /^\s*enabled\s*=\s*false/m.test(text.slice(found.start, found.end));
  return isOff ? undefined : found?.path[1];
}

/**
 * Removes the server and the trust in our hooks. Trust is stored by place, so hooks of the user behind ours get their new
 * place. `hooksFile`: its possible paths. `placed`: the groups of hooks.json before our entries were removed.
 */
export function withoutOurs(text: string, hooksFile: readonly string[], placed: readonly Placed[]): string {
  const places = placed.map((one) => {
    const before = placed.filter(
      ({ event, group, isOurs }) => isOurs && event === one.event && group < one.group,
    );
    return { ...one, next: one.group - before.length };
  });
  const placeOf = (path: readonly string[]) => {
    const [, event, group, rest] = /:(\w+):(\d+)(:\d+)$/.exec(keyOf(path, hooksFile)) ?? [];
    const found = places.find((one) => one.event === event && one.group === Number(group));
    return found && { ...found, rest };
  };
  const without = withoutTables(text, (path) => isServer(path) || placeOf(path)?.isOurs === true);
  const moved = withRenamed(without, (path) => {
    const place = placeOf(path);
    if (!place || place.next === place.group) return undefined;
    const file = trustOf(path).replace(/:\w+:\d+:\d+$/, '');
    return ['hooks', 'state', `${file}:${place.event}:${place.next}${place.rest}`];
  });
  return moved === text ? text : withoutEmptyState(moved);
}

/** Removes the trust in the hooks of our plugin, which Codex keeps when it removes the plugin. */
export function withoutPluginTrust(text: string): string {
  const rest = withoutTables(text, (path) => PLUGIN.test(trustOf(path)));
  return rest === text ? text : withoutEmptyState(rest);
}

function isServer([first, name]: readonly string[]): boolean {
  return first === SERVERS && name === SERVER;
}

/** `[hooks.state."<key>"]` → key. */
function trustOf([first, second, key = '']: readonly string[]): string {
  return first === 'hooks' && second === 'state' ? key : '';
}

function keyOf(path: readonly string[], hooksFile: readonly string[]): string {
  const key = trustOf(path);
  return hooksFile.some((file) => key.startsWith(`${file}:`)) ? key : '';
}

/** Codex writes an empty `[hooks.state]` above the first trusted hook. */
function withoutEmptyState(text: string): string {
  const tables = tablesIn(text);
  const below = tables.filter(({ path: [first, second] }) => first === 'hooks' && second === 'state');
  const [only] = below;
  const isEmpty =
    below.length === 1 &&
    only?.path.length === 2 &&
    only.header.trimEnd() === text.slice(only.start, only.end).trimEnd();
  return isEmpty
    ? withoutTables(text, (path) => path.length === 2 && path[0] === 'hooks' && path[1] === 'state')
    : text;
}
