/** Reads a folder of our plugin: ours, or a copy that a client made. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseObject, textOf } from '../reading/json.ts';

/** The files that a session needs. */
const NEEDED = [
  'hooks/hook.sh',
  'hooks/hooks.json',
  '.mcp.json',
  'dist/hook.cjs',
  'dist/daemon.cjs',
  'dist/reader.cjs',
  'dist/writer.cjs',
  'dist/cli.cjs',
  'dist/mcp.cjs',
];

export function isComplete(plugin: string): boolean {
  return NEEDED.every((file) => existsSync(join(plugin, ...file.split('/'))));
}

/** Undefined if the folder is not a plugin. */
export function pluginVersion(plugin: string): string | undefined {
  try {
    const manifest = readFileSync(join(plugin, '.claude-plugin', 'plugin.json'), 'utf8');
    return textOf(parseObject(manifest)?.['version']);
  } catch {
    return undefined;
  }
}
