/** Reads the parts of Claude Code's settings that tell about plugins, hooks and MCP servers. Reads only. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readTextSync } from '../../../files/index.ts';
import { isObject, objectsIn, parseObject, type JsonObject } from '../../reading/json.ts';
import { claudeConfigDir } from '../config-folder.ts';

/** The largest seen is a few megabytes. */
const SETTINGS_BYTES = 16 * 1024 * 1024;

export interface ClientSettings {
  readonly configDir: string;
  /** `name@marketplace` → whether it is on; the file nearest to the project wins. */
  readonly plugins: ReadonlyMap<string, boolean>;
  /** The command of each hook in a settings file. */
  readonly hookCommands: readonly string[];
  /** Name and command line of each MCP server for this user and project. */
  readonly servers: readonly string[];
  /** The file that turns all hooks off, if any. */
  readonly hooksOff: string | undefined;
  readonly autoMemory: boolean;
}

/** Without `cwd`, only the settings of the user. */
export function clientSettings(env: NodeJS.ProcessEnv, cwd: string | undefined): ClientSettings {
  const configDir = claudeConfigDir(env);
  // Nearest first: the file nearest to the project wins.
  const paths = [
    ...(cwd === undefined
      ? []
      : [join(cwd, '.claude', 'settings.local.json'), join(cwd, '.claude', 'settings.json')]),
    join(configDir, 'settings.json'),
  ];
  const files = paths.map((path) => ({ path, json: jsonOf(path) }));
  const plugins = new Map<string, boolean>();
  for (const { json } of files.toReversed()) {
    for (const [id, on] of Object.entries(recordOf(json['enabledPlugins']))) plugins.set(id, on !== false);
  }
  const own = jsonOf(
    env['CLAUDE_CONFIG_DIR'] ? join(configDir, '.claude.json') : join(homedir(), '.claude.json'),
  );
  const ofProject =
    cwd === undefined ? [] : [recordOf(recordOf(own['projects'])[cwd]), jsonOf(join(cwd, '.mcp.json'))];
  const servers = [own, ...ofProject].flatMap(({ mcpServers }) =>
    Object.entries(recordOf(mcpServers)).map(([name, server]) => `${name} ${commandLine(recordOf(server))}`),
  );
  return {
    configDir,
    plugins,
    hookCommands: files.flatMap(({ json }) => commandsIn(json['hooks'])),
    servers,
    hooksOff: files.find(({ json }) => json['disableAllHooks'] === true)?.path,
    autoMemory: isAutoMemoryOn(
      env,
      files.map(({ json }) => json),
    ),
  };
}

function isAutoMemoryOn(env: NodeJS.ProcessEnv, files: readonly JsonObject[]): boolean {
  const name = 'CLAUDE_CODE_DISABLE_AUTO_MEMORY';
  const off = [env[name], ...files.map((json) => recordOf(json['env'])[name])];
  return !off.includes('1') && files.every((json) => json['autoMemoryEnabled'] !== false);
}

/** `{ Stop: [{ hooks: [{ command, args }] }] }` */
function commandsIn(hooks: unknown): readonly string[] {
  return Object.values(recordOf(hooks))
    .flatMap(objectsIn)
    .flatMap((matcher) => objectsIn(matcher['hooks']).map(commandLine));
}

function commandLine({ command, args, url }: JsonObject): string {
  return [command, ...(Array.isArray(args) ? args : []), url]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/** An unreadable file counts as empty. */
function jsonOf(path: string): JsonObject {
  try {
    return parseObject(readTextSync(path, SETTINGS_BYTES).replace(/^\uFEFF/, '')) ?? {};
  } catch {
    return {};
  }
}

function recordOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
